import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openSqliteDatabase } from '../../engine/index.ts';
import { systemClock } from '../../kube/index.ts';
import { handDriven, handOrder } from './testing/hand-driven.ts';
import { startedAgents } from './testing/started-agents.ts';

describe('a command', () => {
  test('that another process has seen to its end is not handed out by the one that laid it out first', async (t) => {
    const database = await openSqliteDatabase({ path: ':memory:', clock: systemClock });
    t.after(() => database.close());
    const first = await startedAgents(t, { database });
    const second = await startedAgents(t, { database });
    const { id, token, host, provision } = await handDriven(first, 1);
    assert.equal((await provision()).kind, 'continue');
    const atSecond = second.agents.provisioners.of(host);
    const path = `/${id}/command`;
    assert.equal((await atSecond.provision(handOrder)).kind, 'continue');
    const command = await second.ask('GET', path, { token });
    assert.equal(command.body.name, 'standby.prepare_image');
    const ended = { token, body: { status: 'SUCCEEDED' } };
    assert.equal((await second.ask('PUT', `${path}/${String(command.body.id)}`, ended)).status, 200);
    assert.equal((await first.ask('GET', path, { token })).status, 204, 'it was done already');
  });

  test('that was taken back before any agent heard of it is told nobody, and nothing is left to erase', async (t) => {
    const started = await startedAgents(t, { times: { silenceMs: 60_000 } });
    const { introduce, ask, provision, deprovision } = await handDriven(started, 1);
    await started.clock.advance(60_000);
    assert.equal((await provision()).kind, 'continue');
    assert.equal((await deprovision()).kind, 'done');
    const fresh = String((await introduce()).body.token);
    assert.equal((await ask(fresh)).status, 204);
    assert.equal((await provision()).kind, 'continue', 'the next one begins anew');
    assert.equal((await ask(fresh)).body.name, 'standby.prepare_image');
  });

  test('that was taken back while its agent was away is not told when it comes again: its disk is erased', async (t) => {
    const started = await startedAgents(t, { times: { silenceMs: 60_000 } });
    const { introduce, ask, provision, deprovision } = await handDriven(started, 1);
    assert.equal((await provision()).kind, 'continue');
    assert.equal((await ask()).body.name, 'standby.prepare_image');
    await started.clock.advance(60_000);
    assert.equal((await deprovision()).kind, 'busy');
    const fresh = String((await introduce()).body.token);
    assert.equal((await ask(fresh)).status, 204, 'nothing of what was taken back');
    assert.equal((await deprovision()).kind, 'continue');
    assert.equal((await ask(fresh)).body.name, 'clean.execute_clean_step');
  });

  test('whose time is over is told nobody', async (t) => {
    const started = await startedAgents(t, { times: { commandMs: 60_000 } });
    const { ask, provision } = await handDriven(started, 1);
    assert.equal((await provision()).kind, 'continue');
    await started.clock.advance(60_000);
    assert.equal((await ask()).status, 204);
    assert.equal((await provision(true)).kind, 'continue');
    assert.equal((await ask()).body.name, 'standby.prepare_image');
  });

  test('that was taken back after all was written asks for an introduction: what was written may run', async (t) => {
    const started = await startedAgents(t);
    const { introduce, ask, end, provision, deprovision } = await handDriven(started, 1);
    assert.equal((await provision()).kind, 'continue');
    await end(await ask());
    assert.equal((await deprovision()).kind, 'busy');
    assert.equal((await ask()).status, 401);
    const fresh = String((await introduce()).body.token);
    assert.equal((await deprovision()).kind, 'continue');
    assert.equal((await ask(fresh)).body.name, 'clean.execute_clean_step');
  });
});
