import assert from 'node:assert/strict';
import { personalityNames, resetMoments } from '../../simulator/index.ts';
import { readInventory, readPower, setPower } from '../../src/bmc/index.ts';
import type { FaultCase } from './fault-case.ts';
import { changes, type Visit } from './fault-room.ts';
import { install } from './install.ts';

const second = 1000;
const minute = 60 * second;
const resetPath = '*Actions/ComputerSystem.Reset';
/** Where images are sent to, or an update is asked for, on all vendors. */
const uploads = ['*pdate*', '/cgi-bin/*'];

/** Everything is read, nothing is missing. */
async function readAll({ bmc, machine }: Visit): Promise<undefined> {
  const inventory = await readInventory(bmc);
  assert.deepEqual(inventory.gaps, []);
  assert.equal(inventory.system.serial, machine.hardware.serial);
  assert.equal(inventory.drives.length, machine.hardware.drives.length);
  assert.ok(inventory.firmware.length >= machine.firmware.length);
}

/** The host is switched off, by as many requests. */
async function switchOff(visit: Visit, { requests = 1 } = {}): Promise<undefined> {
  const { bmc, machine } = visit;
  const change = await setPower(bmc, { target: 'off', deadlineMs: 10 * minute });
  assert.deepEqual([change.after, change.isConfirmed, change.sent.length], ['off', true, requests]);
  assert.equal(machine.power.state, 'Off');
}

async function switchOffOnce(visit: Visit): Promise<undefined> {
  try {
    return await switchOff(visit);
  } finally {
    assert.ok(
      changes(visit, /^POST .*ComputerSystem\.Reset/).length <= 1,
      'a reset whose fate is unknown is not sent again',
    );
  }
}

/** The host is seen to stay on for a minute after a request whose fate is unknown, and asked again. */
async function switchOffAgain(visit: Visit): Promise<undefined> {
  const began = visit.bmc.clock.monotonic();
  await switchOff(visit, { requests: 2 });
  assert.ok(visit.bmc.clock.monotonic() - began >= minute, 'it was given time to do what it may have heard');
}

async function installBios(visit: Visit) {
  return install(visit.bmc, await visit.release('bios'));
}

const busy: readonly FaultCase[] = [
  {
    kind: 'busy',
    title: 'an inventory waits as long as the BMC asks for, and misses nothing',
    ending: { does: 'waits', leastMs: 30 * second },
    rules: [{ times: 2 }],
    withinMs: 10 * minute,
    work: readAll,
  },
  {
    kind: 'busy',
    title: 'an action that the BMC says it did not do is sent again',
    ending: { does: 'retries' },
    rules: [{ method: 'POST', path: resetPath, times: 1 }],
    withinMs: 10 * minute,
    work: switchOff,
  },
  {
    kind: 'busy',
    title: 'the install goes on where the BMC is busy when it is asked how far it is',
    ending: { does: 'waits', leastMs: 30 * second },
    rules: [{ method: 'GET', path: '*Task*', times: 3 }],
    work: installBios,
  },
  {
    kind: 'busy',
    title: 'a BMC that is always busy is given up after some tries, with what it says',
    ending: { does: 'fails', code: 'busy', says: [/the BMC at http:\/\/127\.[\d.]+:\d+ is busy: \d{3} /] },
    rules: [{}],
    withinMs: 10 * minute,
    work: readAll,
  },
];

const slow: readonly FaultCase[] = [
  {
    kind: 'slow-answer',
    title: 'answers within the deadline are waited for',
    ending: { does: 'waits', leastMs: 20 * second },
    rules: [{ durationMs: 20 * second, times: 3 }],
    withinMs: 10 * minute,
    work: readAll,
  },
  {
    kind: 'slow-answer',
    title: 'a read past its deadline is asked for once more',
    ending: { does: 'retries' },
    rules: [{ durationMs: 5 * minute, method: 'GET', path: '/redfish/v1/Systems/*', times: 1 }],
    withinMs: 10 * minute,
    work: readAll,
  },
  {
    kind: 'slow-answer',
    title: 'a BMC that never answers in time is given up, naming request and deadline',
    ending: {
      does: 'fails',
      code: 'timeout',
      says: [/the BMC at http:\S+ did not answer (GET|POST) \/redfish\/v1\S* within 30000 ms/],
    },
    rules: [{ durationMs: 60 * minute, path: '/redfish/v1/S*' }],
    withinMs: 10 * minute,
    work: readAll,
  },
  {
    kind: 'slow-answer',
    title: 'an action whose answer did not come is sent again once the host is seen to stay as it was',
    ending: { does: 'retries' },
    rules: [{ durationMs: 20 * minute, method: 'POST', path: resetPath, times: 1 }],
    withinMs: 20 * minute,
    work: switchOffAgain,
  },
];

const resets: readonly FaultCase[] = [
  ...resetMoments.map(
    (moment): FaultCase => ({
      kind: 'connection-reset',
      title: `reads cut ${moment.replaceAll('-', ' ')} are asked for again`,
      ending: { does: 'retries' },
      rules: [{ method: 'GET', moment, times: 3 }],
      withinMs: 10 * minute,
      work: readAll,
    }),
  ),
  ...(['after-acting', 'mid-answer'] as const).map(
    (moment): FaultCase => ({
      kind: 'connection-reset',
      title: `an action cut ${moment.replaceAll('-', ' ')} is seen to be done`,
      ending: { does: 'verifies' },
      rules: [{ method: 'POST', path: resetPath, moment, times: 1 }],
      withinMs: 10 * minute,
      work: switchOffOnce,
    }),
  ),
  {
    kind: 'connection-reset',
    title: 'an action cut before it was done is sent again once the host is seen to stay as it was',
    ending: { does: 'retries' },
    rules: [{ method: 'POST', path: resetPath, moment: 'after-reading', times: 1 }],
    withinMs: 20 * minute,
    work: switchOffAgain,
  },
  {
    kind: 'connection-reset',
    title: 'an action that is cut each time is given up at its deadline, and the message says what is seen',
    ending: {
      does: 'fails',
      code: 'deadline',
      says: [/turning off \/redfish\S+ on the BMC at http/, /power state is On/],
    },
    rules: [{ method: 'POST', path: resetPath, moment: 'after-reading' }],
    withinMs: 20 * minute,
    work: (visit) => switchOff(visit),
  },
  {
    kind: 'connection-reset',
    title: 'an upload cut after it was taken is found on the BMC and followed, and not sent again',
    ending: { does: 'verifies' },
    rules: uploads.map((path) => ({ method: 'POST', path, moment: 'after-acting', times: 1 })),
    work: installBios,
  },
  {
    kind: 'connection-reset',
    title: 'an upload cut before it was taken is sent again once it is certain that nothing began',
    ending: { does: 'verifies' },
    rules: uploads.map((path) => ({ method: 'POST', path, moment: 'after-reading', times: 1 })),
    work: installBios,
  },
  {
    kind: 'connection-reset',
    title: 'a log-in whose answer is lost is made again; its session is the one that only time ends',
    ending: { does: 'retries' },
    rules: [{ method: 'POST', path: '*/Sessions', moment: 'after-acting', times: 1 }],
    withinMs: 10 * minute,
    work: readAll,
  },
  {
    kind: 'connection-reset',
    title: 'a BMC that cuts everything is given up as unreachable',
    ending: { does: 'fails', code: 'unreachable', says: [/the BMC at http:\S+ cannot be reached: \S+/] },
    rules: [{ moment: 'before-reading' }],
    withinMs: 10 * minute,
    work: readAll,
  },
];

const bodies: readonly FaultCase[] = [
  ...(['truncated-json', 'malformed-json'] as const).flatMap((kind): FaultCase[] => [
    {
      kind,
      title: 'reads that make no sense are asked for again',
      ending: { does: 'retries' },
      rules: [{ method: 'GET', times: 3 }],
      withinMs: 10 * minute,
      work: readAll,
    },
    {
      kind,
      title: 'a BMC that only sends such answers is given up, naming request and problem',
      ending: {
        does: 'fails',
        code: 'malformed',
        says: [/the BMC at http:\S+ answered GET \/redfish\/v1\S* with malformed or truncated JSON/],
      },
      rules: [{ method: 'GET' }],
      withinMs: 10 * minute,
      work: async ({ bmc }) => void (await readPower(bmc)),
    },
    {
      kind,
      title:
        'an update whose answer makes no sense is found on the BMC or its Location is followed, and not sent again',
      ending: { does: 'verifies' },
      rules: uploads.map((path) => ({ method: 'POST', path, times: 1 })),
      // An iDRAC answers without a body that could be spoilt.
      personalities: personalityNames.filter((name) => name !== 'dell-idrac9'),
      work: installBios,
    },
  ]),
  {
    kind: 'wrong-content-type',
    title: 'JSON is read whatever it is called',
    ending: { does: 'bears' },
    rules: [{}],
    withinMs: minute,
    work: readAll,
  },
  {
    kind: 'wrong-content-type',
    title: 'an install is done with answers that are called HTML',
    ending: { does: 'bears' },
    rules: [{}],
    work: installBios,
  },
];

/** Faults of single requests and answers. */
export const requestFaultCases: readonly FaultCase[] = [...busy, ...slow, ...resets, ...bodies];
