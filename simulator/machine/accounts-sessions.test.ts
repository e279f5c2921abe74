import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPlainMachine } from './testing/plain-machine.ts';

const minute = 60_000;

test('an account locks after bad tries in a row, and unlocks after a while', async () => {
  const { machine, clock } = createPlainMachine();
  const { accounts } = machine;
  assert.equal(accounts.check('admin', 'wrong'), 'refused');
  assert.equal(accounts.check('admin', 'wrong'), 'refused');
  assert.equal(accounts.check('admin', 'secret'), 'ok', 'a good one starts the count anew');
  for (let tries = 0; tries < 3; tries++) assert.equal(accounts.check('admin', 'wrong'), 'refused');
  assert.equal(accounts.isLocked, true);
  assert.equal(accounts.check('admin', 'secret'), 'locked');
  await clock.advance(2 * minute - 1);
  assert.equal(accounts.check('admin', 'secret'), 'locked');
  await clock.advance(1);
  assert.equal(accounts.check('admin', 'secret'), 'ok');
});

test('bad tries are forgotten when the last of them is as long ago as a lock would last', async () => {
  const { machine, clock } = createPlainMachine();
  const { accounts } = machine;
  for (let tries = 0; tries < 20; tries++) {
    assert.equal(accounts.check('admin', 'wrong'), 'refused');
    assert.equal(accounts.check('admin', 'wrong'), 'refused');
    await clock.advance(2 * minute);
  }
  assert.equal(accounts.isLocked, false);
  for (let tries = 0; tries < 3; tries++) accounts.check('admin', 'wrong');
  assert.equal(accounts.isLocked, true);
});

test('a threshold of zero never locks, and strangers do not lock the account', () => {
  const limits = { sessions: 1, sessionTimeoutMs: 1, lockoutThreshold: 0, lockoutMs: 1, subscriptions: 1, tasks: 1 };
  const lenient = createPlainMachine({ personality: { limits } }).machine.accounts;
  for (let tries = 0; tries < 50; tries++) assert.equal(lenient.check('admin', 'wrong'), 'refused');
  const { accounts } = createPlainMachine().machine;
  for (let tries = 0; tries < 50; tries++) assert.equal(accounts.check('nobody', 'secret'), 'refused');
  assert.equal(accounts.check('admin', 'secret'), 'ok');
});

test('a password can be changed, and neither it nor a token is ever logged', () => {
  const { machine } = createPlainMachine();
  assert.equal(machine.accounts.change('nobody', { password: 'x' }), false);
  assert.equal(machine.accounts.change('admin', { password: 'better' }), true);
  assert.equal(machine.accounts.check('admin', 'secret'), 'refused');
  assert.equal(machine.accounts.check('admin', 'better'), 'ok');
  const session = machine.sessions.open('admin');
  assert.ok(session !== 'exhausted');
  assert.doesNotMatch(machine.log.text(), new RegExp(`secret|better|${session.token}`));
});

test('sessions are few, and a closed or expired one makes room', async () => {
  const { machine, clock } = createPlainMachine();
  const { sessions } = machine;
  const opened = ['a', 'b', 'c'].map((name) => sessions.open(name));
  assert.equal(sessions.open('d'), 'exhausted');
  const [first, second] = opened;
  assert.ok(first !== undefined && first !== 'exhausted' && second !== undefined && second !== 'exhausted');
  assert.equal(sessions.close(first.id), true);
  assert.equal(sessions.close(first.id), false);
  assert.equal(sessions.find(first.token), undefined);
  await clock.advance(4 * minute);
  assert.equal(sessions.find(second.token), second);
  await clock.advance(2 * minute);
  assert.deepEqual(sessions.all, [second], 'the one in use stays');
  await clock.advance(4 * minute);
  assert.deepEqual(sessions.all, []);
});

test('tokens are drawn from the seed, and no two are the same', () => {
  const tokensOf = (seed: number): string[] => {
    const { sessions } = createPlainMachine({ seed }).machine;
    return ['a', 'b', 'c'].map((name) => {
      const session = sessions.open(name);
      return session === 'exhausted' ? '' : session.token;
    });
  };
  assert.deepEqual(tokensOf(1), tokensOf(1));
  assert.equal(new Set([...tokensOf(1), ...tokensOf(2)]).size, 6);
});

test('a restart of the BMC ends all sessions', () => {
  const { machine } = createPlainMachine();
  const session = machine.sessions.open('admin');
  assert.ok(session !== 'exhausted');
  assert.equal(machine.manager.reset('GracefulRestart'), 'ok');
  assert.equal(machine.sessions.find(session.token), undefined);
});

test('faults lock the account, use sessions up and expire them', async () => {
  const { machine, clock, faults } = createPlainMachine({
    faults: [{ kind: 'locked-out', times: 1, durationMs: 5000 }],
  });
  assert.equal(machine.accounts.check('admin', 'secret'), 'locked');
  await clock.advance(5000);
  assert.equal(machine.accounts.check('admin', 'secret'), 'ok');
  faults.replace([{ kind: 'sessions-exhausted', times: 1 }]);
  assert.equal(machine.sessions.open('admin'), 'exhausted');
  const session = machine.sessions.open('admin');
  assert.ok(session !== 'exhausted');
  faults.replace([{ kind: 'session-expired', times: 1, method: 'GET' }]);
  assert.equal(machine.sessions.find(session.token, { method: 'POST', path: '/' }), session);
  assert.equal(machine.sessions.find(session.token, { method: 'GET', path: '/' }), undefined);
  assert.deepEqual(machine.sessions.all, []);
});
