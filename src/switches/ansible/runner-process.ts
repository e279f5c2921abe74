import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { RunnerAnswer, RunnerOrder } from './runner-order.ts';

/** Where Ansible is. */
export interface AnsibleInstallation {
  /** The interpreter that has ansible-core and network-runner. */
  readonly python: string;
  /** Folders with an `ansible_collections` in them, besides what the interpreter finds by itself. */
  readonly collections?: readonly string[] | undefined;
  /** Folder that the role `network-runner` is in; where pip puts it for this interpreter when not given. */
  readonly roles?: string | undefined;
  /** Orders worked on at the same time. */
  readonly parallel?: number | undefined;
}

/** A process that has Ansible loaded and takes one order after the other. */
export interface AnsibleRunner {
  run(order: RunnerOrder, signal: AbortSignal): Promise<RunnerAnswer>;
  close(): Promise<void>;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

const script = join(import.meta.dirname, 'runner', 'runner.py');
const emptyConfig = 'ansible.cfg';
const callbacks = join(import.meta.dirname, 'runner', 'callbacks');
const modules = join(import.meta.dirname, 'runner', 'modules');

/** Makes a runner that starts with its first order, and anew when its process has died. */
export function createAnsibleRunner(installation: AnsibleInstallation): AnsibleRunner {
  const waiting = new Map<number, (answer: RunnerAnswer) => void>();
  let child: Child | undefined;
  let folder: string | undefined;
  let nextId = 1;
  let isClosed = false;

  const fail = (error: string): void => {
    for (const leave of [...waiting.values()]) leave({ error });
  };
  const start = (): Child => {
    folder ??= makeFolder();
    const started = spawn(installation.python, [script], {
      env: environmentOf(installation, folder),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let lastWords = '';
    const over = (why: string): void => {
      if (child !== started) return;
      child = undefined;
      fail(`the Ansible runner ended: ${why} ${lastWords}`.trimEnd());
    };
    started.once('error', (error: NodeJS.ErrnoException) => over(error.code ?? error.message));
    started.once('close', (code, signal) => over(signal ?? `exit code ${code}`));
    started.stdin.on('error', () => undefined);
    // Orders run with their output thrown away, so this is only what keeps the runner from starting.
    createInterface({ input: started.stderr }).on('line', (line) => {
      lastWords = line;
    });
    createInterface({ input: started.stdout }).on('line', (line) => take(line, waiting));
    return started;
  };

  return {
    run: (order, signal) =>
      new Promise((resolve) => {
        if (isClosed || signal.aborted) return resolve({ error: 'given up' });
        child ??= start();
        const { stdin } = child;
        const id = nextId++;
        const leave = (answer: RunnerAnswer): void => {
          waiting.delete(id);
          signal.removeEventListener('abort', give);
          resolve(answer);
        };
        const give = (): void => {
          stdin.write(`${JSON.stringify({ cancel: id })}\n`);
          leave({ error: 'given up' });
        };
        signal.addEventListener('abort', give, { once: true });
        waiting.set(id, leave);
        stdin.write(`${JSON.stringify({ ...order, id })}\n`);
      }),
    async close() {
      isClosed = true;
      const ending = child;
      child = undefined;
      fail('given up');
      if (ending !== undefined && ending.exitCode === null && ending.signalCode === null) {
        // It ends what it works on and itself when its stdin does.
        const ended = new Promise((resolve) => ending.once('exit', resolve));
        ending.stdin.end();
        await ended;
      }
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The settings of whoever started us, and of the machine, are not Ansible's here: it gets a file without any. */
function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rwa-'));
  writeFileSync(join(folder, emptyConfig), '');
  return folder;
}

function take(line: string, waiting: ReadonlyMap<number, (answer: RunnerAnswer) => void>): void {
  // A library that prints to stdout must not end us; only our own answers are objects.
  if (!line.startsWith('{')) return;
  try {
    const { id, results, error } = JSON.parse(line) as { id?: number } & RunnerAnswer;
    if (id !== undefined) waiting.get(id)?.({ results, error });
  } catch (error) {
    for (const leave of [...waiting.values()]) leave({ error: `the runner's answer cannot be read: ${String(error)}` });
  }
}

/** Only what Ansible needs: nothing of our own environment, which may hold secrets, gets to it. */
function environmentOf(
  { python, collections = [], roles, parallel = 4 }: AnsibleInstallation,
  folder: string,
): NodeJS.ProcessEnv {
  const path = process.env.PATH ?? '/usr/bin:/bin';
  const bin = isAbsolute(python) ? dirname(python) : undefined;
  return {
    PATH: bin === undefined ? path : `${bin}:${path}`,
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    HOME: folder,
    TMPDIR: folder,
    PYTHONDONTWRITEBYTECODE: '1',
    RACKWRIGHT_RUNNER_PARALLEL: String(parallel),
    ANSIBLE_CONFIG: join(folder, emptyConfig),
    ANSIBLE_HOME: join(folder, 'home'),
    ANSIBLE_LOCAL_TEMP: join(folder, 'local'),
    ANSIBLE_CALLBACK_PLUGINS: callbacks,
    ANSIBLE_LIBRARY: modules,
    ...(roles === undefined ? {} : { ANSIBLE_ROLES_PATH: roles }),
    ...(collections.length === 0 ? {} : { ANSIBLE_COLLECTIONS_PATH: collections.join(':') }),
    ANSIBLE_PIPELINING: 'True',
    ANSIBLE_HOST_KEY_CHECKING: 'True',
    ANSIBLE_SSH_RETRIES: '0',
    ANSIBLE_INTERPRETER_PYTHON: '/usr/bin/python3',
    ANSIBLE_NOCOLOR: '1',
    ANSIBLE_DEPRECATION_WARNINGS: 'False',
  };
}
