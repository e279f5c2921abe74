import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { PortName } from '../../simulator/index.ts';
import type { BareMetalHost } from '../../src/api/index.ts';
import type { ConnectionSpec, KubeObject } from '../../src/kube/index.ts';
import { putConfiguration, putLimit, until, untilEvent, untilGone, untilState } from '../../src/network/testing/rig.ts';
import { infra, openPortsPlane, type PortsPlane, tenant } from './ports-plane.ts';

const host = `${tenant}/h1`;
const at = { namespace: tenant, name: 'h1' };
const image = { url: 'http://images.example/a.qcow2', checksum: 'abc' };

/** The stories of automatic network configuration, from hosts to frames between simulated machines. */
export function runPortsContract(name: string, connect: () => Promise<ConnectionSpec>): void {
  describe(`switch ports that follow their hosts, on ${name}`, { timeout: 300_000 }, () => {
    let plane: PortsPlane;
    let first: string;
    let second: string;
    let [own, boot, friend, stranger]: PortName[] = [];
    const put = (port: PortName | undefined, untaggedVlan: number | undefined): void => {
      assert.ok(port !== undefined);
      const settings = { isDisabled: false, untaggedVlan, taggedVlans: [], acl: [], isLldpOn: true };
      assert.equal(plane.dataCentre.fabric.configure(port, settings), 'ok');
    };
    const talks = (to: PortName | undefined): boolean => {
      assert.ok(own !== undefined && to !== undefined);
      return plane.dataCentre.fabric.canTalk(own, to);
    };
    const portOf = (port: PortName | undefined): string => {
      assert.ok(port !== undefined);
      return `${infra}/${plane.entryOf(plane.dataCentre.fabric.port(port)?.nic?.mac ?? '').port.name}`;
    };
    const inState =
      (state: string) =>
      ({ status }: BareMetalHost & KubeObject) =>
        status?.provisioning.state === state;
    const conditionOf = ({ status }: BareMetalHost, type: string) =>
      status?.conditions?.find((each) => each.type === type);
    const isConfigured = (each: BareMetalHost) => conditionOf(each, 'NetworkConfigured')?.status === 'True';
    const edit = (spec: object) => plane.api.hosts.patch(at, { type: 'merge', body: { spec } });

    before(async () => {
      plane = await openPortsPlane(await connect());
      [first = '', second = ''] = plane.macsOf(0);
      [own, boot, friend, stranger] = [0, 1, 2, 3].map((server) => plane.plugOf(plane.macsOf(server)[0] ?? ''));
      // Nobody has set the ports of the machine yet, and the provisioning network is where the boot server is.
      put(own, undefined);
      put(boot, 100);
      put(friend, 10);
      put(stranger, 20);
      await putConfiguration(plane.api, `${infra}/pxe`, { untaggedVLAN: 100 });
      const acl = [
        { type: 'ipv4', action: 'deny', protocol: 'TCP', desPortRange: '22' },
        { type: 'ipv4', action: 'allow', protocol: 'ALL' },
      ] as const;
      await putConfiguration(plane.api, `${tenant}/blue`, { untaggedVLAN: 10, acl: [...acl] });
      await putLimit(plane.api, tenant, '10-19');
    });
    after(() => plane?.close());

    test('a port that cannot be set keeps a machine from being inspected, and the host says which one and why', async () => {
      const { api } = plane;
      const fixture = { namespace: infra, name: own?.switchName ?? '' };
      const fail = (unreachable: boolean) =>
        api.fixtures.patch(fixture, { type: 'merge', body: { spec: { faults: { unreachable } } } });
      await untilState(api, portOf(own), 'Idle');
      await fail(true);
      await until(api.switches, fixture, ({ status }) =>
        (status?.conditions ?? []).some((each) => each.type === 'Reachable' && each.status === 'False'),
      );
      const provisioningConfiguration = { name: 'pxe', namespace: infra };
      await plane.putHost('h1', {
        server: 0,
        ports: [
          plane.entryOf(first, { provisioningConfiguration, configuration: { name: 'blue' } }),
          plane.entryOf(second),
        ],
      });
      const held = await until(api.hosts, host, ({ status }) => status?.errorType === 'network error');
      assert.equal(held.status?.provisioning.state, 'registering');
      assert.match(
        held.status?.errorMessage ?? '',
        new RegExp(`^Port ${portOf(own)} of ${first.toLowerCase()}: .*does not answer`),
      );
      assert.equal(conditionOf(held, 'NetworkConfigured')?.reason, 'SwitchUnreachable');
      assert.deepEqual(plane.boots, []);
      await fail(false);
    });

    test('1: before provisioning the machine is on the provisioning network', async () => {
      const ready = await until(plane.api.hosts, host, inState('available'));
      assert.deepEqual([...new Set(plane.boots)], ['inspect booted']);
      assert.equal(talks(boot), true);
      assert.equal(talks(friend), false);
      assert.equal(ready.status?.errorType, undefined);
      assert.equal(isConfigured(ready), true);
      assert.deepEqual(
        [conditionOf(ready, 'NetworkCabling')?.reason, conditionOf(ready, 'NetworkCabling')?.message],
        ['AsListed', 'Inspection found all interfaces of spec.ports; 2 of 2 heard their switch by LLDP.'],
      );
      const port = await untilState(plane.api, portOf(own), 'Active', 'pxe');
      assert.deepEqual(port.status?.hostRef, { name: 'h1', namespace: tenant });
      assert.match(await untilEvent(plane.api, { about: host, reason: 'NetworkError' }), /does not answer/);
      await untilEvent(plane.api, { about: host, reason: 'NetworkConfigured' });
    });

    test('2 and 3: after provisioning it is off that network, and on the one that its user named, with its access list', async () => {
      await edit({ image });
      await until(plane.api.hosts, host, (each) => inState('provisioned')(each) && isConfigured(each));
      assert.deepEqual([...new Set(plane.boots.splice(0))], ['inspect booted', 'provision booted']);
      assert.equal(talks(boot), false);
      assert.equal(talks(friend), true);
      assert.equal(talks(stranger), false);
      const { fabric } = plane.dataCentre;
      const packet = { src: '192.0.2.1', des: '192.0.2.2', protocol: 'TCP' } as const;
      assert.ok(own !== undefined && friend !== undefined);
      assert.equal(fabric.reach(own, friend, { packet: { ...packet, desPort: 443 } }).canReach, true);
      assert.equal(fabric.reach(own, friend, { packet: { ...packet, desPort: 22 } }).canReach, false);
      await until(plane.api.limits, `${tenant}/user-limit`, ({ status }) => status?.usedVLANRange === '10');
    });

    test('another network can be had by another configuration, within the limit only', async () => {
      await putConfiguration(plane.api, `${tenant}/red`, { untaggedVLAN: 20 });
      const ports = (name: string) => [
        plane.entryOf(first, {
          provisioningConfiguration: { name: 'pxe', namespace: infra },
          configuration: { name },
        }),
        plane.entryOf(second),
      ];
      await edit({ ports: ports('red') });
      const refused = await until(plane.api.hosts, host, ({ status }) => status?.errorType === 'network error');
      assert.equal(refused.status?.provisioning.state, 'provisioned');
      assert.match(refused.status?.errorMessage ?? '', /the namespace tenant may use VLANs 10-19/);
      assert.equal(talks(stranger), false);
      await edit({ ports: ports('blue') });
      await until(plane.api.hosts, host, (each) => each.status?.errorType === undefined && isConfigured(each));
      assert.equal(talks(friend), true);
    });

    test('somebody who changes the port at the switch is undone', async () => {
      put(own, 20);
      const port = await until(plane.api.ports, portOf(own), () => talks(friend));
      assert.equal(talks(stranger), false, JSON.stringify(port.status));
    });

    test('4: before deprovisioning it is back on the provisioning network', async () => {
      await edit({ image: null });
      await until(plane.api.hosts, host, inState('available'));
      assert.deepEqual([...new Set(plane.boots.splice(0))], ['deprovision booted']);
      assert.equal(talks(boot), true);
      assert.equal(talks(friend), false);
    });

    test('a cable in the wrong socket is found out by the next inspection', async () => {
      const { fabric } = plane.dataCentre;
      const nic = fabric.port(plane.plugOf(second))?.nic;
      const place = plane.plugOf(second);
      const spare = plane.plugOf(plane.macsOf(3)[1] ?? '');
      const other = fabric.port(spare)?.nic;
      assert.ok(nic !== undefined && other !== undefined);
      assert.equal(fabric.plug(other, undefined), 'ok');
      assert.equal(fabric.plug(nic, spare), 'ok');
      const annotations = { 'inspect.metal3.io': '' };
      await plane.api.hosts.patch(at, { type: 'merge', body: { metadata: { annotations } } });
      const wrong = await until(
        plane.api.hosts,
        host,
        (each) => conditionOf(each, 'NetworkCabling')?.status === 'False',
      );
      assert.equal(conditionOf(wrong, 'NetworkCabling')?.reason, 'LLDPMismatch');
      assert.match(
        conditionOf(wrong, 'NetworkCabling')?.message ?? '',
        new RegExp(`${second.toLowerCase()} hears the`),
      );
      assert.equal(fabric.plug(nic, place), 'ok');
    });

    test('5: what was made for the machine is cleared when it goes', async () => {
      await plane.api.hosts.delete(at);
      await untilGone(plane.api.hosts, host);
      assert.equal(talks(boot), false);
      assert.equal(talks(friend), false);
      const port = await untilState(plane.api, portOf(own), 'Idle');
      assert.equal(port.spec?.configuration, undefined);
      await until(plane.api.limits, `${tenant}/user-limit`, ({ status }) => status?.usedVLANRange === '');
    });

    test('a clean port stays clean, also when somebody sets it at the switch', async () => {
      put(own, 100);
      await until(plane.api.ports, portOf(own), ({ status }) => status?.state === 'Idle' && !talks(boot));
    });

    test('a host without ports is taken as it is, and leaves the ports of its machine as they are', async () => {
      put(friend, 100);
      await plane.putHost('h2', { server: 2 });
      const ready = await until(plane.api.hosts, `${tenant}/h2`, inState('available'));
      assert.equal(conditionOf(ready, 'NetworkConfigured'), undefined);
      assert.ok(friend !== undefined && boot !== undefined);
      assert.equal(plane.dataCentre.fabric.canTalk(friend, boot), true);
    });
  });
}
