import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainPersonality } from '../../personalities/testing/plain-personality.ts';
import { createAskedMachine } from './testing/ask.ts';
import { messageIds } from './testing/messages.ts';

const sessions = '/redfish/v1/SessionService/Sessions';
const right = { UserName: 'admin', Password: 'right-password' };

test('a log-in gives a token and the address of a session that can be read and closed', async () => {
  const { ask, get, machine } = createAskedMachine();
  for (const path of [sessions, `${sessions}/Members`]) {
    const answer = await ask('POST', path, { body: right });
    assert.equal(answer.status, 201);
    const location = answer.headers?.Location ?? '';
    assert.notEqual(machine.sessions.find(answer.headers?.['X-Auth-Token'] ?? ''), undefined);
    assert.equal((await get(location)).UserName, 'admin');
    assert.doesNotMatch(JSON.stringify(answer.body), new RegExp(answer.headers?.['X-Auth-Token'] ?? 'none'));
    assert.equal((await ask('DELETE', location)).status, 204);
    assert.equal((await ask('DELETE', location)).status, 404);
  }
});

test('a log-in is refused when it is malformed, wrong, or one too many', async () => {
  const { ask } = createAskedMachine();
  assert.deepEqual(messageIds(await ask('POST', sessions, { body: { UserName: 'admin' } })), [
    'Base.1.8.PropertyMissing',
  ]);
  const wrong = await ask('POST', sessions, { body: { ...right, Password: 'wrong-password' } });
  assert.equal(wrong.status, 401);
  assert.doesNotMatch(JSON.stringify(wrong.body), /wrong-password/);
  for (let count = 0; count < plainPersonality.limits.sessions; count++) {
    assert.equal((await ask('POST', sessions, { body: right })).status, 201);
  }
  const excess = await ask('POST', sessions, { body: right });
  assert.equal(excess.status, 503);
  assert.deepEqual(messageIds(excess), ['Base.1.8.SessionLimitExceeded']);
});

test('an account locks after bad log-ins, says so, and opens again', async () => {
  const { ask, get, clock } = createAskedMachine();
  for (let count = 0; count < 3; count += 1) {
    await ask('POST', sessions, { body: { ...right, Password: 'wrong-password' } });
  }
  const locked = await ask('POST', sessions, { body: right });
  assert.equal(locked.status, 401);
  assert.match(JSON.stringify(locked.body), /locked/);
  assert.equal((await get('/redfish/v1/AccountService/Accounts/1')).Locked, true);
  await clock.advance(10 * 60_000);
  assert.equal((await ask('POST', sessions, { body: right })).status, 201);
});

test('the account service tells its lockout limits and does not let them be changed', async () => {
  const { ask, get } = createAskedMachine();
  const service = await get('/redfish/v1/AccountService');
  assert.equal(service.AccountLockoutThreshold, 3);
  assert.equal(service.AccountLockoutDuration, 120);
  const answer = await ask('PATCH', '/redfish/v1/AccountService', { body: { AccountLockoutThreshold: 9 } });
  assert.deepEqual(messageIds(answer), ['Base.1.8.PropertyNotWritable']);
});

test('a new password counts from then on, and one that is too short is refused without being repeated', async () => {
  const { ask } = createAskedMachine();
  const account = '/redfish/v1/AccountService/Accounts/1';
  const short = await ask('PATCH', account, { body: { Password: 'short' } });
  assert.equal(short.status, 400);
  assert.doesNotMatch(JSON.stringify(short.body), /"short"/);
  assert.equal((await ask('PATCH', account, { body: { Password: 'another-password' } })).status, 200);
  assert.equal((await ask('POST', sessions, { body: right })).status, 401);
  assert.equal((await ask('POST', sessions, { body: { ...right, Password: 'another-password' } })).status, 201);
  assert.deepEqual(messageIds(await ask('PATCH', account, { body: { RoleId: 'Operator' } })), [
    'Base.1.8.PropertyNotWritable',
  ]);
});
