import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import type { Hardware } from '../machine/hardware.ts';
import { createRandom } from '../time/random.ts';
import { allPersonalities, type Personality } from './index.ts';
import { codeOf, labelAlphabet, macOf, maxFleetSize } from './parts/fleet-numbers.ts';

function describe(personality: Personality, order: { seed: number; index: number }): Hardware {
  const model = personality.models[order.index % personality.models.length] ?? '';
  return personality.describe({
    model,
    index: order.index,
    random: createRandom(order.seed, 'hardware', String(order.index)),
  });
}

/** A fleet in which the vendors take turns, as in a data centre. */
function fleet(servers: number, seed: number): Hardware[] {
  return Array.from({ length: servers }, (_, index) => {
    const personality = allPersonalities[index % allPersonalities.length];
    assert.ok(personality);
    return describe(personality, { seed, index });
  });
}

function assertUnique(what: string, values: readonly string[]): void {
  assert.equal(new Set(values).size, values.length, `${what} repeat`);
}

test('nothing that names a server or a part repeats over 5,000 servers', () => {
  const servers = fleet(5000, 1);
  assertUnique(
    'serial numbers',
    servers.map((server) => server.serial),
  );
  assertUnique(
    'UUIDs',
    servers.map((server) => server.uuid.toLowerCase()),
  );
  assertUnique(
    'board serial numbers',
    servers.map((server) => server.boardSerial),
  );
  const macs = servers.flatMap((server) => [
    server.bmcMac,
    ...server.nics.flatMap((nic) => nic.ports.map((port) => port.mac)),
  ]);
  assertUnique('MAC addresses', macs);
  assert.ok(macs.every((mac) => /^([0-9A-F]{2}:){5}[0-9A-F]{2}$/.test(mac)));
  assertUnique(
    'drive serial numbers',
    servers.flatMap((server) => server.drives.map((drive) => drive.serial)),
  );
  assertUnique(
    'DIMM serial numbers',
    servers.flatMap((server) => server.dimms.map((dimm) => dimm.serial)),
  );
  for (const { uuid } of servers)
    assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/i);
});

for (const personality of allPersonalities) {
  test(`${personality.name}: one seed gives one server, another seed another`, () => {
    const order = { seed: 7, index: 12 };
    assert.deepEqual(describe(personality, order), describe(personality, order));
    assert.notDeepEqual(describe(personality, order), describe(personality, { seed: 8, index: 12 }));
  });

  for (const model of personality.models) {
    test(`${personality.name}: ${model} has two processors, 16 DIMMs, 8 drives, at least 4 NIC ports and two power supplies`, () => {
      const hardware = personality.describe({ model, index: 3, random: createRandom(1, model) });
      assert.equal(hardware.model, model);
      assert.deepEqual(
        [hardware.processors.length, hardware.dimms.length, hardware.drives.length, hardware.psus.length],
        [2, 16, 8, 2],
      );
      const ports = hardware.nics.flatMap((nic) => nic.ports);
      assert.ok(ports.length >= 4 && ports.length <= 8);
      assertUnique(
        'port ids',
        ports.map((port) => port.id),
      );
      for (const places of [hardware.dimms, hardware.drives, hardware.nics, hardware.processors, hardware.psus]) {
        assertUnique(
          'places',
          places.map((part) => part.slot),
        );
      }
    });
  }
}

test('a Dell server is known by the seven characters of its service tag', () => {
  const [dell] = allPersonalities;
  assert.ok(dell);
  const { serial, sku } = describe(dell, { seed: 1, index: 0 });
  assert.match(serial, /^[0-9A-HJ-NPR-Z]{7}$/);
  assert.equal(sku, serial);
});

test('codes of different indexes differ', () => {
  const index = fc.nat(maxFleetSize - 1);
  fc.assert(
    fc.property(index, index, fc.integer({ min: 5, max: 12 }), (first, second, width) => {
      const of = (at: number) => codeOf({ index: at, width, alphabet: labelAlphabet });
      assert.equal(of(first) === of(second), first === second);
      assert.equal(of(first).length, width);
    }),
  );
});

test('a fleet past its largest size gets no MAC addresses', () => {
  assert.throws(() => macOf({ oui: 'D0:94:66', index: maxFleetSize, port: 0 }), RangeError);
});
