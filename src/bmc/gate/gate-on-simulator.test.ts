import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  createSteppedClock,
  type FaultRule,
  type Machine,
  type PersonalityName,
  personalityNames,
  startDataCentre,
} from '../../../simulator/index.ts';
import { type BmcErrorCode, isBmcError } from '../errors.ts';
import type { GateLane, GateReply } from './gate.ts';
import { createGates } from './gates.ts';

const logIn = { method: 'POST', path: '*/Sessions' };

interface Rig {
  readonly machine: Machine;
  /** Talks to the BMC as one process would; logs out at the end. */
  asProcess<T>(work: (lane: GateLane) => Promise<T>, password?: string): Promise<T>;
}

async function startRig(t: TestContext, personality: PersonalityName, faults: readonly FaultRule[]): Promise<Rig> {
  const clock = createSteppedClock();
  const options = { seed: 11, servers: 1, isPlain: true, addressing: 'port', arePoweredOn: true } as const;
  const dataCentre = await startDataCentre({ ...options, personalities: [personality], faults, clock });
  t.after(async () => {
    await dataCentre.close();
    clock.close();
  });
  const bmc = dataCentre.bmcs[0] ?? assert.fail('no BMC');
  return {
    machine: bmc.machine,
    asProcess: (work, password = bmc.password) =>
      clock.run(bmc.machine.name, async (party) => {
        const gates = createGates({ clock: party, random: () => 0.5 });
        const credentials = async () => ({ username: bmc.username, password });
        try {
          return await work(gates.open({ origin: bmc.url, credentials, trust: { kind: 'system', allowsHttp: true } }));
        } finally {
          await gates.close();
        }
      }),
  };
}

const readSystems = (lane: GateLane): Promise<GateReply> =>
  lane.request({ method: 'GET', path: '/redfish/v1/Systems' });

interface Case {
  readonly what: string;
  readonly faults: readonly FaultRule[];
  /** Undefined when the read works in the end. */
  readonly code?: BmcErrorCode;
}

const read = { method: 'GET', path: '*/Systems' };

const cases: readonly Case[] = [
  { what: 'nothing is wrong', faults: [] },
  { what: 'a read is busy twice: it is repeated', faults: [{ kind: 'busy', times: 2, ...read }] },
  { what: 'a read is always busy: it is given up', faults: [{ kind: 'busy', ...read }], code: 'busy' },
  { what: 'a log-in is busy: it is repeated', faults: [{ kind: 'busy', times: 1, ...logIn }] },
  {
    what: 'an answer is slow: it is waited for',
    faults: [{ kind: 'slow-answer', durationMs: 20_000, times: 1, ...read }],
  },
  {
    what: 'an answer is too slow once: it is asked for again',
    faults: [{ kind: 'slow-answer', durationMs: 90_000, times: 1, ...read }],
  },
  {
    what: 'answers are always too slow: they are given up',
    faults: [{ kind: 'slow-answer', durationMs: 90_000, ...read }],
    code: 'timeout',
  },
  {
    what: 'a connection is reset before the request is read',
    faults: [{ kind: 'connection-reset', times: 2, moment: 'before-reading', ...read }],
  },
  {
    what: 'a connection is reset in the middle of the answer',
    faults: [{ kind: 'connection-reset', times: 2, moment: 'mid-answer', ...read }],
  },
  {
    what: 'connections are always reset',
    faults: [{ kind: 'connection-reset', moment: 'before-reading', ...read }],
    code: 'unreachable',
  },
  {
    what: 'a log-in is reset before it is carried out',
    faults: [{ kind: 'connection-reset', times: 1, moment: 'after-reading', ...logIn }],
  },
  { what: 'JSON is truncated: it is read again', faults: [{ kind: 'truncated-json', times: 1, ...read }] },
  { what: 'JSON is malformed: it is read again', faults: [{ kind: 'malformed-json', times: 3, ...read }] },
  { what: 'JSON stays malformed: that is said', faults: [{ kind: 'malformed-json', ...read }], code: 'malformed' },
  {
    what: 'the answer to a log-in is truncated: its headers are enough',
    faults: [{ kind: 'truncated-json', ...logIn }],
  },
  { what: 'the content type is wrong: it is read all the same', faults: [{ kind: 'wrong-content-type' }] },
  { what: 'the session expires: a new one is opened', faults: [{ kind: 'session-expired', times: 1 }] },
  { what: 'sessions run out for a while: it is waited for', faults: [{ kind: 'sessions-exhausted', times: 2 }] },
  { what: 'sessions run out: that is said', faults: [{ kind: 'sessions-exhausted' }], code: 'sessionsExhausted' },
];

for (const personality of personalityNames) {
  for (const { what, faults, code } of cases) {
    test(`${personality}, ${what}${code === undefined ? '' : ` (${code})`}`, async (t) => {
      const { machine, asProcess } = await startRig(t, personality, faults);
      const outcome = asProcess(readSystems);
      if (code === undefined) assert.equal((await outcome).status, 200);
      else await assert.rejects(outcome, (error) => isBmcError(error, code));
      assert.deepEqual(machine.sessions.all, [], 'no session is left');
      assert.equal(machine.accounts.isLocked, false, 'the account is not locked');
    });
  }

  test(`${personality}, wrong credentials: the account is not locked, however often it is tried (security.md: bmc-refused-password)`, async (t) => {
    const { machine, asProcess } = await startRig(t, personality, []);
    const tries = asProcess(async (lane) => {
      for (let i = 0; i < 20; i += 1) {
        await assert.rejects(readSystems(lane), (error) => isBmcError(error, 'credentials'));
      }
    }, 'wrong');
    await tries;
    assert.equal(machine.accounts.isLocked, false);
    assert.equal(machine.log.events.filter(({ event }) => event === 'account.refused').length, 1);
  });

  test(`${personality}, a locked account: it is left alone`, async (t) => {
    const { machine, asProcess } = await startRig(t, personality, [{ kind: 'locked-out', times: 1 }]);
    await asProcess(async (lane) => {
      const codes = new Set<string>();
      for (let i = 0; i < 5; i += 1) {
        await readSystems(lane).catch((error: unknown) => codes.add(isBmcError(error) ? error.code : String(error)));
      }
      // Some vendors do not tell a locked account from a wrong password.
      assert.ok(codes.size === 1 && (codes.has('lockedOut') || codes.has('credentials')), [...codes].join());
      assert.equal(lane.state.requests, 1);
    });
    assert.deepEqual(machine.sessions.all, []);
  });
}
