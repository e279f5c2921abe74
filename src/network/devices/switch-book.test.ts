import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFakeClock } from '../../kube/index.ts';
import { createFixtureRack } from '../../switches/index.ts';
import { defaultNetworkSettings } from '../settings.ts';
import { createSwitchBook } from './switch-book.ts';

const at = { namespace: 'infra', name: 'leaf' };
const door = {
  key: 'infra/leaf',
  version: 'v1',
  place: 'here',
  access: { kind: 'FixtureSwitch', ...at, spec: {} },
} as const;

function rig() {
  const clock = createFakeClock();
  const rack = createFixtureRack({ clock });
  rack.open(at, {});
  const fixture = rack.switchOf(at);
  assert.ok(fixture !== undefined);
  const listener = { onChanged: () => undefined, onVerified: () => undefined, onStanding: () => undefined };
  const providers = { open: () => rack.open(at, {}) };
  const book = createSwitchBook({ providers, clock, settings: defaultNetworkSettings, listener });
  const since = () => {
    const standing = book.standingOf(door.key);
    return standing.kind === 'ready' ? standing.since : undefined;
  };
  return { clock, fixture, book, since };
}

test('what failed is not over because the switch answers, but because it answers again', async () => {
  const { clock, fixture, book, since } = rig();
  await book.verify(door);
  const first = since();
  clock.advance(1000);
  book.doubt(door.key);
  await book.verify(door);
  assert.equal(since(), first);
  fixture.faults.add({ fault: 'unreachable' });
  await book.verify(door);
  assert.equal(since(), undefined);
  fixture.faults.clear();
  clock.advance(1000);
  await book.verify(door);
  assert.equal(since(), clock.now());
});

test('a switch that is reached in another way has said nothing until it is asked', async () => {
  const { fixture, book } = rig();
  await book.verify(door);
  assert.equal(book.standingOf(door.key).kind, 'ready');
  fixture.faults.add({ fault: 'unreachable' });
  const asking = book.verify({ ...door, version: 'v2', place: 'there' });
  await Promise.resolve();
  assert.equal(book.standingOf(door.key).kind, 'waiting');
  await asking;
  fixture.faults.clear();
  await book.verify({ ...door, version: 'v2', place: 'there' });
  const standing = book.standingOf(door.key);
  assert.equal(standing.kind === 'ready' && standing.unit, 'there');
});
