import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants } from 'node:fs/promises';
import { delimiter, resolve } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { Clock } from '../../../kube/index.ts';
import { redactedMark, redactText } from '../../../telemetry/index.ts';
import { JobError } from '../../errors.ts';

/** A command to run. */
export interface CommandOrder {
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly deadlineMs: number;
  /** Ends the command when it aborts. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Never shown, wherever the command prints them. */
  readonly secrets: readonly string[];
  readonly onLine?: (line: string) => void;
  /** Told which process it is; the command does nothing before this is done. */
  readonly onStart?: (pid: number) => Promise<void>;
  /** How much of the output is kept: its beginning and, in greater part, its end. 256 KiB unless given. */
  readonly mostBytes?: number;
  /** How long it may take to end when it is told to; 5 s unless given. */
  readonly killAfterMs?: number;
}

/** How a command ended. */
export interface CommandEnd {
  /** Undefined when it was ended by a signal. */
  readonly code: number | undefined;
  readonly isLate: boolean;
  /** What it printed, on both streams, without secrets; what is left out is said. */
  readonly lines: readonly string[];
}

const longestLine = 16 * 1024;

/** Becomes the command when it is told to, and ends when nobody is there any more to tell it. No word of it is read. */
const untilTold = 'unset PWD OLDPWD SHLVL; read -r told && exec "$@" </dev/null';

/** Runs a command until it ends or its time is over, each word as one argument. Throws `commandNotFound`. */
export async function runCommand(order: CommandOrder): Promise<CommandEnd> {
  const { command, cwd, environment, clock, signal, onStart, killAfterMs = 5000 } = order;
  const [program] = command;
  await requireProgram(program, order);
  // In the group of this process: who ends that ends this too.
  const child = spawn('/bin/sh', ['-c', untilTold, 'rackwright', ...command], {
    cwd,
    env: { ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
    shell: false,
  });
  // Ended before it was told: how it ended says so.
  child.stdin.on('error', () => {});
  const output = new KeptOutput(order);
  for (const stream of [child.stdout, child.stderr]) output.follow(stream);
  const closed = once(child, 'close') as Promise<[number | null]>;
  await once(child, 'spawn').catch((cause: unknown) => {
    closed.catch(() => {});
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new JobError('commandNotFound', { command: program, detail }, { cause });
  });
  try {
    await onStart?.(child.pid ?? 0);
  } catch (error) {
    child.stdin.end();
    await ended(child, closed);
    throw error;
  }
  child.stdin.end(signal.aborted ? '' : 'go\n');
  let isLate = false;
  const timers = [
    clock.after(order.deadlineMs, () => {
      isLate = true;
      stop();
    }),
  ];
  const stop = (): void => {
    child.kill('SIGTERM');
    timers.push(clock.after(killAfterMs, () => child.kill('SIGKILL')));
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const [code] = await ended(child, closed);
    return { code: code ?? undefined, isLate, lines: output.lines };
  } finally {
    signal.removeEventListener('abort', stop);
    for (const timer of timers) timer.cancel();
  }
}

/** Said before anything is started: what becomes of the process later cannot be told from what the command ends with. */
async function requireProgram(program: string, { cwd, environment }: CommandOrder): Promise<void> {
  const folders = program.includes('/') ? [cwd] : (environment.PATH ?? '').split(delimiter);
  const found = await Promise.all(
    folders.map((folder) =>
      access(resolve(folder, program), constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  if (found.includes(true)) return;
  const detail = program.includes('/') ? 'it is not there, or not executable' : 'it is in no folder of PATH';
  throw new JobError('commandNotFound', { command: program, detail });
}

/** What it started may keep the streams open after it ended itself: that is not waited for long. */
async function ended(child: ChildProcess, closed: Promise<[number | null]>): Promise<[number | null]> {
  if (child.exitCode === null && child.signalCode === null) await Promise.race([closed, once(child, 'exit')]);
  const late = Promise.withResolvers<[number | null]>();
  const timer = setTimeout(() => late.resolve([child.exitCode]), 1000);
  try {
    return await Promise.race([closed, late.promise]);
  } finally {
    clearTimeout(timer);
    child.stdout?.destroy();
    child.stderr?.destroy();
  }
}

/** The beginning and the end of what a command prints. */
class KeptOutput {
  readonly #order: CommandOrder;
  readonly #first: string[] = [];
  #last: string[] = [];
  #firstLeft: number;
  #lastBytes = 0;
  #left = 0;

  constructor(order: CommandOrder) {
    this.#order = order;
    this.#firstLeft = (order.mostBytes ?? 256 * 1024) / 4;
  }

  get lines(): readonly string[] {
    const gap = this.#left === 0 ? [] : [`[${this.#left} lines left out]`];
    return [...this.#first, ...gap, ...this.#last];
  }

  follow(stream: NodeJS.ReadableStream): void {
    const decoder = new StringDecoder('utf8');
    let rest = '';
    stream.on('data', (piece: Buffer) => {
      const parts = (rest + decoder.write(piece)).split(/\r\n|\n|\r/);
      rest = parts.pop() ?? '';
      for (const line of parts) this.#add(line);
      // Without an end of line it would grow for ever.
      if (rest.length > longestLine) {
        this.#add(rest);
        rest = '';
      }
    });
    stream.on('end', () => {
      if (rest !== '') this.#add(rest);
      rest = '';
    });
  }

  #add(raw: string): void {
    if (raw.trim() === '') return;
    const line = clean(raw.slice(0, longestLine), this.#order.secrets);
    this.#order.onLine?.(line);
    if (this.#firstLeft >= line.length) {
      this.#firstLeft -= line.length;
      this.#first.push(line);
      return;
    }
    this.#firstLeft = -1;
    this.#last.push(line);
    this.#lastBytes += line.length;
    const most = ((this.#order.mostBytes ?? 256 * 1024) * 3) / 4;
    while (this.#lastBytes > most && this.#last.length > 1) {
      this.#lastBytes -= this.#last.shift()?.length ?? 0;
      this.#left += 1;
    }
  }
}

function clean(line: string, secrets: readonly string[]): string {
  const left = secrets
    .filter((each) => each !== '')
    .reduce((text, secret) => text.replaceAll(secret, redactedMark), line);
  return redactText(left);
}
