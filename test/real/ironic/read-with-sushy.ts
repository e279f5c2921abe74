import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pythonWithSushy } from './programs.ts';

/** A BMC to read; its own `reads` are fetched before those of the run. */
export interface SushyTarget {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly reads?: readonly string[];
}

/** What to read, and with which trust. */
export interface SushyRun {
  readonly targets: readonly SushyTarget[];
  /** The file of the authority to trust, or false for any certificate. */
  readonly verify: string | boolean;
  /** Exactly these resources; without it, everything that sushy can read. */
  readonly reads?: readonly string[];
}

/** A resource as sushy's class for it understands it, with what hangs below it. */
export type SushyValues = { readonly [name: string]: unknown };

/** What was read of one BMC and what it took. */
export interface SushyTargetResult {
  readonly url: string;
  readonly requests: number;
  readonly bytes: number;
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  /** Links that the BMC does not have. */
  readonly missing: readonly string[];
  /** Links that it has and that lead nowhere. */
  readonly dangling: readonly string[];
  readonly errors: readonly string[];
  /** Members by collection; only without a list of reads. */
  readonly counts?: Readonly<Record<string, number>>;
  readonly values?: SushyValues;
  /** Only with a list of reads: how many, and how many through a class of sushy. */
  readonly reads?: number;
  readonly typedReads?: number;
}

/** What a run read and what it took. */
export interface SushyResult {
  readonly sushy: string;
  readonly python: string;
  readonly bmcs: number;
  readonly requests: number;
  /** Loading Python and sushy, which is not part of `cpuSeconds`. */
  readonly startupCpuSeconds: number;
  readonly cpuSeconds: number;
  readonly cpuSecondsPerBmc: number;
  readonly maxRssKib: number;
  readonly targets: readonly SushyTargetResult[];
}

/** Reads BMCs, one after the other, with Python sushy used the way Ironic uses it. */
export async function readWithSushy(run: SushyRun): Promise<SushyResult> {
  const python = await pythonWithSushy();
  const folder = mkdtempSync(join(tmpdir(), 'sushy-'));
  try {
    const verify = typeof run.verify === 'string' ? run.verify : run.verify ? 'yes' : 'no';
    const args = [join(import.meta.dirname, 'read-with-sushy.py'), '--targets', '-', '--verify', verify];
    if (run.reads !== undefined) {
      writeFileSync(join(folder, 'reads.json'), JSON.stringify(run.reads));
      args.push('--reads', join(folder, 'reads.json'));
    }
    return await execute(python, { args, input: JSON.stringify(run.targets) });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function execute(python: string, plan: { args: string[]; input: string }): Promise<SushyResult> {
  const child = spawn(python, plan.args, { stdio: 'pipe' });
  child.stdin.end(plan.input);
  const [printed, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
  // The exit code only repeats what is in `errors` and `dangling`.
  if (!printed.startsWith('{')) throw new Error(`read-with-sushy.py did not get to an answer: ${complaints}`);
  return JSON.parse(printed) as SushyResult;
}
