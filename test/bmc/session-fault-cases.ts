import assert from 'node:assert/strict';
import { isBmcError, readInventory, readPower } from '../../src/bmc/index.ts';
import { sleep } from '../../src/kube/index.ts';
import type { FaultCase } from './fault-case.ts';
import { changes, type Visit } from './fault-room.ts';
import { install } from './install.ts';

const second = 1000;
const minute = 60 * second;

async function readAll({ bmc }: Visit): Promise<undefined> {
  const { gaps } = await readInventory(bmc);
  assert.deepEqual(gaps, []);
}

function logIns(visit: Visit): number {
  return changes(visit, /^POST \S*\/Sessions /).length;
}

const expired: readonly FaultCase[] = [
  {
    kind: 'session-expired',
    title: 'a session that ends in the middle of an inventory is opened again, once each time',
    ending: { does: 'retries' },
    rules: [{ times: 1 }],
    withinMs: minute,
    async work(visit) {
      await readAll(visit);
      assert.equal(logIns(visit), 2);
    },
  },
  {
    kind: 'session-expired',
    title: 'an update is sent and followed although its session expires at every turn',
    ending: { does: 'retries' },
    rules: ['*Systems/*', '*FirmwareInventory*', '*pload*', '*pdate', '*Task*'].map((path) => ({ path, times: 1 })),
    async work(visit) {
      return install(visit.bmc, await visit.release('bios'));
    },
  },
  {
    kind: 'session-expired',
    title: 'a BMC that forgets every session at once is told apart from bad credentials, and log-ins end',
    ending: { does: 'fails', code: 'refused', says: [/the BMC at http:\S+ refused GET \/redfish\S+ with 401: \S+/] },
    rules: [{}],
    withinMs: minute,
    async work(visit) {
      for (let round = 0; round < 10; round += 1) {
        const told = await readPower(visit.bmc).catch((error: unknown) => error);
        assert.ok(isBmcError(told, 'refused'), String(told));
      }
      assert.ok(logIns(visit) <= 6, `${logIns(visit)} log-ins for ten reads`);
      await readPower(visit.bmc);
      return undefined;
    },
  },
];

const exhausted: readonly FaultCase[] = [
  {
    kind: 'sessions-exhausted',
    title: 'a free session is waited for',
    ending: { does: 'retries' },
    rules: [{ times: 2 }],
    withinMs: 5 * minute,
    work: readAll,
  },
  {
    kind: 'sessions-exhausted',
    title: 'a BMC whose sessions stay taken is given up, with what it says; no password is tried by other ways',
    ending: {
      does: 'fails',
      code: 'sessionsExhausted',
      says: [/the BMC at http:\S+ has no free session: \d{3} \S+/, /; end sessions there/],
    },
    rules: [{}],
    withinMs: 5 * minute,
    async work(visit) {
      const told = await readPower(visit.bmc).catch((error: unknown) => error);
      assert.deepEqual([logIns(visit), visit.bmc.gate.state.hasSession], [4, false]);
      throw told;
    },
  },
];

const locked: readonly FaultCase[] = [
  {
    kind: 'locked-out',
    title: 'a locked account is left alone, whoever asks, and used again when the lock is over',
    ending: {
      does: 'fails',
      code: 'lockedOut',
      says: [/the account of user \S+ is locked on the BMC at http:\S+;/, /unlock it there, or wait/],
    },
    rules: [{ times: 1, durationMs: 10 * minute }],
    withinMs: 30 * minute,
    room: { remains: { isLocked: true } },
    async work(visit) {
      const told = await readPower(visit.bmc).catch((error: unknown) => error);
      for (const bmc of [visit.bmc, visit.connect(), visit.connect({ password: 'another' })]) {
        await assert.rejects(readPower(bmc), (error) => isBmcError(error, 'lockedOut'));
      }
      assert.equal(logIns(visit), 1, 'a locked account is not tried again');
      assert.equal(visit.bmc.gate.state.mode, 'stopped');
      await sleep(visit.clock, 16 * minute);
      await readPower(visit.connect());
      assert.equal(visit.machine.accounts.isLocked, false);
      throw told;
    },
  },
];

/** Faults of sessions and accounts. */
export const sessionFaultCases: readonly FaultCase[] = [...expired, ...exhausted, ...locked];
