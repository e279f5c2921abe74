import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** A process that answers each line it is sent with one line of JSON. */
export interface LineProcess {
  readonly pid: number;
  /** The next line it prints, parsed. */
  next(): Promise<unknown>;
  send(value: unknown): void;
  stop(): Promise<void>;
}

/** Starts a script of the bench as a process of its own, so that its processor time and memory can be told apart. */
export function startLineProcess(script: string, args: readonly string[] = []): LineProcess {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    pid: child.pid ?? 0,
    async next() {
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`${script} ended before it answered`);
      return JSON.parse(value) as unknown;
    },
    send: (value) => void child.stdin.write(`${JSON.stringify(value)}\n`),
    stop: () => end(child),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** Resident memory of a process. */
export function residentMiB(pid: number): number {
  return memoryMiB(pid, 'VmRSS');
}

/** The most resident memory that a process ever had, as the kernel remembers it. */
export function peakMiB(pid: number): number {
  return memoryMiB(pid, 'VmHWM');
}

function memoryMiB(pid: number, field: string): number {
  const path = `/proc/${pid}/status`;
  if (!existsSync(path)) return Number.NaN;
  const kibibytes = new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(path, 'utf8'))?.[1];
  return Number(kibibytes) / 1024;
}

/** User and system time of a process from the kernel's table, which counts in hundredths of a second. */
export function cpuMs(pid: number): number {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return Number.NaN;
  const fields = readFileSync(path, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
