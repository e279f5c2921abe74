import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { dellIdrac9 } from '../personalities/dell-idrac9/personality.ts';
import { hpeIlo5 } from '../personalities/hpe-ilo5/personality.ts';
import { createFabric } from '../switches/fabric.ts';
import { FleetError } from './errors.ts';
import { type FleetOrder, planFleet } from './plan-fleet.ts';

const personalities = [dellIdrac9, hpeIlo5];

function plan(order: Partial<FleetOrder> = {}) {
  return planFleet({ seed: 1, servers: 5, racks: 2, personalities, ...order });
}

test('servers are named by rack and position, and racks differ by one server at most', () => {
  assert.deepEqual(
    plan().servers.map(({ name, rack, position }) => [name, rack, position]),
    [
      ['r01-s01', 1, 1],
      ['r01-s02', 1, 2],
      ['r01-s03', 1, 3],
      ['r02-s01', 2, 1],
      ['r02-s02', 2, 2],
    ],
  );
});

test('forty servers go into a rack unless told otherwise, and names stay sortable', () => {
  const { servers } = planFleet({ seed: 1, servers: 4001, personalities });
  assert.equal(servers.at(-1)?.rack, 101);
  const names = servers.map(({ name }) => name);
  assert.deepEqual([...names].sort(), names);
  assert.equal(names[0], 'r001-s01');
});

test('kinds of BMC are cycled through, each with a model of its vendor and its administrator', () => {
  for (const { index, personality, model, hardware, username } of plan().servers) {
    assert.equal(personality, personalities[index % 2]);
    assert.ok(personality.models.includes(model));
    assert.equal(hardware.model, model);
    assert.equal(username, index % 2 === 0 ? 'root' : 'Administrator');
  }
});

test('one seed gives one plan, another seed other passwords and parts', () => {
  const facts = (seed: number) => plan({ seed }).servers.map(({ password, hardware }) => ({ password, hardware }));
  assert.deepEqual(facts(7), facts(7));
  const both = [...facts(7), ...facts(8)];
  assert.equal(new Set(both.map(({ password }) => password)).size, both.length);
  assert.notDeepEqual(facts(7), facts(8));
});

test('the first servers of a fleet are the same however large it is', () => {
  const few = planFleet({ seed: 3, servers: 10, racks: 1, personalities });
  const many = planFleet({ seed: 3, servers: 40, racks: 1, personalities });
  assert.deepEqual(many.servers.slice(0, 10), few.servers);
});

test('NIC ports go to the two switches of the rack in turn, BMCs to the management switch', () => {
  const fourPorts = {
    ...hpeIlo5,
    describe: (order: Parameters<typeof hpeIlo5.describe>[0]) => {
      const hardware = hpeIlo5.describe(order);
      const nic = hardware.nics[0];
      const ports = [1, 2, 3, 4].map((id) => ({
        id: String(id),
        mac: `02:00:00:00:0${order.index}:0${id}`,
        speedMbps: 25_000,
      }));
      return { ...hardware, nics: nic === undefined ? [] : [{ ...nic, ports }] };
    },
  };
  const { cables, servers } = plan({ personalities: [fourPorts] });
  const own = cables
    .filter(({ machine }) => machine === 'r02-s02')
    .map(({ switchName, port }) => `${switchName} ${port}`);
  assert.deepEqual(own, [
    'tor-r02-a Ethernet1/3',
    'tor-r02-b Ethernet1/3',
    'tor-r02-a Ethernet1/4',
    'tor-r02-b Ethernet1/4',
    'mgmt-r02 Ethernet1/2',
  ]);
  assert.equal(cables.at(-1)?.mac, servers.at(-1)?.hardware.bmcMac);
});

test('every port of every server is plugged in, no switch port is used twice, and all exist', () => {
  const order = fc.record({
    seed: fc.nat(),
    servers: fc.integer({ min: 1, max: 90 }),
    racks: fc.integer({ min: 1, max: 4 }),
  });
  fc.assert(
    fc.property(order, ({ seed, servers, racks }) => {
      fc.pre(racks <= servers);
      const { cables, switches, servers: placed } = planFleet({ seed, servers, racks, personalities });
      const macs = placed.flatMap(({ hardware }) => [
        ...hardware.nics.flatMap((nic) => nic.ports.map(({ mac }) => mac)),
        hardware.bmcMac,
      ]);
      assert.deepEqual(new Set(cables.map(({ mac }) => mac)), new Set(macs));
      assert.equal(cables.length, macs.length);
      assert.equal(new Set(cables.map(({ switchName, port }) => `${switchName} ${port}`)).size, cables.length);
      const sizes = new Map(switches.map(({ name, ports }) => [name, ports]));
      for (const { switchName, port } of cables) {
        assert.ok(Number(port.replace('Ethernet1/', '')) <= (sizes.get(switchName) ?? 0), `${switchName} ${port}`);
      }
    }),
    { numRuns: 50 },
  );
});

test('a NIC finds its neighbour however its MAC is spelled, and it is what the switches say', () => {
  const fleet = plan();
  const fabric = createFabric(fleet.cables);
  for (const { mac } of fleet.cables) {
    assert.deepEqual(fleet.neighbourOf(mac.toLowerCase()), fabric.neighbourOf(mac));
    assert.deepEqual(fleet.neighbourOf(mac.toUpperCase()), fabric.neighbourOf(mac));
  }
  assert.equal(fleet.neighbourOf('00:00:00:00:00:00'), undefined);
});

test('orders that make no sense are refused', () => {
  const wrong: [Partial<FleetOrder>, string][] = [
    [{ servers: 0 }, 'NoServers'],
    [{ servers: 1.5 }, 'NoServers'],
    [{ servers: 60_001, racks: 1 }, 'NoServers'],
    [{ racks: 0 }, 'BadRacks'],
    [{ racks: 6 }, 'BadRacks'],
    [{ personalities: [] }, 'NoPersonalities'],
  ];
  for (const [order, code] of wrong) {
    assert.throws(
      () => plan(order),
      (error) => error instanceof FleetError && error.code === code,
      code,
    );
  }
});
