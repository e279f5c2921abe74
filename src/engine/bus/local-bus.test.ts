import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createFakeClock } from '../../kube/index.ts';
import { createMetrics } from '../../telemetry/index.ts';
import type { BusHint } from './bus.ts';
import { busContract } from './contract/bus-contract.ts';
import { until } from './contract/until.ts';
import { createLocalBus } from './local-bus.ts';

busContract('local', async () => {
  const clock = createFakeClock();
  const bus = createLocalBus({ clock });
  return {
    open: async () => bus,
    passTime: (ms) => clock.advance(ms),
    close: () => bus.close(),
  };
});

it('takes turns exactly, whoever else takes other work', async () => {
  const bus = createLocalBus();
  const got: string[] = [];
  const take = (workerId: string, kinds: string[]) =>
    bus.takeWork({ facilities: ['f'], kinds, workerId }, () => void got.push(workerId));
  await take('a', ['x', 'y']);
  await take('b', ['x']);
  await take('c', ['x']);
  const publish = (kind: string) => bus.publish({ about: 'work', facility: 'f', kind, conditionId: 'c' });
  for (const kind of ['x', 'x', 'x', 'x', 'y', 'x', 'x']) await publish(kind);
  await until('all came', () => got.length === 7);
  assert.deepEqual(got, ['a', 'b', 'c', 'a', 'a', 'b', 'c']);
  await bus.close();
});

it('lets the process do other things while a listener answers every hint with a hint', async () => {
  const bus = createLocalBus();
  let count = 0;
  await bus.listen(() => {
    count++;
    void bus.publish({ about: 'online', workerId: 'echo' });
  });
  await bus.publish({ about: 'online', workerId: 'echo' });
  await until('it went round', () => count > 1000);
  await bus.close();
  const end = count;
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(count, end);
});

it('counts what it did and which listeners failed', async () => {
  const metrics = createMetrics();
  const bus = createLocalBus({ metrics });
  const seen: BusHint[] = [];
  await bus.listen(() => {
    throw new Error('no');
  });
  await bus.listen((hint) => void seen.push(hint));
  await bus.publish({ about: 'online', workerId: 'w' });
  await until('it came', () => seen.length === 1);
  await bus.close();
  await bus.publish({ about: 'online', workerId: 'w' });
  const text = await metrics.expose();
  assert.match(text, /rackwright_bus_hints_published_total\{about="online"\} 1/);
  assert.match(text, /rackwright_bus_hints_received_total\{about="online"\} 2/);
  assert.match(text, /rackwright_bus_listener_failures_total\{about="online"\} 1/);
  assert.match(text, /rackwright_bus_hints_dropped_total\{about="online",why="closed"\} 1/);
});
