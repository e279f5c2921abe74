import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { updateRpc } from '../api/index.ts';
import { createUpdateServiceClient } from './clients/rpc-client.ts';

const { JobState, RequestStatus } = updateRpc;
const program = join(import.meta.dirname, 'testing/service-process.ts');

/** Looks until something is there. */
async function found<T>(look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (let turn = 0; turn < 6000; turn++) {
    const value = await look();
    if (value !== undefined) return value;
    await pause(20);
  }
  throw new Error('it never came');
}

function placeOf(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'update-service-'));
  let child: ChildProcess | undefined;
  const kill = async (): Promise<void> => {
    if (child === undefined) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    child = undefined;
    rmSync(join(folder, 'url'), { force: true });
  };
  t.after(async () => {
    await kill();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    kill,
    async start() {
      child = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'ignore', 'inherit'] });
      const file = join(folder, 'url');
      const url = await found(() => (existsSync(file) ? readFileSync(file, 'utf8') : undefined));
      return createUpdateServiceClient({ url, token: async () => 'all' });
    },
    /** The jobs that were started for a condition, with their proofs. */
    jobsOf: (jobId: string) =>
      readdirSync(folder)
        .filter((name) => name.startsWith(jobId) && name.endsWith('.job'))
        .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as { jobId: string; token: string }),
  };
}

test('after kill -9 no second job starts where one still runs, and no accepted request is forgotten', async (t) => {
  const place = placeOf(t);
  let client = await place.start();
  const alpha = await client.scan({ server: { name: 'alpha' } });
  assert.equal(alpha.status, RequestStatus.SCHEDULED);
  const [proof] = await found(() => {
    const jobs = place.jobsOf(alpha.jobId);
    return jobs.length > 0 ? jobs : undefined;
  });
  const take = async () => (await client.takeJob({ proof })).status === RequestStatus.SUCCEEDED || undefined;
  await found(take);
  // A request that was answered the moment before.
  const model = { discoveredFirmware: { name: 'r640' }, manufacturer: 'Dell', model: 'R640', versionsToStore: 3 };
  const [beta, discovery] = await Promise.all([client.scan({ server: { name: 'beta' } }), client.discover(model)]);
  await place.kill();

  client = await place.start();
  const progress = await client.reportProgress({ proof, percent: 50, message: 'it went on meanwhile' });
  assert.equal(progress.status, RequestStatus.SUCCEEDED, progress.error?.message);
  const again = await client.scan({ server: { name: 'alpha' } });
  assert.deepEqual([again.status, again.jobId], [RequestStatus.ALREADY_SCHEDULED, alpha.jobId]);
  // What else was accepted is launched by the new life, or was by the old one.
  for (const { jobId } of [beta, discovery]) await found(() => place.jobsOf(jobId)[0]);
  assert.equal(place.jobsOf(alpha.jobId).length, 1);
  const { job } = await client.getJob({ jobId: alpha.jobId });
  assert.deepEqual([job?.state, job?.attempts, job?.percent], [JobState.RUNNING, 1, 50]);
  const firmwares = [{ name: 'bios', manufacturer: '', version: '2.9' }];
  const ended = await client.updateServer({ server: { name: 'alpha' }, firmwares, proof });
  assert.equal(ended.status, RequestStatus.SUCCEEDED, ended.error?.message);
  assert.equal((await client.getJob({ jobId: alpha.jobId })).job?.state, JobState.SUCCEEDED);
});
