import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSqliteDatabase } from '../../engine/index.ts';
import { createFakeClock, systemClock } from '../../kube/index.ts';
import { handDriven, handOrder } from './testing/hand-driven.ts';
import { startedAgents } from './testing/started-agents.ts';

test('a machine that loses power once all is written, and starts from its disk, is provisioned', async (t) => {
  const started = await startedAgents(t, { times: { silenceMs: 60_000 } });
  const { ask, end, provision, deprovision } = await handDriven(started, 1);
  assert.equal((await provision()).kind, 'continue');
  await end(await ask());
  assert.equal((await provision()).kind, 'continue', 'it is told to restart');
  await started.clock.advance(59_999);
  assert.equal((await provision()).kind, 'continue', 'it may still come');
  await started.clock.advance(1);
  assert.equal((await provision()).kind, 'done');
  assert.equal((await ask()).status, 401);
  assert.equal((await deprovision()).kind, 'busy');
});

test('nobody is taken to be silent by an endpoint that has only just begun to listen', async (t) => {
  const database = await openSqliteDatabase({ path: ':memory:', clock: systemClock });
  t.after(() => database.close());
  const first = await startedAgents(t, { database });
  const { host, ask, end, provision } = await handDriven(first, 1);
  assert.equal((await provision()).kind, 'continue');
  await end(await ask());
  assert.equal((await provision()).kind, 'continue');
  // A day later, when the time of all that was given is over.
  const clock = createFakeClock(first.clock.now() + 24 * 3600_000);
  const later = await startedAgents(t, { database, clock });
  const again = () => later.agents.provisioners.of(host).provision(handOrder);
  assert.equal((await again()).kind, 'continue', 'neither failed nor provisioned');
  await clock.advance(120_000);
  assert.equal((await again()).kind, 'done');
});
