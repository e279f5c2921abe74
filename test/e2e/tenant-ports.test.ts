import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { BareMetalHost } from '../../src/api/index.ts';
import { createHostNetwork, startHostControllers } from '../../src/hosts/index.ts';
import {
  type AnyKubeObject,
  createClient,
  type KubeClient,
  type KubeObject,
  systemClock,
} from '../../src/kube/index.ts';
import {
  createNetworkAdmission,
  defaultNetworkSettings,
  linkedByAnnotation,
  loadNetwork,
  machinePortsAnnotation,
  planNetwork,
} from '../../src/network/index.ts';
import { resources } from '../../src/network/resources.ts';
import {
  type ApiRig,
  eventsOf,
  link,
  onDevice,
  putConfiguration,
  putLimit,
  putNamespace,
  putSwitch,
  startApi,
  startControllers,
  until,
  untilState,
} from '../../src/network/testing/rig.ts';
import { connectAs, putRoles } from '../../src/network/testing/users.ts';
import { createDemoProvisioners } from '../../src/provisioners/testing/demo/index.ts';

const mac = '52:54:00:00:00:01';
const at = { namespace: 'red', name: 'r1' };
const key = 'red/r1';
const port = 'infra/leaf-1';
const entry = {
  mac,
  port: { name: 'leaf-1', namespace: 'infra' },
  provisioningConfiguration: { name: 'pxe', namespace: 'infra' },
};
const ten = { name: 'ten', namespace: 'red' };
const image = { url: 'http://images.example/a.qcow2', checksum: 'abc' };

// Host controllers run beside those of the network: what a user links has to last with them, too.
describe('what users link to the ports of their hosts, by their own tokens (security.md: role-tenant)', () => {
  let api: ApiRig;
  let red: ApiRig;
  let operator: ApiRig;
  let rack: Parameters<typeof onDevice>[0];
  const ends: (() => Promise<void> | void)[] = [];
  const user = async (name: string, grants: Parameters<typeof connectAs>[2]): Promise<ApiRig> => {
    const client: KubeClient = await connectAs(api, name, grants);
    ends.push(() => client.close());
    return {
      ...api,
      client,
      ports: client.resource(resources.ports),
      hosts: client.resource(resources.hosts),
      configurations: client.resource(resources.configurations),
    };
  };
  const edit = (by: ApiRig, body: object) => by.hosts.patch(at, { type: 'merge', body });
  const put = (by: ApiRig, configuration: object | undefined) =>
    edit(by, { spec: { ports: [{ ...entry, configuration }] } });
  const inState = (state: string) =>
    until(
      api.hosts,
      key,
      ({ status }: BareMetalHost & KubeObject) =>
        status?.provisioning.state === state &&
        status.conditions?.find(({ type }) => type === 'NetworkConfigured')?.status === 'True',
    );

  before(async () => {
    const admission = createNetworkAdmission();
    api = await startApi(admission.rules);
    ends.push(() => api.close());
    await putRoles(api);
    for (const name of ['infra', 'red']) await putNamespace(api, name);
    const network = await startControllers(api);
    rack = network.rack;
    ends.push(network.stop);
    admission.attach({ tables: network.controllers.informers, client: api.client });
    const client = await createClient(api.connection);
    const ways = createHostNetwork({ client, informers: network.controllers.informers });
    const hosts = startHostControllers({
      ...{ client, clock: systemClock, random: Math.random, network: ways },
      provisioners: createDemoProvisioners({ pollMs: 50 }),
    });
    ends.push(
      () => client.close(),
      () => ways.close(),
      () => hosts.stop(),
    );
    await hosts.whenSynced();
    const admin = 'rackwright-infra-administrator';
    operator = await user('operator', { infra: [admin], red: [admin] });
    red = await user('red', {
      red: ['rackwright-tenant', 'rackwright-host-user'],
      infra: ['rackwright-tenant-ports-red'],
    });
    await putSwitch(api, 'infra/leaf');
    await putConfiguration(operator, 'infra/pxe', { untaggedVLAN: 100 });
    await putLimit(api, 'red', '10-19');
    await untilState(api, port, 'Idle');
    for (const [name, vlan] of Object.entries({ ten: 10, eleven: 11, far: 25 }))
      await putConfiguration(red, `red/${name}`, { untaggedVLAN: vlan });
    const secrets = api.client.resource<AnyKubeObject>({
      group: '',
      version: 'v1',
      resource: 'secrets',
      namespaced: true,
    });
    const metadata = { namespace: 'red', name: 'r1-bmc' };
    const login = { stringData: { username: 'admin', password: 'secret' } };
    await secrets.create({ apiVersion: 'v1', kind: 'Secret', metadata, ...login } as AnyKubeObject);
    await operator.hosts.create({
      ...{ apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', metadata: at },
      spec: {
        online: true,
        bmc: { address: 'redfish://192.0.2.1/redfish/v1/Systems/1', credentialsName: 'r1-bmc' },
        ports: [entry],
      },
    } as BareMetalHost & KubeObject);
    await inState('available');
  });
  after(async () => {
    for (const end of ends.reverse()) await end();
  });

  test('before it is deployed the host has its port, and it is said what to do instead', async () => {
    const refused =
      /the host red\/r1 is available, and its ports have their provisioningConfiguration until it is deployed; set spec\.ports/;
    await assert.rejects(link(red, port, 'red/ten'), refused);
    await assert.rejects(link(operator, port, 'red/ten'), refused);
    await assert.rejects(link(red, port, undefined), refused);
    assert.deepEqual(onDevice(rack, 'infra/leaf'), { untaggedVlan: 100 });
  });

  test('what is linked to the SwitchPort of a deployed host becomes what its host wants, and lasts when it is deployed anew', async () => {
    await edit(operator, { spec: { image } });
    await inState('provisioned');
    await untilState(api, port, 'Idle');
    await link(red, port, 'red/ten');
    const { spec } = await until(api.hosts, key, ({ spec: now }) => now?.ports?.[0]?.configuration?.name === 'ten');
    assert.equal(spec?.ports?.[0]?.provisioningConfiguration?.name, 'pxe');
    await untilState(api, port, 'Active', 'ten');
    await edit(operator, { spec: { image: null } });
    await inState('available');
    assert.deepEqual(onDevice(rack, 'infra/leaf'), { untaggedVlan: 100 });
    await edit(operator, { spec: { image } });
    await inState('provisioned');
    await untilState(api, port, 'Active', 'ten');
    assert.deepEqual(onDevice(rack, 'infra/leaf'), { untaggedVlan: 10 });
  });

  test('what is written to the host is linked to its port', async () => {
    await put(red, { name: 'eleven' });
    await untilState(api, port, 'Active', 'eleven');
    assert.deepEqual(onDevice(rack, 'infra/leaf'), { untaggedVlan: 11 });
  });

  test('user and operator see what would be done, each with the rights of their namespaces', async () => {
    const planFor = async ({ client }: ApiRig, namespace: string) => {
      const ports = [port];
      const loaded = await loadNetwork(client, { namespace, ports });
      const settings = defaultNetworkSettings;
      return {
        ...planNetwork({ ...loaded, settings, only: ['leaf-1'] }, systemClock.now()),
        hidden: [...loaded.hidden],
      };
    };
    for (const [by, namespace, hidden] of [
      [red, 'red', [port]],
      [red, 'infra', [port]],
      [operator, 'infra', []],
      [operator, 'red', []],
    ] as const) {
      const plan = await planFor(by, namespace);
      const [planned] = plan.ports;
      assert.deepEqual([plan.hidden, planned?.outcome, planned?.host], [hidden, 'settled', key], namespace);
      assert.deepEqual(
        [planned?.linked, planned?.wouldLink, planned?.socket],
        ['red/eleven', 'red/eleven', 'Ethernet1'],
      );
      assert.deepEqual(
        plan.hosts.map(({ host, verdict }) => [host, verdict]),
        [[key, 'ready']],
      );
    }
    await eventsOf(red, key);
    await eventsOf(operator, port);
    await assert.rejects(eventsOf(red, port), { code: 403 });
  });

  test('what is beyond the limit is refused on the port, and told by the host', async () => {
    await assert.rejects(link(red, port, 'red/far'), /may use VLANs 10-19, and the configuration has 25/);
    await put(red, { name: 'far' });
    const told = await until(api.hosts, key, ({ status }) => status?.errorType === 'network error');
    assert.match(told.status?.errorMessage ?? '', /may use VLANs 10-19/);
    const loaded = await loadNetwork(red.client, { namespace: 'red' });
    const [planned] = planNetwork({ ...loaded, settings: defaultNetworkSettings }, systemClock.now()).ports;
    assert.deepEqual([planned?.outcome, planned?.reason?.code], ['blocked', 'VLANOutsideLimit']);
    await put(red, { name: 'eleven' });
    await inState('provisioned');
  });

  test('the infra team links no network to a deployed host that would not last there', async () => {
    const refused = /the host red\/r1 is deployed: only configurations of red can be linked/;
    await assert.rejects(link(operator, port, 'infra/pxe'), refused);
  });

  test('taking the link away leaves the port clean', async () => {
    await link(red, port, undefined);
    await until(
      api.hosts,
      key,
      ({ spec }) => spec?.ports?.[0] !== undefined && spec.ports[0].configuration === undefined,
    );
    await untilState(api, port, 'Idle');
    await until(api.ports, port, ({ metadata }) => metadata.annotations?.[linkedByAnnotation] === key);
    assert.deepEqual(onDevice(rack, 'infra/leaf'), {});
  });

  test('what a machine wrote is changed through the machine alone', async () => {
    const metadata = { annotations: { [machinePortsAnnotation]: `${mac}=red/ten` } };
    const consumerRef = { kind: 'Metal3Machine', name: 'm1', namespace: 'red' };
    await edit(operator, { metadata, spec: { consumerRef, ports: [{ ...entry, configuration: ten }] } });
    await untilState(api, port, 'Active', 'ten');
    const refused = /the Metal3Machine red\/m1 has set .*; change its spec\.networkConfiguration/;
    await assert.rejects(link(red, port, 'red/eleven'), refused);
    await assert.rejects(put(red, { name: 'eleven' }), refused);
    await assert.rejects(put(operator, undefined), refused);
    const forgotten = edit(red, { metadata: { annotations: { [machinePortsAnnotation]: null } } });
    await assert.rejects(forgotten, /the Metal3Machine red\/m1 records there what it has set/);
    const next = { annotations: { [machinePortsAnnotation]: `${mac}=red/eleven` } };
    await edit(operator, { metadata: next, spec: { ports: [{ ...entry, configuration: { name: 'eleven' } }] } });
    await untilState(api, port, 'Active', 'eleven');
  });

  test('nobody is said to have changed the switch', async () => {
    const reasons = (await eventsOf(api, port)).map(({ reason }) => reason);
    assert.ok(reasons.includes('Configured') && !reasons.includes('ConfigurationDrifted'), reasons.join(' '));
  });
});
