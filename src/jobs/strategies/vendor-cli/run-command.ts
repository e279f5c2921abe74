import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { access, constants } from 'node:fs/promises';
import { delimiter, resolve } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { type Clock, sleep } from '../../../kube/index.ts';
import { redactedMark, redactText } from '../../../telemetry/index.ts';
import { JobError } from '../../errors.ts';
import { readProcessMark } from '../../process-mark.ts';
import { type CommandGroup, isAtWork, markVariable, signalGroup } from './command-group.ts';

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
  /** Told by what its processes are known; the command does nothing before this is done. */
  readonly onStart?: (group: CommandGroup) => Promise<void>;
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
const lookEveryMs = 100;

/** Becomes the command when it is told to, and ends when nobody is there any more to tell it. No word of it is read. */
const untilTold = 'unset PWD OLDPWD SHLVL; read -r told && exec "$@" </dev/null';

/**
 * Runs a command until nothing of it runs any more, each word as one argument: what it starts is a part of it, and is ended
 * with it when its time is over. Throws `commandNotFound`.
 */
export async function runCommand(order: CommandOrder): Promise<CommandEnd> {
  const { clock, signal, onStart, killAfterMs = 5000 } = order;
  await requireProgram(order);
  const { child, closed, output, group } = await start(order);
  let isKilled = false;
  const over = () => ended({ child, closed, group, clock, isKilled: () => isKilled });
  try {
    await onStart?.(group);
  } catch (error) {
    child.stdin.end();
    await over();
    throw error;
  }
  child.stdin.end(signal.aborted ? '' : 'go\n');
  const broken = Promise.withResolvers<never>();
  const send = (what: 'SIGTERM' | 'SIGKILL'): void => void signalGroup(group, what).catch(broken.reject);
  let isLate = false;
  const timers = [
    clock.after(order.deadlineMs, () => {
      isLate = true;
      stop();
    }),
  ];
  const stop = (): void => {
    send('SIGTERM');
    timers.push(
      clock.after(killAfterMs, () => {
        isKilled = true;
        send('SIGKILL');
      }),
    );
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const [code] = await Promise.race([over(), broken.promise]);
    return { code: code ?? undefined, isLate, lines: output.lines };
  } finally {
    signal.removeEventListener('abort', stop);
    for (const timer of timers) timer.cancel();
  }
}

/** Starts what becomes the command once it is told to. */
async function start(order: CommandOrder) {
  const [program] = order.command;
  const mark = randomUUID();
  const child = spawn('/bin/sh', ['-c', untilTold, 'rackwright', ...order.command], {
    cwd: order.cwd,
    env: { ...order.environment, [markVariable]: mark },
    stdio: ['pipe', 'pipe', 'pipe'],
    shell: false,
    // Its own session: who tells this process to stop does not mean the flash.
    detached: true,
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
  const pid = child.pid ?? 0;
  const group: CommandGroup = { ...((await readProcessMark(pid)) ?? { pid, startedAt: '' }), mark };
  return { child, closed, output, group };
}

/** Said before anything is started: what becomes of the process later cannot be told from what the command ends with. */
async function requireProgram({ command, cwd, environment }: CommandOrder): Promise<void> {
  const [program] = command;
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

interface Started {
  readonly child: ChildProcess;
  readonly closed: Promise<[number | null]>;
  readonly group: CommandGroup;
  readonly clock: Clock;
  readonly isKilled: () => boolean;
}

/** Who has left the command's session and lost its mark may keep the streams open: that is not waited for long. */
async function ended({ child, closed, group, clock, isKilled }: Started): Promise<[number | null]> {
  if (child.exitCode === null && child.signalCode === null) await Promise.race([closed, once(child, 'exit')]);
  while (await isAtWork(group)) {
    // One may have been started while the others were killed.
    if (isKilled()) await signalGroup(group, 'SIGKILL');
    await sleep(clock, lookEveryMs);
  }
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
