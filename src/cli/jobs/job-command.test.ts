import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { createFakeUpdateService, encodeJobFile, type KeptJob } from '../../jobs/index.ts';
import { runCommandLine } from '../program.ts';
import { silentTerminal } from '../reference-page.ts';

interface Rig {
  readonly job: KeptJob;
  readonly folder: string;
  run(...words: readonly string[]): Promise<{ readonly code: number; readonly printed: string }>;
}

async function rigOf(context: TestContext, firmware: readonly object[]): Promise<Rig> {
  const folder = await mkdtemp(join(tmpdir(), 'job-command-'));
  const service = createFakeUpdateService();
  const server = createServer(connectNodeAdapter({ routes: service.routes })).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sessions = new Set<{ destroy(): void }>();
  server.on('session', (session) => sessions.add(session));
  context.after(async () => {
    for (const session of sessions) session.destroy();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });
  const catalog = join(folder, 'catalog.json');
  await writeFile(catalog, JSON.stringify({ apiVersion: 'rackwright.dev/v1', kind: 'FirmwareCatalog', firmware }));
  const discovery = {
    name: 'acme-one',
    manufacturer: 'Acme',
    model: 'One',
    versionsToStore: 3,
    sources: [{ format: 'plain' as const, location: catalog }],
  };
  const work = { kind: 'firmwareDiscover', target: 'model/Acme/One', parameters: {}, discovery };
  const job = service.add({ id: 'job-1', type: 'DISCOVERY', work });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const jobFile = encodeJobFile({ jobId: 'job-1', token: job.token, updateService: { url } });
  await writeFile(join(folder, 'job.json'), jobFile, { mode: 0o600 });
  return {
    job,
    folder,
    async run(...words) {
      let printed = '';
      const write = (text: string): void => {
        printed += text;
      };
      const terminal = { ...silentTerminal, cwd: folder, out: write, err: write };
      return { code: await runCommandLine(['job', '--job-file', 'job.json', ...words], terminal), printed };
    },
  };
}

const entry = {
  component: 'bios',
  manufacturer: 'Acme',
  version: '1.0',
  url: 'http://127.0.0.1:1/bios.bin',
  checksums: [`sha256:${'0'.repeat(64)}`],
};

test('the command does its job, says where its interface is, and never its token', async (context) => {
  const { job, folder, run } = await rigOf(context, [entry]);
  const { code, printed } = await run('--claim', '.');
  assert.equal(code, 0, printed);
  assert.equal(job.discovered?.firmwares[0]?.versions[0], '1.0');
  assert.match(await readFile(join(folder, 'address'), 'utf8'), /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.equal(job.address, await readFile(join(folder, 'address'), 'utf8'));
  assert.equal(printed.includes(job.token), false);
  // Whoever launches it once more gets no second job.
  const again = await run('--claim', '.');
  assert.equal(again.code, 1);
  assert.match(again.printed, /another process does or did the job/);
  assert.equal(job.takes, 1);
});

test('a job that fails ends with its own code and its reason', async (context) => {
  const { job, run } = await rigOf(context, [{ ...entry, checksums: ['sha256:no'] }]);
  const { code, printed } = await run();
  assert.equal(code, 8, printed);
  assert.equal(job.failure?.isTransient, false);
});

test('a job that another has by now ends without a word to anybody', async (context) => {
  const { job, run } = await rigOf(context, [entry]);
  job.isLost = true;
  const { code, printed } = await run();
  assert.equal(code, 1);
  assert.match(printed, /no right to go on/);
  assert.equal(job.ended, undefined);
});

test('jobs that were added are loaded by the command, and one that cannot be fails the job', async (context) => {
  const { job, folder, run } = await rigOf(context, [entry]);
  const text = `export const jobImplementations = [{
    type: 'discovery',
    manufacturer: 'Acme',
    async run(work, { harvest, job }) {
      const firmwares = [{ name: 'bios', manufacturer: 'Acme', versions: ['9.0 for ' + job.model] }];
      harvest.keepDiscovered({ firmwares, images: [], observedAt: 1 });
      return { outcome: 'succeeded' };
    },
  }];`;
  await writeFile(join(folder, 'jobs.mjs'), text);
  const { code, printed } = await run('--job-implementation', './jobs.mjs');
  assert.equal(code, 0, printed);
  assert.equal(job.discovered?.firmwares[0]?.versions[0], `9.0 for ${job.model}`);
  const broken = await rigOf(context, [entry]);
  const ended = await broken.run('--job-implementation', './not-there.mjs');
  assert.equal(ended.code, 8, ended.printed);
  assert.equal(broken.job.failure?.reason, 'UnknownImplementation');
});
