import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A line that a process of a run says: what kind it is, and more. */
export type Line = { readonly say: string } & Readonly<Record<string, unknown>>;

/** A process of a run, which talks in lines of JSON. */
export interface LineProcess {
  readonly pid: number;
  /** Resolves with how it ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  readonly isRunning: boolean;
  send(value: unknown): void;
  signal(signal: NodeJS.Signals): void;
  /** What it wrote to its error stream last. */
  tail(): string;
}

const tailLines = 20;

/** Starts a script with one argument, as JSON; each line it says is handed over. */
export function startLineProcess(script: URL, order: unknown, onLine: (line: Line) => void): LineProcess {
  const child = spawn(process.execPath, [script.pathname, JSON.stringify(order)], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // They are started often, and half of a start would be reading our own code.
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'rackwright-compile-cache') },
  });
  const errors: string[] = [];
  createInterface({ input: child.stdout }).on('line', (text) => onLine(JSON.parse(text) as Line));
  createInterface({ input: child.stderr }).on('line', (text) => {
    errors.push(text);
    if (errors.length > tailLines) errors.shift();
  });
  // Whoever was killed reads no more; that is told by its end.
  child.stdin.on('error', () => undefined);
  child.on('error', (error) => errors.push(error.message));
  const ended = once(child, 'close').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
  }));
  return {
    pid: child.pid ?? -1,
    ended,
    get isRunning() {
      return isRunning(child);
    },
    send: (value) => void child.stdin.write(`${JSON.stringify(value)}\n`),
    signal: (signal) => void child.kill(signal),
    tail: () => errors.join('\n'),
  };
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}
