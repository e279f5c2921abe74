import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BmcError, isBmcError } from '../errors.ts';
import type { SmallAnswer } from '../http/testing/small-bmc.ts';
import type { LeasePurpose } from './gate.ts';
import { openTestGate } from './testing/test-gate.ts';
import { until } from './testing/until.ts';

const path = '/redfish/v1/Systems/1';
const resetPath = `${path}/Actions/ComputerSystem.Reset`;

/** A lease that can be lost, and remembers what it was asked for. */
function newLease() {
  const asked: LeasePurpose[] = [];
  const lease = {
    isHeld: true,
    asked,
    async check(purpose: LeasePurpose, origin: string): Promise<void> {
      asked.push(purpose);
      if (!lease.isHeld) throw new BmcError('leaseLost', { origin, detail: 'another holds it' });
    },
  };
  return lease;
}

/** An answer that is given when the test says so. */
function heldAnswer() {
  let give: (answer: SmallAnswer) => void = () => {};
  const answer = new Promise<SmallAnswer>((resolve) => {
    give = resolve;
  });
  return { answer, give };
}

test('the lease is checked before a log-in and before what is disruptive, and for nothing else', async (t) => {
  const lease = newLease();
  const { lane } = await openTestGate(t, { checkLease: lease.check });
  await lane.request({ method: 'GET', path });
  await lane.request({ method: 'GET', path });
  await lane.request({ method: 'PATCH', path, body: {} });
  await lane.request({ method: 'POST', path: resetPath, body: {}, isDisruptive: true });
  assert.deepEqual(lease.asked, ['log-in', 'disruptive']);
});

test('nobody logs in without the lease', async (t) => {
  const lease = newLease();
  lease.isHeld = false;
  const { lane, bmc } = await openTestGate(t, { checkLease: lease.check });
  await assert.rejects(lane.request({ method: 'GET', path }), (error) => isBmcError(error, 'leaseLost'));
  assert.deepEqual(bmc.lines, []);
});

test('a lease that is lost while the request waits in the queue keeps it from being sent', async (t) => {
  const lease = newLease();
  const { lane, bmc } = await openTestGate(t, { checkLease: lease.check });
  await lane.request({ method: 'GET', path });
  const slow = heldAnswer();
  bmc.on('GET /slow', () => slow.answer);
  const first = lane.request({ method: 'GET', path: '/slow' });
  const second = lane.request({ method: 'POST', path: resetPath, body: {}, isDisruptive: true });
  await until(() => bmc.lines.includes('GET /slow'));
  assert.equal(lane.state.waiting, 1);
  lease.isHeld = false;
  slow.give({ body: {} });
  await first;
  await assert.rejects(second, (error) => isBmcError(error, 'leaseLost'));
  assert.ok(!bmc.lines.includes(`POST ${resetPath}`));
});

test('a lease that is lost while the BMC is left in peace keeps the request from being sent', async (t) => {
  const lease = newLease();
  const { lane, bmc } = await openTestGate(t, { checkLease: lease.check });
  await lane.request({ method: 'GET', path });
  bmc.on('GET /busy', () => ({ status: 503, headers: { 'retry-after': '30' } }));
  await assert.rejects(lane.request({ method: 'GET', path: '/busy', maxTries: 1 }), (error) =>
    isBmcError(error, 'busy'),
  );
  assert.equal(lane.state.mode, 'paused');
  const post = lane.request({ method: 'POST', path: resetPath, body: {}, isDisruptive: true });
  lease.isHeld = false;
  await assert.rejects(post, (error) => isBmcError(error, 'leaseLost'));
  assert.deepEqual(lease.asked, ['log-in', 'disruptive']);
  assert.ok(!bmc.lines.includes(`POST ${resetPath}`));
});

test('a fenced holder whose session was ended does not log in again', async (t) => {
  const lease = newLease();
  const { lane, bmc } = await openTestGate(t, { checkLease: lease.check });
  await lane.request({ method: 'GET', path });
  bmc.sessions.clear();
  lease.isHeld = false;
  await assert.rejects(lane.request({ method: 'GET', path }), (error) => isBmcError(error, 'leaseLost'));
  assert.equal(bmc.lines.filter((line) => line.startsWith('POST')).length, 1);
});

test('another caller without a lease to lose is not harmed by one that lost it', async (t) => {
  const lease = newLease();
  lease.isHeld = false;
  const { gates, endpoint, lane } = await openTestGate(t, { checkLease: lease.check, settings: { maxInFlight: 2 } });
  const other = gates.open(endpoint);
  const lost = lane.request({ method: 'GET', path });
  const fine = other.request({ method: 'GET', path });
  await assert.rejects(lost, (error) => isBmcError(error, 'leaseLost'));
  assert.equal((await fine).status, 200);
});

test('a lease that cannot be confirmed in time counts as lost', async (t) => {
  let isAsked = false;
  const { lane, clock } = await openTestGate(t, {
    checkLease: () => {
      isAsked = true;
      return new Promise(() => {});
    },
  });
  const get = lane.request({ method: 'GET', path });
  await until(() => isAsked);
  clock.advance(30_000);
  await assert.rejects(get, (error) => isBmcError(error, 'leaseLost'));
});

test('a lease check that grew old while the connection was made is repeated', async (t) => {
  const asked: LeasePurpose[] = [];
  const { lane, bmc, clock } = await openTestGate(t, {
    checkLease: async (purpose) => {
      asked.push(purpose);
      // Time passes between the check and the moment at which the new connection is ready.
      if (asked.length === 1) process.nextTick(() => clock.advance(1_001));
    },
  });
  await lane.request({ method: 'GET', path });
  assert.deepEqual(asked, ['log-in', 'log-in']);
  assert.equal(bmc.lines.filter((line) => line.startsWith('POST')).length, 1);
});

test('what is always too old when its connection is ready is never sent', async (t) => {
  const lease = newLease();
  const { lane, bmc } = await openTestGate(t, { checkLease: lease.check, settings: { leaseFreshMs: -1 } });
  await assert.rejects(lane.request({ method: 'GET', path }), (error) => isBmcError(error, 'unreachable'));
  assert.deepEqual(bmc.lines, []);
});

test('nothing else runs between the check of the lease and the sending', async (t) => {
  const { lane, bmc, gates, endpoint } = await openTestGate(t);
  await lane.request({ method: 'GET', path });
  const before = lane.state.requests;
  let turnsOfTheLoop = 0;
  let isCounting = false;
  const count = (): void => {
    if (!isCounting) return;
    turnsOfTheLoop += 1;
    setImmediate(count);
  };
  const leased = gates.open(endpoint, {
    checkLease: async () => {
      await until(() => true);
      isCounting = true;
      setImmediate(count);
    },
  });
  const post = leased.request({ method: 'POST', path: resetPath, body: {}, isDisruptive: true });
  await until(() => isCounting);
  // Handed to the connection in the same turn of the loop in which the lease was confirmed.
  assert.equal(lane.state.requests, before + 1);
  assert.equal(turnsOfTheLoop, 0);
  isCounting = false;
  await post;
  assert.ok(bmc.lines.includes(`POST ${resetPath}`));
});

/** A lease that is confirmed when the test says so. */
function slowLease(slow: LeasePurpose) {
  let confirm = (): void => {};
  const confirmed = new Promise<void>((resolve) => {
    confirm = resolve;
  });
  const lease = {
    isAsked: false,
    confirm,
    async check(purpose: LeasePurpose): Promise<void> {
      if (purpose !== slow) return;
      lease.isAsked = true;
      await confirmed;
    },
  };
  return lease;
}

for (const purpose of ['disruptive', 'log-in'] as const) {
  for (const moment of ['closing', 'closed'] as const) {
    test(`nothing leaves when the lease for what is a ${purpose} is confirmed and the gate is ${moment}`, async (t) => {
      const lease = slowLease(purpose);
      const { lane, bmc, gates, clock } = await openTestGate(t, { checkLease: lease.check });
      const post = lane.request({ method: 'POST', path: resetPath, body: {}, isDisruptive: true });
      await until(() => lease.isAsked);
      const closing = gates.close();
      if (moment === 'closed') {
        clock.advance(5_000);
        await closing;
      }
      lease.confirm();
      await assert.rejects(post, (error) => isBmcError(error, 'closed'));
      await closing;
      assert.ok(!bmc.lines.includes(`POST ${resetPath}`));
      assert.equal(bmc.lines.filter((line) => line.startsWith('POST')).length, purpose === 'log-in' ? 0 : 1);
      assert.equal(bmc.sessions.size, 0);
    });
  }
}

test('nobody logs in with credentials that come after the gate was closed', async (t) => {
  const { bmc, gates, endpoint, clock } = await openTestGate(t);
  let give: (credentials: { username: string; password: string }) => void = () => {};
  let isAsked = false;
  const given = new Promise<{ username: string; password: string }>((resolve) => {
    give = resolve;
  });
  const credentials = () => {
    isAsked = true;
    return given;
  };
  const get = gates.open({ ...endpoint, credentials }).request({ method: 'GET', path });
  await until(() => isAsked);
  const closing = gates.close();
  clock.advance(5_000);
  await closing;
  give({ username: 'admin', password: 'secret' });
  await assert.rejects(get, (error) => isBmcError(error, 'closed'));
  assert.deepEqual(bmc.lines, []);
});
