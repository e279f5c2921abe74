import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createFakeUpdateService, loadImplementations, runJob } from 'rackwright/jobs';
import { acmeDiscovery } from './vendor-jobs/jobs.ts';

/** What Acme publishes, the newest first. */
const releases = ['3.0', '2.0', '1.0'].map((version) => ({
  ...{ part: 'bios', version, models: ['One'], file: `bios-${version}.bin` },
  sha256: version.charAt(0).repeat(64),
}));

async function startAcme(context: TestContext, answer: { readonly status: number; readonly body: unknown }) {
  const server = createServer((_request, response) =>
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body)),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  context.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/releases.json`;
}

/** Runs a discovery as an update service would have it done, by a job of its own. */
async function discover(url: string, manufacturer: string) {
  const service = createFakeUpdateService();
  const order = { name: 'one', manufacturer, model: 'One', versionsToStore: 2, sources: [] };
  const work = { kind: 'firmwareDiscover', target: 'model/one', parameters: {}, discovery: order };
  const job = service.add({ id: 'job-1', type: 'DISCOVERY', manufacturer, model: 'One', work });
  const end = await runJob({
    jobFile: { jobId: 'job-1', token: job.token, updateService: { url: 'http://127.0.0.1:1' } },
    transport: service.transport,
    loadImplementations: async () => [acmeDiscovery(url)],
  });
  return { end, job };
}

test('the package can be loaded by its path', async () => {
  const [found, ...others] = await loadImplementations({ names: [join(import.meta.dirname, 'vendor-jobs')] });
  assert.deepEqual([found?.type, found?.manufacturer, others], ['discovery', 'Acme', []]);
});

test('the newest versions for servers of Acme are found in its own list', async (context) => {
  const url = await startAcme(context, { status: 200, body: releases });
  const { end, job } = await discover(url, 'ACME');
  assert.deepEqual(end, { outcome: 'succeeded' });
  assert.deepEqual(job.discovered?.firmwares[0]?.versions, ['2.0', '3.0']);
  assert.deepEqual(
    job.discovered?.images.map((one) => one.url),
    ['bios-3.0.bin', 'bios-2.0.bin'].map((file) => new URL(file, url).href),
  );
});

test('a list that cannot be read now is read later', async (context) => {
  const { end, job } = await discover(await startAcme(context, { status: 503, body: {} }), 'Acme');
  assert.equal(end.outcome, 'released');
  assert.equal(job.failure?.isTransient, true);
});

test('servers of others are looked after as before', async (context) => {
  const { job } = await discover(await startAcme(context, { status: 200, body: releases }), 'Dell');
  assert.equal(job.failure?.reason, 'NoCatalog');
});
