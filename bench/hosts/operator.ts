import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { nodeOptions } from '../../bin/node-options.mjs';

/** An operator that brings hosts to be available: ours, or the one that a command starts. */
export interface Operator {
  readonly name: 'rackwright' | 'other';
  /** Words of a shell; the program takes the shell's place, so that its process is the one that is measured. */
  readonly command: string;
  /** Files with definitions that it needs, which go before ours. */
  readonly definitions?: string | undefined;
}

/** A running operator. */
export interface RunningOperator {
  readonly pid: number;
  /** Rejects when it ends before it was stopped; never resolves. */
  readonly failed: Promise<never>;
  stop(): Promise<void>;
}

/** Our controllers, by themselves. */
export const ours: Operator = {
  name: 'rackwright',
  command: [process.execPath, ...nodeOptions, join(import.meta.dirname, 'controllers-process.ts')]
    .map((word) => `'${word}'`)
    .join(' '),
};

/** How long an operator may take to end by itself. */
const patienceMs = 20_000;

/** Starts an operator with the kubeconfig in its environment. What it prints on its standard output is dropped. */
export function startOperator({ command }: Operator, kubeconfig: string): RunningOperator {
  const child = spawn('sh', ['-c', `exec ${command}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, KUBECONFIG: kubeconfig },
  });
  let isStopping = false;
  const { promise: failed, reject } = Promise.withResolvers<never>();
  failed.catch(() => {});
  child.once('exit', (code, signal) => {
    if (!isStopping) reject(new Error(`the operator ended by itself (${signal ?? `code ${code}`}): ${command}`));
  });
  return {
    pid: child.pid ?? 0,
    failed,
    async stop() {
      isStopping = true;
      await end(child);
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  await ended;
  clearTimeout(timer);
}
