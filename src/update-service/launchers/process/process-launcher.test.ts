import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readProcessMark } from '../../../jobs/index.ts';
import { createLogger } from '../../../telemetry/index.ts';
import { bmcPassword, jobProgram, startProcessRig } from '../testing/process-rig.ts';

const textOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

test('a job runs in a process of its own, reports for itself, and leaves nothing behind', async (context) => {
  const lines: string[] = [];
  const logger = createLogger({ write: (line) => lines.push(line) });
  const { launcher, launch, order, until, folder } = await startProcessRig(context, { logger });
  const { job, order: wanted } = order('succeed');
  const handle = await launch(launcher, wanted);
  await until(() => job.ended !== undefined);
  assert.equal(job.ended, 'succeeded');
  await until(async () => (await launcher.look(handle)).state === 'gone');
  assert.deepEqual(await readdir(folder), []);
  assert.match(lines.join(''), /the job ended: succeeded/);
  assert.doesNotMatch(JSON.stringify([handle, lines]), new RegExp(`${bmcPassword}|${job.token}`));
});

test('a job that succeeds, is refused its work, dies, or is stopped is logged without stack traces and errors', async (context) => {
  const lines: string[] = [];
  const logger = createLogger({ write: (line) => lines.push(line), level: 'debug' });
  const { launcher, launch, order, until, atWork, service } = await startProcessRig(context, { logger });
  const gone = async (handle: Parameters<typeof launcher.look>[0]): Promise<void> =>
    until(async () => (await launcher.look(handle)).state === 'gone');

  const success = order('succeed', 'succeeds');
  await gone(await launch(launcher, success.order));
  assert.equal(success.job.ended, 'succeeded');

  service.refuses = 'TakeJob';
  const refused = order('succeed', 'refused');
  await gone(await launch(launcher, refused.order));
  service.refuses = '';
  assert.equal(refused.job.ended, undefined);

  const lost = order('die', 'lost');
  await gone(await launch(launcher, lost.order));
  assert.equal(lost.job.ended, undefined);

  const waiting = order('wait', 'stopped');
  const handle = await launch(launcher, waiting.order);
  await atWork(waiting.job);
  await launcher.interrupt(handle, { timeoutMs: 120_000, isForced: false });
  assert.equal(waiting.job.failure?.reason, 'Cancelled');

  // It is told to stop when nothing listens at its address any more.
  const killed = order('wait', 'killed');
  const dead = await launch(launcher, killed.order);
  await atWork(killed.job);
  process.kill(-Number(dead.pid), 'SIGKILL');
  await launcher.interrupt(dead, { timeoutMs: 120_000, isForced: true });

  assert.equal(lines.filter((line) => line.includes('a job was started')).length, 5);
  assert.match(lines.join(''), /the job does not answer; sending it a signal/);
  assert.deepEqual(
    lines.filter((line) => /"level":"(error|warn)"|"stack"|\\n +at |"line":" +at /.test(line)),
    [],
  );
});

test('the token is in a file that only its owner can read, and in no argument (security.md: job-tokens)', async (context) => {
  const { launcher, launch, order, atWork } = await startProcessRig(context);
  const { job, order: wanted } = order('wait');
  const handle = await launch(launcher, wanted);
  await atWork(job);
  assert.equal((await stat(join(String(handle.folder), 'job.json'))).mode & 0o777, 0o600);
  assert.equal((await stat(String(handle.folder))).mode & 0o777, 0o700);
  if (process.platform === 'linux') {
    for (const file of ['cmdline', 'environ']) {
      const text = await readFile(`/proc/${String(handle.pid)}/${file}`, 'utf8');
      assert.equal(text.includes(job.token) || text.includes(bmcPassword), false);
    }
  }
  assert.deepEqual((await launcher.interrupt(handle, { timeoutMs: 120_000, isForced: true })).state, 'gone');
});

test('launched twice it is one job, and another life of the launcher finds it and can interrupt it', async (context) => {
  const { launcher, launch, open, order, atWork } = await startProcessRig(context);
  const { job, order: wanted } = order('wait');
  const [first, second] = await Promise.all([launch(launcher, wanted), launch(launcher, wanted)]);
  assert.deepEqual(first, second);
  await atWork(job);
  await launcher.close();
  const next = open();
  assert.deepEqual(await launch(next, wanted), first);
  assert.equal(job.takes, 1);
  assert.deepEqual(await next.look(first), { state: 'running' });
  const { state } = await next.interrupt(first, { timeoutMs: 120_000, isForced: false });
  assert.equal(state, 'gone');
  assert.equal(job.failure?.reason, 'Cancelled');
  assert.equal(existsSync(String(first.folder)), false);
});

test('a job that is deaf is ended by force, and only then', async (context) => {
  const { launcher, launch, order, until } = await startProcessRig(context);
  const { job, order: wanted } = order('hang');
  const handle = await launch(launcher, wanted);
  await until(() => job.isCancelUnsafe);
  assert.deepEqual(await launcher.interrupt(handle, { timeoutMs: 1, isForced: false }), { state: 'running' });
  const sight = await launcher.interrupt(handle, { timeoutMs: 1, isForced: true });
  assert.equal(sight.state, 'gone');
  assert.equal(job.ended === undefined || job.failure?.reason === 'Cancelled', true);
});

/** A job whose command is at work, and writes down which signals it hears. */
async function startFlash(context: TestContext) {
  const TMPDIR = await mkdtemp(join(tmpdir(), 'tools-'));
  context.after(() => rm(TMPDIR, { recursive: true, force: true }));
  const environment = { PATH: process.env.PATH ?? '', TMPDIR };
  const { launcher, launch, order, until } = await startProcessRig(context, { environment });
  const [pidFile, heardFile] = [join(TMPDIR, 'pid'), join(TMPDIR, 'heard')];
  const traps = `trap "echo TERM >> ${heardFile}; exit" TERM; trap "echo URG >> ${heardFile}" URG`;
  const command = ['/bin/sh', '-c', `${traps}; echo $$ > ${pidFile}; while [ -e ${pidFile} ]; do sleep 0.05; done`];
  const { job, order: wanted } = order('flash', 'job-1', { command });
  const handle = await launch(launcher, wanted);
  await until(async () => job.isCancelUnsafe && (await textOf(pidFile)).endsWith('\n'));
  const tool = Number(await textOf(pidFile));
  context.after(async () => {
    if ((await readProcessMark(tool)) !== undefined) process.kill(tool, 'SIGKILL');
  });
  const isToolGone = async (): Promise<boolean> => (await readProcessMark(tool)) === undefined;
  return { launcher, handle, until, tool, heard: () => textOf(heardFile), isToolGone };
}

test('a job that cannot be asked is told to stop by itself, and its command only by force', async (context) => {
  const { launcher, handle, until, tool, heard, isToolGone } = await startFlash(context);
  await rm(join(String(handle.folder), 'address'));
  assert.deepEqual(await launcher.interrupt(handle, { timeoutMs: 1, isForced: false }), { state: 'running' });
  // Signals are heard in the order of their numbers: who has heard URG has heard the TERM before it.
  process.kill(tool, 'SIGURG');
  await until(async () => /URG|TERM/.test(await heard()));
  assert.equal(await heard(), 'URG\n');
  assert.equal((await launcher.interrupt(handle, { timeoutMs: 1, isForced: true })).state, 'gone');
  await until(isToolGone);
});

test('force also ends the command of a job that died', async (context) => {
  const { launcher, handle, until, isToolGone } = await startFlash(context);
  process.kill(Number(handle.pid), 'SIGKILL');
  await until(async () => (await readProcessMark(Number(handle.pid))) === undefined);
  assert.equal(await isToolGone(), false);
  assert.equal((await launcher.interrupt(handle, { timeoutMs: 1, isForced: true })).state, 'gone');
  await until(isToolGone);
});

test('a job that died says nothing, so that its launcher says how it ended', async (context) => {
  const { launcher, launch, order, until } = await startProcessRig(context);
  const { job, order: wanted } = order('die');
  const handle = await launch(launcher, wanted);
  let why = '';
  await until(async () => {
    const sight = await launcher.look(handle);
    if (sight.state === 'gone') why = sight.why;
    return sight.state === 'gone';
  });
  assert.match(why, /ended with 7/);
  assert.equal(job.ended, undefined);
});

test('another process that has the number of one that ended is neither taken for it nor ended', async (context) => {
  const { launcher, launch, order, atWork } = await startProcessRig(context);
  const { job, order: wanted } = order('wait');
  const handle = await launch(launcher, wanted);
  await atWork(job);
  await launcher.interrupt(handle, { timeoutMs: 120_000, isForced: true });
  const reused = { ...handle, pid: process.pid };
  assert.equal((await launcher.look(reused)).state, 'gone');
  assert.equal((await launcher.interrupt(reused, { timeoutMs: 1, isForced: true })).state, 'gone');
});

test('an application that is not there is said, and leaves no token behind', async (context) => {
  const { launcher, order, folder } = await startProcessRig(context, { command: ['/nowhere/job'] });
  await assert.rejects(launcher.launch(order('succeed').order), /\/nowhere\/job cannot be started/);
  assert.deepEqual(await readdir(folder), []);
});

test('what a job left that ended while nobody looked is thrown away at the next start, of others nothing', async (context) => {
  const { launcher, launch, open, order, atWork, until, folder } = await startProcessRig(context);
  const ended = order('die', 'job-a');
  const kept = order('die', 'job-b');
  const running = order('wait', 'job-c');
  const [endedHandle, keptHandle, runningHandle] = [
    await launch(launcher, ended.order),
    await launch(launcher, kept.order),
    await launch(launcher, running.order),
  ];
  await atWork(running.job);
  for (const { pid } of [endedHandle, keptHandle])
    await until(async () => (await readProcessMark(Number(pid))) === undefined);
  await launcher.close();
  assert.equal(existsSync(join(String(endedHandle.folder), 'job.json')), true);
  const next = open();
  await next.sweep?.([keptHandle]);
  assert.deepEqual(
    [endedHandle, keptHandle, runningHandle].map((handle) => existsSync(join(String(handle.folder), 'job.json'))),
    [false, true, true],
  );
  assert.equal((await readdir(folder)).length, 2);
  await next.interrupt(runningHandle, { timeoutMs: 120_000, isForced: true });
});

test('a second process for the same folder does not begin', async (context) => {
  const { launcher, launch, order, atWork, until } = await startProcessRig(context);
  const { job, order: wanted } = order('wait');
  const handle = await launch(launcher, wanted);
  await atWork(job);
  const { spawn } = await import('node:child_process');
  const words = [jobProgram, '--job-file', join(String(handle.folder), 'job.json'), '--claim', String(handle.folder)];
  const second = spawn(process.execPath, words, { stdio: 'ignore' });
  await until(() => second.exitCode !== null);
  assert.notEqual(second.exitCode, 0);
  assert.equal(job.takes, 1);
  await launcher.interrupt(handle, { timeoutMs: 120_000, isForced: true });
});

test('launchers with folders of their own on one machine do not see the jobs of each other', async (context) => {
  const { launcher, launch, open, order, atWork } = await startProcessRig(context);
  const other = (await startProcessRig(context)).launcher;
  const { job, order: wanted } = order('wait');
  const handle = await launch(launcher, wanted);
  await atWork(job);
  assert.equal((await other.look(handle)).state, 'unknown');
  assert.equal((await other.interrupt(handle, { timeoutMs: 1, isForced: true })).state, 'unknown');
  assert.deepEqual(await launcher.look(handle), { state: 'running' });
  assert.notEqual(await other.scope(), await launcher.scope());
  await launcher.interrupt(handle, { timeoutMs: 120_000, isForced: true });
  const next = open();
  await next.sweep?.([]);
  assert.equal(await next.scope(), await launcher.scope());
});

test('a folder in the place of another is another scope, and so is a copy of one', async (context) => {
  const { launcher, open, folder } = await startProcessRig(context);
  const first = await launcher.scope();
  const copy = `${folder}-copy`;
  context.after(() => rm(copy, { recursive: true, force: true }));
  await cp(folder, copy, { recursive: true });
  const copied = (await startProcessRig(context, { folder: copy })).launcher;
  assert.notEqual(await copied.scope(), first);
  await rm(folder, { recursive: true });
  assert.notEqual(await open().scope(), first);
});
