import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FaultKind, type FaultRule, type PersonalityName, personalityNames } from '../../simulator/index.ts';
import { isBmcError } from '../../src/bmc/index.ts';
import { openRoom, type RoomOptions, strikes, type Visit } from './fault-room.ts';
import type { Told } from './install.ts';

/** What the client does about a fault. */
export type Ending =
  /** Asks again, and gets what it wanted. */
  | { readonly does: 'retries' }
  /** Lets simulated time pass, then goes on. */
  | { readonly does: 'waits'; readonly leastMs: number }
  /** Looks at the machine itself instead of believing an answer, and finds what it wanted. */
  | { readonly does: 'verifies' }
  /** Gets what it wanted without doing anything special. */
  | { readonly does: 'bears' }
  /** Says what is wrong: every expression is found in the message. */
  | { readonly does: 'fails'; readonly code: string; readonly says: readonly RegExp[] };

/** One fault, what is done in spite of it, and what comes of that. */
export interface FaultCase {
  readonly kind: FaultKind;
  /** What is tried, and what comes of it. */
  readonly title: string;
  readonly ending: Ending;
  /** How the fault is switched on; the kind is that of the case unless given. */
  readonly rules: readonly (Omit<FaultRule, 'kind'> & Partial<Pick<FaultRule, 'kind'>>)[];
  /** Vendors it is tried on; all unless given. */
  readonly personalities?: readonly PersonalityName[];
  /** Simulated time by which it must be over; two hours unless given. */
  readonly withinMs?: number;
  readonly room?: Pick<RoomOptions, 'isPlain' | 'trustOf' | 'remains' | 'password' | 'settings'>;
  /** Returns nothing where all is well; what an install tells is compared with the ending. */
  work(visit: Visit): Promise<Told | undefined>;
}

const hour = 3_600_000;
const seed = 11;

/** Makes a test of every case. */
export function testCases(cases: readonly FaultCase[]): void {
  for (const each of cases) {
    test(`${each.kind}: the client ${each.ending.does}: ${each.title}`, async (t) => {
      const personalities = each.personalities ?? personalityNames;
      const faults = each.rules.map((rule) => ({ kind: each.kind, ...rule }));
      const room = await openRoom(t, { seed, servers: personalities.length, personalities, faults, ...each.room });
      await room.each((visit) => runCase(each, visit));
    });
  }
}

async function runCase(each: FaultCase, visit: Visit): Promise<void> {
  const { clock, personality, running, machine } = visit;
  const startedMs = clock.monotonic();
  const end = await each.work(visit).catch(toTold);
  const tookMs = clock.monotonic() - startedMs;
  const where = () => `${personality}: ${JSON.stringify(end)} after ${tookMs} ms\n${machine.log.text()}`;
  assert.ok(strikes(visit, each.kind) > 0, `the fault did not strike ${where()}`);
  assert.ok(tookMs <= (each.withinMs ?? 2 * hour), `it took too long ${where()}`);
  const { ending } = each;
  if (ending.does !== 'fails') {
    assert.equal(end?.code ?? 'installed', 'installed', where());
    if (ending.does === 'waits') assert.ok(tookMs >= ending.leastMs, `it did not wait ${where()}`);
    return;
  }
  assert.equal(end?.code, ending.code, where());
  for (const words of ending.says) assert.match(end?.message ?? '', words, personality);
  assert.ok(!end?.message.includes(running.password), 'a message must not tell a password');
}

/** An error of the room as what it tells; every other one is a bug. */
export function toTold(error: unknown): Told {
  if (!isBmcError(error)) throw error;
  return { code: error.code, message: error.message };
}
