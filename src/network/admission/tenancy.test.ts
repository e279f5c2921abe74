import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { crdOf, infrastructureGroup, infrastructureKinds, metal3ApiVersion } from '../../api/index.ts';
import {
  type AnyKubeObject,
  installDefinitions,
  type KubeClient,
  parseKey,
  type ResourceClient,
} from '../../kube/index.ts';
import { forceAnnotation, providerResources, resources } from '../resources.ts';
import {
  type ApiRig,
  type ControllerRig,
  link,
  onDevice,
  putConfiguration,
  putHost,
  putLimit,
  putNamespace,
  putSwitch,
  startApi,
  startControllers,
  until,
  untilState,
} from '../testing/rig.ts';
import { connectAs, putRoles } from '../testing/users.ts';
import { createNetworkAdmission } from './network-rules.ts';

const mac = (at: number): string => `52:54:00:00:00:${String(at).padStart(2, '0')}`;
const refused = { code: 403 };

/** The same clients as another user. */
function as(client: KubeClient, api: ApiRig): ApiRig {
  return {
    ...api,
    client,
    switches: client.resource(resources.switches),
    ports: client.resource(resources.ports),
    configurations: client.resource(resources.configurations),
    limits: client.resource(resources.limits),
    hosts: client.resource(resources.hosts),
    fixtures: client.resource(providerResources.FixtureSwitch),
  };
}

describe('who may do what', () => {
  let api: ApiRig;
  let rig: ControllerRig;
  const open: KubeClient[] = [];
  const user = async (name: string, grants: Parameters<typeof connectAs>[2]): Promise<ApiRig> => {
    const client = await connectAs(api, name, grants);
    open.push(client);
    return as(client, api);
  };

  before(async () => {
    const admission = createNetworkAdmission();
    api = await startApi(admission.rules);
    rig = await startControllers(api);
    admission.attach({ tables: rig.controllers.informers, client: api.client });
    await putRoles(api);
    for (const name of ['infra', 'red', 'blue', 'lab']) await putNamespace(api, name);
  });
  after(async () => {
    for (const client of open) await client.close();
    await rig?.stop();
    await api?.close();
  });

  describe('infra team and consumers', () => {
    let operator: ApiRig;
    let red: ApiRig;
    let blue: ApiRig;
    /** Of the tenant red too, with rights on all ports: only admission keeps it from those of others. */
    let wide: ApiRig;

    type Role = AnyKubeObject & { readonly rules?: readonly { readonly resourceNames?: readonly string[] }[] };
    let roles: ResourceClient<Role>;
    const isAllowed = (rules: Role['rules'], names: readonly string[]): boolean =>
      isDeepStrictEqual(
        rules?.flatMap(({ resourceNames = [] }) => resourceNames),
        names,
      );

    before(async () => {
      roles = api.client.resource<Role>({
        ...{ group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'roles', namespaced: true, kind: 'Role' },
      });
      const admin = 'rackwright-infra-administrator';
      operator = await user('operator', { infra: [admin], red: [admin], blue: [admin] });
      red = await user('red', { red: ['rackwright-tenant'], infra: ['rackwright-tenant-ports-red'] });
      blue = await user('blue', { blue: ['rackwright-tenant'], infra: ['rackwright-tenant-ports-blue'] });
      wide = await user('wide', { red: ['rackwright-tenant'], infra: ['switchport-modifier-role'] });
      const ports = Object.fromEntries(
        [1, 2, 3].map((at) => [`leaf-${at}`, { name: `Ethernet${at}`, ...(at === 1 ? { trunkDisable: true } : {}) }]),
      );
      await putSwitch(operator, 'infra/leaf', { spec: { ports } });
      await putConfiguration(operator, 'infra/pxe', { untaggedVLAN: 100 });
      await putLimit(operator, 'red', '10-19');
      await putLimit(operator, 'blue', '20-29');
      for (const at of [1, 2, 3]) await untilState(api, `infra/leaf-${at}`, 'Idle');
      const provisioningConfiguration = { name: 'pxe', namespace: 'infra' };
      const port = (at: number) => ({ name: `leaf-${at}`, namespace: 'infra' });
      await putHost(operator, 'red/r1', [{ mac: mac(1), port: port(1), provisioningConfiguration }]);
      await putHost(operator, 'blue/b1', [{ mac: mac(2), port: port(2), provisioningConfiguration }]);
      await until(api.ports, 'infra/leaf-1', ({ status }) => status?.hostRef?.namespace === 'red');
      await until(api.ports, 'infra/leaf-2', ({ status }) => status?.hostRef?.namespace === 'blue');
      for (const name of ['red', 'blue'])
        await until(roles, `infra/rackwright-tenant-ports-${name}`, ({ rules = [] }) => rules.length === 1);
    });

    test('the operator does everything: that is how all of this came about', async () => {
      await operator.configurations.list({ namespace: 'red' });
      await operator.switches.patch(parseKey('infra/leaf'), {
        type: 'merge',
        body: { metadata: { labels: { row: '1' } } },
      });
    });

    test('a user creates and deletes configurations, and links one to the port of their host', async () => {
      await putConfiguration(red, 'red/ten', { untaggedVLAN: 10 });
      await link(red, 'infra/leaf-1', 'red/ten');
      await untilState(api, 'infra/leaf-1', 'Active', 'ten');
      assert.deepEqual(onDevice(rig.rack, 'infra/leaf'), { untaggedVlan: 10 });
      await putConfiguration(red, 'red/spare', { untaggedVLAN: 11 });
      await red.configurations.patch(parseKey('red/spare'), {
        type: 'merge',
        body: { metadata: { labels: { a: 'b' } } },
      });
      await red.configurations.delete(parseKey('red/spare'));
    });

    test('a configuration never changes, and one in use is not deleted', async () => {
      const change = { type: 'merge', body: { spec: { untaggedVLAN: 12 } } } as const;
      await assert.rejects(red.configurations.patch(parseKey('red/ten'), change), /is immutable/);
      await assert.rejects(red.configurations.delete(parseKey('red/ten')), /it is used by SwitchPort infra\/leaf-1/);
      await assert.rejects(operator.configurations.delete(parseKey('infra/pxe')), /it is used by BareMetalHost/);
    });

    test('a user neither creates nor deletes ports', async () => {
      const port = { apiVersion: metal3ApiVersion, kind: 'SwitchPort', spec: {} } as const;
      for (const namespace of ['infra', 'red']) {
        await assert.rejects(red.ports.create({ ...port, metadata: { name: 'mine', namespace } }), refused);
      }
      await assert.rejects(red.ports.delete(parseKey('infra/leaf-1')), refused);
    });

    test('a user does not even see switches, and writes no limit', async () => {
      for (const namespace of ['infra', 'red']) {
        await assert.rejects(red.switches.list({ namespace }), refused);
        await assert.rejects(red.fixtures.list({ namespace }), refused);
        await assert.rejects(putSwitch(red, `${namespace}/mine`), refused);
      }
      const more = { type: 'merge', body: { spec: { vlanRange: '1-4094' } } } as const;
      await assert.rejects(red.limits.patch(parseKey('red/user-limit'), more), refused);
      await assert.rejects(red.limits.delete(parseKey('red/user-limit')), refused);
      assert.equal((await red.limits.get(parseKey('red/user-limit'))).spec.vlanRange, '10-19');
    });

    test('VLANs beyond the limit are refused, and so is a trunk where none may be (security.md: port-tenants)', async () => {
      await putConfiguration(red, 'red/far', { untaggedVLAN: 25 });
      await assert.rejects(link(red, 'infra/leaf-1', 'red/far'), /the namespace red may use VLANs 10-19, and .* 25/);
      await putConfiguration(red, 'red/trunk', { vlans: '11-12' });
      await assert.rejects(link(red, 'infra/leaf-1', 'red/trunk'), /cannot be a trunk/);
    });

    test('the port of another tenant is refused, and one without a host (security.md: attacker-tenant, port-tenants)', async () => {
      await assert.rejects(link(wide, 'infra/leaf-2', 'red/ten'), /belongs to the host blue\/b1, and .* may not/);
      await assert.rejects(
        link(wide, 'infra/leaf-2', undefined).then(() => link(wide, 'infra/leaf-3', 'red/ten')),
        /no host is plugged into this port/,
      );
    });

    test('a user reads and changes the ports of their own hosts, and no others (security.md: attacker-tenant)', async () => {
      assert.equal((await red.ports.get(parseKey('infra/leaf-1'))).status?.hostRef?.name, 'r1');
      for (const port of ['infra/leaf-2', 'infra/leaf-3']) {
        await assert.rejects(red.ports.get(parseKey(port)), refused);
        await assert.rejects(link(red, port, 'red/ten'), refused);
        // A patch without a change would show the port as well.
        await assert.rejects(red.ports.patch(parseKey(port), { type: 'merge', body: {} }), refused);
      }
      await assert.rejects(red.ports.list({ namespace: 'infra' }), refused);
      const spare = { mac: mac(4), port: { name: 'leaf-3', namespace: 'infra' } };
      await putHost(operator, 'red/r2', [spare]);
      await until(roles, 'infra/rackwright-tenant-ports-red', ({ rules }) => isAllowed(rules, ['leaf-1', 'leaf-3']));
      await red.ports.get(parseKey('infra/leaf-3'));
      await operator.hosts.delete(parseKey('red/r2'));
      await until(roles, 'infra/rackwright-tenant-ports-red', ({ rules }) => isAllowed(rules, ['leaf-1']));
      await assert.rejects(red.ports.get(parseKey('infra/leaf-3')), refused);
    });

    test('taking the link of another tenant away is refused', async () => {
      await putConfiguration(blue, 'blue/twenty', { untaggedVLAN: 20 });
      await link(blue, 'infra/leaf-2', 'blue/twenty');
      await untilState(api, 'infra/leaf-2', 'Active', 'twenty');
      await assert.rejects(link(wide, 'infra/leaf-2', undefined), /belongs to the host blue\/b1/);
    });

    test('the configuration of another namespace is refused (security.md: port-tenants)', async () => {
      await assert.rejects(link(red, 'infra/leaf-1', 'blue/twenty'), /only configurations of red/);
      await assert.rejects(link(operator, 'infra/leaf-1', 'blue/twenty'), /only configurations of red/);
      await putConfiguration(operator, 'infra/secret', { untaggedVLAN: 7 });
      await assert.rejects(link(red, 'infra/leaf-1', 'infra/secret'), /only configurations of red/);
      // The provisioning network is where other tenants' hosts are installed.
      await assert.rejects(link(red, 'infra/leaf-1', 'infra/pxe'), /only configurations of red/);
      await link(operator, 'infra/leaf-1', 'infra/pxe');
      await untilState(api, 'infra/leaf-1', 'Active', 'pxe');
      await link(red, 'infra/leaf-1', 'red/ten');
    });

    test('a machine or a template of a user does not name the configuration of another namespace either', async () => {
      const definitions = infrastructureKinds.map((kind) => crdOf(kind) as unknown as AnyKubeObject);
      await installDefinitions(api.client, definitions, { fieldManager: 'test' });
      const image = { url: 'http://images.example/a.qcow2', checksum: 'abc' };
      const specOf = (namespace: string) => ({
        image,
        networkConfiguration: [{ ConfigurationRef: { name: 'twenty', namespace } }],
      });
      const make = (kind: string, resource: string, spec: object) =>
        red.client
          .resource<AnyKubeObject>({ group: infrastructureGroup, version: 'v1beta1', resource, namespaced: true, kind })
          .create({ metadata: { name: 'm1', namespace: 'red' }, spec });
      const template = (namespace: string) => ({ template: { spec: specOf(namespace) } });
      const ofRed = /it must be of the namespace red/;
      await assert.rejects(make('Metal3Machine', 'metal3machines', specOf('blue')), ofRed);
      await assert.rejects(make('Metal3MachineTemplate', 'metal3machinetemplates', template('blue')), ofRed);
      await make('Metal3Machine', 'metal3machines', specOf('red'));
      await make('Metal3MachineTemplate', 'metal3machinetemplates', template('red'));
    });

    test('a user changes nothing of a port but its link', async () => {
      const patch = (metadata: object) =>
        red.ports.patch(parseKey('infra/leaf-1'), { type: 'merge', body: { metadata } });
      for (const change of [
        { finalizers: null },
        { ownerReferences: null },
        { labels: { a: 'b' } },
        { annotations: { [forceAnnotation]: 'true' } },
      ]) {
        await assert.rejects(patch(change), /change more of a port than its configuration/);
      }
      const status = { type: 'merge', body: { status: { state: 'Idle' } } } as const;
      await assert.rejects(red.ports.status.patch(parseKey('infra/leaf-1'), status), refused);
    });

    test('who uses a host does not say where it is plugged in, nor what it is provisioned by (security.md: port-tenants)', async () => {
      const tenant = await user('host-user', { red: ['rackwright-tenant', 'rackwright-host-user'] });
      const entry = { mac: mac(1), port: { name: 'leaf-1', namespace: 'infra' } };
      const provisioningConfiguration = { name: 'pxe', namespace: 'infra' };
      const put = (ports: object[]) =>
        tenant.hosts.patch(parseKey('red/r1'), { type: 'merge', body: { spec: { ports } } });
      const infraOnly = /said by those who may change Switches in infra/;
      await assert.rejects(put([{ ...entry, port: { name: 'leaf-3', namespace: 'infra' } }]), infraOnly);
      await assert.rejects(put([]), infraOnly);
      await assert.rejects(put([{ ...entry, provisioningConfiguration: { name: 'ten' } }]), infraOnly);
      await assert.rejects(
        put([{ ...entry, provisioningConfiguration, configuration: { name: 'twenty', namespace: 'blue' } }]),
        /it must be of the namespace red/,
      );
      await put([{ ...entry, provisioningConfiguration, configuration: { name: 'ten' } }]);
    });

    test('a second host on one port is refused, whoever says so', async () => {
      const taken = putHost(operator, 'blue/b2', [{ mac: mac(9), port: { name: 'leaf-1', namespace: 'infra' } }]);
      await assert.rejects(taken, /the host red\/r1 is plugged into it already/);
    });
  });

  describe('many cluster operators', () => {
    test('each does everything in their own namespace and nothing in that of another', async () => {
      const lab = await user('lab', { lab: ['rackwright-infra-administrator'] });
      await putSwitch(lab, 'lab/bench');
      await putConfiguration(lab, 'lab/any', { untaggedVLAN: 4000 });
      await untilState(api, 'lab/bench-1', 'Idle');
      await link(lab, 'lab/bench-1', 'lab/any');
      await untilState(api, 'lab/bench-1', 'Active', 'any');
      await assert.rejects(link(lab, 'infra/leaf-3', 'lab/any'), refused);
      await assert.rejects(lab.switches.delete(parseKey('infra/leaf')), refused);
    });

    test('nobody uses the credentials of another namespace through a Switch of their own (security.md: own-namespace-secrets, port-tenants)', async () => {
      const thief = await user('thief', { lab: ['rackwright-infra-administrator'] });
      const spec = { provider: { kind: 'FixtureSwitch', name: 'leaf', namespace: 'infra' } } as const;
      const metadata = { name: 'borrowed', namespace: 'lab' };
      const borrowed = thief.switches.create({ apiVersion: metal3ApiVersion, kind: 'Switch', metadata, spec });
      await assert.rejects(borrowed, /only those who may change FixtureSwitch infra\/leaf can use it from lab/);
    });
  });

  test('one cluster operator does everything everywhere', async () => {
    const operator = await user('root', { '*': ['rackwright-infra-administrator'] });
    await putSwitch(operator, 'blue/own');
    await putConfiguration(operator, 'blue/all', { untaggedVLAN: 1 });
    await untilState(api, 'blue/own-1', 'Idle');
    await link(operator, 'blue/own-1', 'blue/all');
    await untilState(api, 'blue/own-1', 'Active', 'all');
    await operator.switches.delete(parseKey('blue/own'));
  });

  test('hostile names, a name that is taken, and a provider that is in use are refused', async () => {
    for (const name of ['eth0; reboot', '{{ lookup("pipe", "id") }}', 'a\nb: c', '$(id)']) {
      await assert.rejects(
        putSwitch(api, 'lab/evil', { spec: { ports: { 'evil-1': { name } } } }),
        /no port has such a name/,
      );
      await api.fixtures.delete(parseKey('lab/evil'));
    }
    const provider = { kind: 'FixtureSwitch', name: 'bench' } as const;
    await until(api.switches, 'lab/bench', ({ status }) => status?.state === 'Running');
    const twice = putSwitch(api, 'lab/twice', { spec: { provider } });
    await assert.rejects(twice, /the Switch lab\/bench uses FixtureSwitch lab\/bench already/);
    const taken = putSwitch(api, 'lab/taken', { spec: { ports: { 'bench-1': { name: 'Ethernet1' } } } });
    await assert.rejects(taken, /the Switch bench lists a port of that name already/);
  });

  test('what the API server refuses by itself', async () => {
    const bad: readonly [object, RegExp][] = [
      [{ untaggedVLAN: 0 }, /untaggedVLAN/],
      [{ untaggedVLAN: 4095 }, /untaggedVLAN/],
      [{ vlans: '10-5' }, /from its smaller to its larger/],
      [
        { vlans: '1-4095' },
        /vlans: .*must be a list of VLANs and ranges of them, each from 1 to 4094, such as 1, 6-10$/,
      ],
      [{ vlans: 5000 }, /vlans: .*4094/],
      [{ vlans: 'ten' }, /must be a list of VLANs and ranges of them/],
      [{ acl: [{ type: 'ipv4', action: 'deny', src: '10.0.0.0/99' }] }, /CIDR/],
      [{ acl: [{ type: 'ipv6', action: 'deny', src: '10.0.0.0/8' }] }, /family/],
      [
        { acl: [{ type: 'ipv4', action: 'deny', protocol: 'ICMP', desPortRange: '22' }] },
        /only TCP and UDP have ports/,
      ],
    ];
    for (const [spec, why] of bad) await assert.rejects(putConfiguration(api, 'lab/bad', spec), why);
    const metadata = { name: 'another', namespace: 'lab' };
    const second = api.limits.create({ apiVersion: metal3ApiVersion, kind: 'SwitchResourceLimit', metadata, spec: {} });
    await assert.rejects(second, /the name must be user-limit/);
  });
});

test('before the caches are full, what rights hang on is refused to all but superusers, and the rest is not', async (t) => {
  const admission = createNetworkAdmission();
  const api = await startApi(admission.rules);
  t.after(() => api.close());
  await putRoles(api);
  const client = await connectAs(api, 'operator', { default: ['rackwright-infra-administrator'] });
  t.after(() => client.close());
  const operator = as(client, api);
  await putHost(operator, 'default/plain', []);
  const plugged = putHost(operator, 'default/plugged', [{ mac: mac(1), port: { name: 'p' } }]);
  await assert.rejects(plugged, /caches of the network controllers are being filled/);
  await assert.rejects(putSwitch(operator, 'default/early'), /caches of the network controllers are being filled/);
  await putSwitch(api, 'default/first');
});
