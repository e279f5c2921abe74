import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { type Clock, systemClock } from '../../../kube/index.ts';
import { readProcessMark } from '../../process-mark.ts';
import { runCommand } from './run-command.ts';
import { findTools, signalToolsOf, sweepToolFolders } from './tool-folders.ts';

const killedCommand = join(import.meta.dirname, '..', '..', 'testing', 'killed-command.ts');
const skip = process.platform === 'linux' ? false : 'marks in the environment can be seen on Linux only';

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await setTimeout(20);
}

const isRunning = async (pid: number): Promise<boolean> => (await readProcessMark(pid)) !== undefined;

/** A wrapper that does not become the tool: it starts it, and waits for it. The tool writes its number into a file. */
async function wrapTool(context: TestContext, { tool = '', by = '' }: { tool?: string; by?: string } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'wrapped-'));
  const file = join(folder, 'pid');
  const inner = `${tool} echo $$ > ${file}.new; mv ${file}.new ${file}; exec sleep 600`;
  const command = ['/bin/sh', '-c', `${by} /bin/sh -c '${inner}'; exit $?`] as const;
  const pid = async (): Promise<number> => Number(await readFile(file, 'utf8'));
  context.after(async () => {
    if (existsSync(file)) kill(await pid());
    await rm(folder, { recursive: true });
  });
  return { command, pid, isBegun: () => existsSync(file) };
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone, as it should be.
  }
}

for (const [name, tool] of [
  ['stops when it is told', ''],
  ['is deaf', 'trap "" TERM;'],
] as const) {
  test(`a tool that a wrapper started is ended with it when it ${name}`, async (context) => {
    const { command, pid, isBegun } = await wrapTool(context, { tool });
    const cut = new AbortController();
    const order = { cwd: '/', environment: { PATH: process.env.PATH ?? '' }, clock: systemClock, secrets: [] };
    const running = runCommand({ ...order, command, deadlineMs: 600_000, signal: cut.signal, killAfterMs: 20 });
    await until(isBegun);
    cut.abort();
    await running;
    assert.equal(await isRunning(await pid()), false);
  });
}

test('a command is not over while a tool that it left behind goes on', async (context) => {
  const { command, pid, isBegun } = await wrapTool(context);
  const [shell, flag, script] = command;
  const order = { cwd: '/', environment: { PATH: process.env.PATH ?? '' }, clock: systemClock, secrets: [] };
  const signal = new AbortController().signal;
  const behind = [shell, flag, `${script.replace('; exit $?', '')} >/dev/null 2>&1 & echo begun`] as const;
  let waits = 0;
  const clock: Clock = {
    ...systemClock,
    after: (ms, action) => {
      waits += 1;
      return systemClock.after(ms, action);
    },
  };
  let isOver = false;
  const running = runCommand({ ...order, clock, command: behind, deadlineMs: 600_000, signal }).finally(() => {
    isOver = true;
  });
  // The first wait is that for its deadline.
  await until(() => isOver || (isBegun() && waits > 3));
  assert.equal(isOver, false);
  kill(await pid());
  assert.equal((await running).code, 0);
});

for (const [name, by] of [
  ['as it was started', ''],
  ['without its environment', 'env -i'],
  ['in a session of its own', 'setsid --wait'],
] as const) {
  test(`a tool ${name} is found, and ended, after its process and its wrapper were killed`, {
    skip,
  }, async (context) => {
    const { command, pid, isBegun } = await wrapTool(context, { by });
    const origin = `https://${crypto.randomUUID()}.example`;
    const owner = spawn(process.execPath, [killedCommand, origin, 'hush', ...command], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    context.after(() => owner.kill('SIGKILL'));
    const [folder = ''] = await once(owner.stdout, 'data').then(([piece]) => String(piece).trim().split('\n'));
    await until(isBegun);
    const note = JSON.parse(await readFile(join(folder, 'note.json'), 'utf8'));
    owner.kill('SIGKILL');
    await once(owner, 'close');
    kill(note.tool.pid);
    await until(async () => !(await isRunning(note.tool.pid)));
    assert.deepEqual(
      (await findTools(origin)).map(({ isOrphan }) => isOrphan),
      [true],
    );
    await sweepToolFolders();
    assert.equal(existsSync(folder), true);
    await signalToolsOf(note.owner, { signal: 'SIGTERM', folder: tmpdir() });
    await until(async () => (await findTools(origin)).length === 0);
    assert.equal(await isRunning(await pid()), false);
    await sweepToolFolders();
    assert.equal(existsSync(folder), false);
  });
}
