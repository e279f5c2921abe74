import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { fc } from '#fast-check';
import { personalityNames } from '../../simulator/index.ts';
import { connectBmc, createGates, isBmcError } from '../../src/bmc/index.ts';
import { createHurriedClock } from '../../src/bmc/testing/hurried-clock.ts';
import { change } from './mutate-answer.ts';
import { operations } from './operations.ts';
import { recordBmcs } from './recorded-bmc.ts';
import { type SpoiltServer, startSpoiltServer } from './spoilt-server.ts';

const seed = 20_260_502;
/** Tries of one request, its log-ins, and the log-out. */
const mostTries = 12;

let recording: Awaited<ReturnType<typeof recordBmcs>>;
let server: SpoiltServer;
const fed = new Set<string>();
const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown): void => void unhandled.push(reason);

before(async () => {
  process.on('unhandledRejection', onUnhandled);
  [recording, server] = await Promise.all([recordBmcs(), startSpoiltServer()]);
});

after(async () => {
  process.off('unhandledRejection', onUnhandled);
  await server.close();
  await recording.close();
});

const plan = fc.record({
  bmc: fc.nat(personalityNames.length - 1),
  operation: fc.nat(operations.length - 1),
  every: fc.constantFrom(1, 2, 3, 5),
  first: fc.nat(6),
  changes: fc.array(change, { minLength: 1, maxLength: 6 }),
});

test('over real connections, whatever a BMC answers, there is a result or a BmcError, and nothing hangs', async (t) => {
  const property = fc.asyncProperty(plan, async ({ bmc: index, operation: chosen, ...spoiling }) => {
    const recorded = recording.bmcs[index];
    const operation = operations[chosen];
    assert.ok(recorded !== undefined && operation !== undefined);
    server.spoil({ ...spoiling, recorded, onSpoilt: (text) => void fed.add(hash('sha256', text, 'base64')) });
    const clock = createHurriedClock(recorded.started.startedAt);
    const random = () => 0.5;
    const gates = createGates({ clock, random });
    const credentials = async () => ({ username: 'admin', password: 'secret-word' });
    const endpoint = { origin: server.origin, credentials, trust: { kind: 'system' as const, allowsHttp: true } };
    try {
      await operation.run(connectBmc({ gates, endpoint, clock, random }), recorded);
    } catch (error) {
      if (!isBmcError(error)) throw error;
      assert.ok(error.message.length > 10 && !error.message.includes('secret-word'), error.message);
    } finally {
      await gates.close();
    }
    assert.ok(server.requests <= operation.most * mostTries, `${operation.name}: ${server.requests} requests`);
    assert.equal(clock.pending, 0, `${operation.name} left timers`);
  });
  await fc.assert(property, { seed, numRuns: 400 });
  assert.deepEqual(unhandled, []);
  t.diagnostic(`${fed.size} different mutated answers came over real connections`);
  assert.ok(fed.size >= 500, `${fed.size} mutated answers`);
});
