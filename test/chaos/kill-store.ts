import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { loadOrCreateKeys } from '../../src/apiserver/store/keys.ts';
import { openStore } from '../../src/apiserver/store/open-store.ts';
import { Witness } from './kill-store-check.ts';
import { killBuckets, type Line } from './kill-store-lines.ts';
import { seededRandom } from './seeded-random.ts';

/** How many times to kill, and from which seed the moments and the load come. */
export interface KillOptions {
  readonly rounds: number;
  readonly seed: number;
  /** Told after every round. */
  readonly onRound?: (round: KillRound) => void;
}

/** What happened in one round. */
export interface KillRound {
  readonly round: number;
  /** Writes answered so far, in all rounds. */
  readonly answered: number;
  readonly revision: number;
  readonly oldestRevision: number;
}

const writer = fileURLToPath(new URL('./kill-store-writer.ts', import.meta.url));

/**
 * Kills a writing process with SIGKILL again and again on the same directory, and after each kill opens the store and
 * checks that every answered write is there, none is half there, and no revision went back. Throws on the first violation.
 */
export async function runKillRounds(options: KillOptions): Promise<KillRound> {
  const directory = mkdtempSync(join(tmpdir(), 'kill-store-'));
  const random = seededRandom(options.seed);
  const witness = new Witness();
  let last: KillRound = { round: 0, answered: 0, revision: 0, oldestRevision: 0 };
  try {
    for (let round = 1; round <= options.rounds; round++) {
      // Every fifth kill comes while the process is opening the store; the others somewhere in its writing.
      const lines = round % 5 === 0 ? 1 : 2 + random.below(6000);
      await writeAndKill({ directory, seed: options.seed + round, lines }, witness);
      last = { round, ...(await reopen(directory, witness)) };
      options.onRound?.(last);
    }
    return last;
  } catch (cause) {
    throw new Error(`kill run with seed ${options.seed} failed after round ${last.round}`, { cause });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Lets a process write until it has said so many lines, kills it, and hears the rest of what it had said. */
async function writeAndKill(run: { directory: string; seed: number; lines: number }, witness: Witness): Promise<void> {
  const args = [writer, run.directory, String(run.seed)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  let heard = 0;
  for await (const text of createInterface({ input: child.stdout })) {
    const line = parseLine(text);
    if (line !== undefined) witness.hear(line);
    heard += 1;
    if (heard === run.lines) child.kill('SIGKILL');
  }
  const [code, signal] = (await exit) as [number | null, string | null];
  if (signal !== 'SIGKILL') throw new Error(`the writing process ended by itself with ${code ?? signal}`);
}

/** The last line may have been cut in the middle by the kill: its write was answered to nobody. */
function parseLine(text: string): Line | undefined {
  return text.endsWith('}') ? (JSON.parse(text) as Line) : undefined;
}

async function reopen(directory: string, witness: Witness): Promise<Omit<KillRound, 'round'>> {
  const store = await openStore({
    directory,
    keys: loadOrCreateKeys(join(directory, 'keys.json')),
    encrypt: (bucket) => bucket === killBuckets[1],
    quickCheck: true,
    history: { replayChanges: Number.POSITIVE_INFINITY },
  });
  try {
    witness.check(store);
    return { answered: witness.answered, revision: store.revision(), oldestRevision: store.oldestRevision() };
  } finally {
    await store.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const rounds = Number(process.argv[2] ?? 50);
  const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
  console.log(`${rounds} rounds, seed ${seed}`);
  await runKillRounds({ rounds, seed, onRound: (round) => console.log(JSON.stringify(round)) });
  console.log('every answered write was there after every kill');
}
