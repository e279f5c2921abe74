import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createFabric } from '../../../simulator/index.ts';
import { systemClock } from '../../kube/index.ts';
import { createFixtureSwitch, type SwitchEvent } from '../../switches/index.ts';
import { fabricPorts } from './fabric-ports.ts';

const switchName = 'tor-r01-a';
const mac = '52:54:00:AA:00:01';

function openFabric() {
  const fabric = createFabric(
    [{ machine: 'r01-u01', mac, switchName, port: 'Ethernet1/1' }],
    [{ switchName, port: 'Ethernet1/2' }],
  );
  const ports = fabricPorts(fabric, switchName);
  assert.ok(ports !== undefined);
  return { fabric, device: createFixtureSwitch({ clock: systemClock, ports }) };
}

describe('the ports of a simulated switch', () => {
  test('are what is set, in the fabric too, and are read back the same', async () => {
    const { fabric, device } = openFabric();
    const acl = [
      {
        family: 'ipv4',
        action: 'deny',
        protocol: 'tcp',
        source: '192.0.2.0/24',
        sourcePorts: [],
        destinationPorts: [
          { first: 22, last: 22 },
          { first: 80, last: 90 },
        ],
      },
      { family: 'ipv6', action: 'allow', protocol: 'all', sourcePorts: [], destinationPorts: [] },
    ] as const;
    const wanted = { isDisabled: false, untaggedVlan: 10, taggedVlans: [{ first: 20, last: 22 }], acl };
    const results = await device.device.apply([{ port: 'Ethernet1/1', wanted }]);
    assert.equal(results.get('Ethernet1/1')?.kind, 'done');
    const plan = await device.device.plan([{ port: 'Ethernet1/1', wanted }]);
    const planned = plan.get('Ethernet1/1');
    assert.deepEqual(planned?.kind === 'done' && planned.value.differences, []);
    const settings = fabric.port({ switchName, port: 'Ethernet1/1' })?.settings;
    assert.deepEqual(settings?.taggedVlans, [20, 21, 22]);
    const packet = { src: '192.0.2.7', des: '198.51.100.1', protocol: 'TCP', desPort: 85 } as const;
    fabric.configure(
      { switchName, port: 'Ethernet1/2' },
      { ...settings, untaggedVlan: 10, taggedVlans: [], acl: [], isDisabled: false, isLldpOn: true },
    );
    const [from, to] = [
      { switchName, port: 'Ethernet1/1' },
      { switchName, port: 'Ethernet1/2' },
    ];
    assert.equal(fabric.reach(from, to, { packet }).canReach, false);
    assert.equal(fabric.reach(to, from, { packet }).canReach, true);
  });

  test('hear who is plugged in, until the cable is pulled', async () => {
    const { fabric, device } = openFabric();
    const heard = await device.device.readNeighbours();
    assert.deepEqual(heard.kind === 'done' && heard.value, [
      { port: 'Ethernet1/1', chassisId: mac.toLowerCase(), portId: mac.toLowerCase(), systemName: 'r01-u01' },
    ]);
    fabric.plug({ machine: 'r01-u01', mac }, undefined);
    const silence = await device.device.readNeighbours();
    assert.deepEqual(silence.kind === 'done' && silence.value, []);
  });

  test('tell when somebody else changes them, once', async () => {
    const { fabric, device } = openFabric();
    const events: SwitchEvent[] = [];
    device.device.watch((event) => events.push(event));
    const wanted = { isDisabled: false, untaggedVlan: 10, taggedVlans: [], acl: [] };
    await device.device.apply([{ port: 'Ethernet1/1', wanted }]);
    const changes = () => events.filter(({ kind }) => kind === 'changed');
    assert.deepEqual(changes(), [{ kind: 'changed', ports: ['Ethernet1/1'] }]);
    const settings = fabric.port({ switchName, port: 'Ethernet1/1' })?.settings;
    assert.ok(settings !== undefined);
    fabric.configure({ switchName, port: 'Ethernet1/1' }, { ...settings, untaggedVlan: 66 });
    assert.deepEqual(changes().slice(1), [{ kind: 'changed', ports: ['Ethernet1/1'] }]);
  });

  test('are none of a switch that is not there', () => {
    assert.equal(fabricPorts(createFabric([]), 'tor'), undefined);
  });
});
