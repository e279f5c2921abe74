import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { cacheDirectory } from '../real/kube/binaries.ts';

const main = join(import.meta.dirname, '..', '..', 'bin', 'rackwright.mjs');

/** After this what is waited for is not expected any more. */
const patienceMs = 180_000;

/** What of a page is another on this machine: words of the page, and what is typed instead. */
export type Differences = Readonly<Record<string, string>>;

/** A page's text as it is typed here. Fails for words that the text does not have: then the page or the table is wrong. */
export function asTypedHere(text: string, differences: Differences): string {
  let typed = text;
  for (const [shown, here] of Object.entries(differences)) {
    assert.ok(typed.includes(shown), `"${shown}" is not in:\n${text}`);
    typed = typed.replaceAll(shown, here);
  }
  return typed;
}

/** Where commands are typed. */
export interface Desk {
  /** The folder that they are typed in, which is the home of who types, too. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Programs that are found by their names, besides our own and those of the system. */
  readonly programs?: Readonly<Record<string, string>>;
}

/** A command that stays until it is stopped. */
export interface StayingCommand {
  /** What it printed so far. */
  printed(): string;
  /** Resolves once it has printed this; throws when it ends before. */
  until(text: string): Promise<void>;
  /** Stops it as Ctrl-C does, and resolves with its exit code. */
  stop(): Promise<number | null>;
}

/** Types lines into bash and gives what they printed. Fails when one of them fails. */
export async function typeLines(desk: Desk, lines: string): Promise<string> {
  const { code, printed } = await typeForCode(desk, lines);
  assert.equal(code, 0, `${lines}\n${printed}`);
  return printed;
}

/** The same for lines that may fail. */
export async function typeForCode(desk: Desk, lines: string): Promise<{ code: number | null; printed: string }> {
  const shell = openShell(desk, lines);
  return { code: await shell.closed, printed: shell.printed() };
}

/** Types lines of which the last one stays. */
export function startLines(desk: Desk, lines: string): StayingCommand {
  const { child, closed, printed } = openShell(desk, lines);
  const state = { isOver: false };
  void closed.then(() => {
    state.isOver = true;
  });
  return {
    printed,
    async until(text) {
      const deadline = Date.now() + patienceMs;
      while (!printed().includes(text)) {
        assert.ok(!state.isOver, `it ended without "${text}":\n${lines}\n${printed()}`);
        assert.ok(Date.now() < deadline, `it still has not printed "${text}":\n${lines}\n${printed()}`);
        await pause(50);
      }
    },
    stop() {
      signalAll(child, 'SIGINT');
      return closed;
    },
  };
}

function openShell(desk: Desk, lines: string) {
  const child = spawn('bash', ['-eu', '-o', 'pipefail', '-c', lines], {
    cwd: desk.folder,
    env: environmentOf(desk),
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, which a terminal would have stopped by Ctrl-C as a whole.
    detached: true,
  });
  const killWithUs = () => signalAll(child, 'SIGKILL');
  process.once('exit', killWithUs);
  const closed = once(child, 'close').then(([code]) => {
    process.removeListener('exit', killWithUs);
    return code as number | null;
  });
  return { child, closed, printed: collect(child.stdout, child.stderr) };
}

function collect(...streams: readonly Readable[]): () => string {
  let all = '';
  for (const stream of streams) {
    stream.on('data', (chunk: Buffer) => {
      all += chunk.toString();
    });
  }
  return () => all;
}

function signalAll({ pid, exitCode, signalCode }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, signal);
}

/** Settings of whoever runs the tests do not reach what is typed. */
function environmentOf({ folder, env = {}, programs = {} }: Desk): NodeJS.ProcessEnv {
  const bin = join(folder, '.programs');
  mkdirSync(bin, { recursive: true });
  writeScript(join(bin, 'rackwright'), `exec "${process.execPath}" "${main}" "$@"`);
  writeScript(join(bin, 'npx'), `test "$1" = rackwright && exec "$@"`);
  for (const [name, file] of Object.entries(programs)) writeScript(join(bin, name), `exec "${file}" "$@"`);
  const kept = Object.entries(process.env).filter(([name]) => !/^(RACKWRIGHT_|KUBE|NODE_TEST_CONTEXT|npm_)/.test(name));
  return {
    ...Object.fromEntries(kept),
    // In a new home everything that is built once would be built again.
    RACKWRIGHT_CACHE: cacheDirectory(),
    HOME: folder,
    ...env,
    PATH: `${bin}:${process.env.PATH ?? ''}`,
  };
}

function writeScript(file: string, text: string): void {
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
}
