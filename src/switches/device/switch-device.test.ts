import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFakeClock, systemClock } from '../../kube/index.ts';
import { createFixtureRack, createFixtureSwitch, createMemoryPorts } from '../fixture/index.ts';
import type { PortSettings } from '../port-settings.ts';

const access = (untaggedVlan: number): PortSettings => ({ isDisabled: false, untaggedVlan, taggedVlans: [], acl: [] });
const fresh = () => createFixtureSwitch({ clock: systemClock, ports: createMemoryPorts(['e1', 'e2']) });

test('a port that is as wanted is read and not written', async () => {
  const fixture = fresh();
  await fixture.device.apply([{ port: 'e1', wanted: access(10) }]);
  await fixture.device.apply([{ port: 'e1', wanted: access(10) }]);
  assert.equal(fixture.writes, 1);
});

test('a switch that says yes and does nothing is found out', async () => {
  const fixture = fresh();
  fixture.faults.add({ fault: 'ignored', on: 'write' });
  const result = (await fixture.device.apply([{ port: 'e1', wanted: access(10) }])).get('e1');
  assert.equal(result?.kind, 'mismatch');
  assert.match(result?.kind === 'mismatch' ? result.message : '', /untaggedVlan none -> 10/);
});

test('a change whose answer is lost is uncertain, and its port is found changed', async () => {
  const clock = createFakeClock();
  const fixture = createFixtureSwitch({ clock, ports: createMemoryPorts(['e1']), timeoutMs: 1000 });
  fixture.faults.add({ fault: 'answer-lost', on: 'write', times: 1 });
  const applying = fixture.device.apply([{ port: 'e1', wanted: access(10) }]);
  while (fixture.writes === 0) await Promise.resolve();
  clock.advance(1000);
  assert.equal((await applying).get('e1')?.kind, 'uncertain');
  assert.equal(fixture.portOf('e1')?.untaggedVlan, 10);
});

test('a switch that never answers a read is unreachable after its time, and the next change has its turn', async () => {
  const clock = createFakeClock();
  const fixture = createFixtureSwitch({ clock, ports: createMemoryPorts(['e1', 'e2']), timeoutMs: 1000 });
  fixture.faults.add({ fault: 'silent', on: 'read', times: 1 });
  const first = fixture.device.apply([{ port: 'e1', wanted: access(10) }]);
  const second = fixture.device.apply([{ port: 'e2', wanted: access(20) }]);
  await clock.untilPending();
  clock.advance(1000);
  assert.equal((await first).get('e1')?.kind, 'unreachable');
  assert.equal((await second).get('e2')?.kind, 'done');
});

test('changes are made one call at a time, in the order they were asked for', async () => {
  const fixture = fresh();
  const vlans = [10, 20, 30, 40];
  await Promise.all(vlans.map((vlan) => fixture.device.apply([{ port: 'e1', wanted: access(vlan) }])));
  assert.deepEqual(
    fixture.calls,
    vlans.flatMap(() => ['read', 'write', 'read']),
  );
  assert.equal(fixture.portOf('e1')?.untaggedVlan, 40);
});

test('one port that fails does not keep the others from being set', async () => {
  const fixture = fresh();
  fixture.faults.add({ fault: 'refused', on: 'write', port: 'e1' });
  const results = await fixture.device.apply([
    { port: 'e1', wanted: access(10) },
    { port: 'e2', wanted: access(20) },
  ]);
  assert.deepEqual([results.get('e1')?.kind, results.get('e2')?.kind], ['refused', 'done']);
});

test('what a switch cannot tell is written each time, and what it cannot do is refused before anything is written', async () => {
  const fixture = createFixtureSwitch({
    clock: systemClock,
    ports: createMemoryPorts(['e1']),
    abilities: { reads: ['untaggedVlan', 'taggedVlans'], writes: ['untaggedVlan', 'taggedVlans'] },
  });
  const kindOf = async (wanted: PortSettings) => (await fixture.device.apply([{ port: 'e1', wanted }])).get('e1')?.kind;
  assert.equal(await kindOf(access(10)), 'done');
  assert.equal(await kindOf(access(10)), 'done');
  assert.equal(fixture.writes, 2);
  assert.equal(await kindOf({ ...access(10), isDisabled: true }), 'unsupported');
  assert.equal(fixture.writes, 2);
});

test('a rack keeps its switches by name, with the faults of their latest spec', async () => {
  const rack = createFixtureRack({ clock: systemClock });
  const name = { namespace: 'fleet', name: 'leaf1' };
  const kindOf = async (spec: Parameters<typeof rack.open>[1]) => (await rack.open(name, spec).verify()).kind;
  assert.equal(await kindOf({ faults: { unreachable: true } }), 'unreachable');
  assert.equal(await kindOf({ faults: { rejectCredentials: true } }), 'denied');
  assert.equal(await kindOf({}), 'done');
  await rack.open(name, {}).apply([{ port: 'any', wanted: access(7) }]);
  assert.equal(rack.switchOf(name)?.portOf('any')?.untaggedVlan, 7);
  assert.equal(rack.switchOf({ namespace: 'fleet', name: 'leaf2' }), undefined);
});
