import type { Bus, Database } from '../../engine/index.ts';
import { type Clock, systemClock } from '../../kube/index.ts';

/** Something that requests need. */
export interface Check {
  /** What is asked. */
  readonly of: string;
  /** What is wrong with it, or undefined when nothing is. */
  look(): Promise<string | undefined> | string | undefined;
}

/** How long an answer about readiness is good for: anybody may ask, and each question costs a transaction. */
const goodForMs = 1000;

/** A check that takes longer has failed. */
const patienceMs = 5000;

/** Makes one answer of several checks; whoever asks meanwhile gets the same. */
export function createReadiness(
  checks: readonly Check[],
  clock: Clock = systemClock,
): () => Promise<readonly string[]> {
  let asked: { readonly at: number; readonly answer: Promise<readonly string[]> } | undefined;
  return () => {
    const now = clock.monotonic();
    if (asked === undefined || now - asked.at >= goodForMs) asked = { at: now, answer: ask(checks, clock) };
    return asked.answer;
  };
}

async function ask(checks: readonly Check[], clock: Clock): Promise<readonly string[]> {
  const found = await Promise.all(checks.map((check) => within(clock, check)));
  return found.filter((problem) => problem !== undefined);
}

async function within(clock: Clock, check: Check): Promise<string | undefined> {
  const late = Promise.withResolvers<string>();
  const timer = clock.after(patienceMs, () => late.resolve(`${check.of} did not answer in time`));
  try {
    return await Promise.race([check.look(), late.promise]);
  } finally {
    timer.cancel();
  }
}

/** Whether something that rejects when it is amiss does not. */
export function checkOf(of: string, ask: () => Promise<unknown>): Check {
  return {
    of,
    async look() {
      try {
        await ask();
        return undefined;
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    },
  };
}

/** Whether the store takes transactions that write, and new work: a copy that can only be read is no use. */
export function storeCheck(database: Database): Check {
  const write = checkOf('the store', () => database.write((tx) => tx.first('SELECT 1 AS one')));
  return { of: write.of, look: async () => database.diskFault?.() ?? write.look() };
}

/** Whether hints travel. Work goes on without them, more slowly: somebody should look. */
export function busCheck(bus: Bus): Check {
  return { of: 'the bus', look: () => (bus.isConnected ? undefined : 'the bus is not connected') };
}
