import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';

/** A program that a test started, with its log and a way to end it. */
export interface StartedProcess {
  readonly name: string;
  readonly pid: number;
  readonly logPath: string;
  /** True until the program has ended. */
  isRunning(): boolean;
  /** The last lines of its log, for an error message. */
  tail(): string;
  /** Asks it to end, insists after `graceMs`, and resolves once it has ended. */
  stop(graceMs?: number): Promise<void>;
}

/** What to start: a program, its arguments, and where its output goes. */
export interface ProcessPlan {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly logPath: string;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Starts a program whose life ends with this one at the latest. */
export function startProcess(plan: ProcessPlan): StartedProcess {
  const log = openSync(plan.logPath, 'a');
  const child = spawn(plan.file, plan.args, {
    stdio: ['ignore', log, log],
    ...(plan.cwd === undefined ? {} : { cwd: plan.cwd }),
    ...(plan.env === undefined ? {} : { env: plan.env }),
  });
  closeSync(log);
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  child.once('exit', () => process.removeListener('exit', killWithUs));
  child.once('error', () => {});
  return {
    name: plan.name,
    pid: child.pid ?? -1,
    logPath: plan.logPath,
    isRunning: () => isRunning(child),
    tail: () => readFileSync(plan.logPath, 'utf8').trimEnd().split('\n').slice(-8).join('\n'),
    stop: (graceMs = 8000) => stopChild(child, graceMs),
  };
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

async function stopChild(child: ChildProcess, graceMs: number): Promise<void> {
  if (!isRunning(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const insist = setTimeout(() => child.kill('SIGKILL'), graceMs);
  await ended;
  clearTimeout(insist);
}
