import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ApiClient } from './apiserver-client.ts';
import { createWidgetCrd, widget, widgetPath } from './apiserver-fixture.ts';
import type { Measured } from './apiserver-measured.ts';
import { assertServes } from './apiserver-state.ts';

type Usage = Extract<Measured, { what: 'usage' }>;

/** Far above what a garbage collector leaves lying about, far below what thousands of leaks add up to. */
const slackBytes = 6 << 20;

const dataDir = mkdtempSync(join(tmpdir(), 'apiserver-leaks-'));
const program = fileURLToPath(new URL('./apiserver-measured.ts', import.meta.url));
let server: ChildProcess;
let target: Extract<Measured, { what: 'target' }>['target'];

before(async () => {
  server = fork(program, [dataDir], { execArgv: ['--expose-gc'] });
  const [said] = (await once(server, 'message')) as [Measured];
  assert.ok(said.what === 'target');
  target = said.target;
  const client = new ApiClient(target);
  await createWidgetCrd(client);
  await client.request('POST', widgetPath(), { body: widget('x', { size: 1 }) });
  await watchMany(client, 100);
  await requestMany(client, 500);
  client.close();
});

after(async () => {
  const exit = once(server, 'exit');
  server.kill();
  await exit;
  rmSync(dataDir, { recursive: true, force: true });
});

async function measure(): Promise<Usage> {
  server.send('measure');
  const [said] = (await once(server, 'message')) as [Measured];
  assert.ok(said.what === 'usage');
  return said;
}

/** Asks until the last connection is gone; a leaked one is never, and the test runs into its time limit. */
async function settled(baseline?: Usage): Promise<Usage> {
  for (;;) {
    const usage = await measure();
    if (openHandles(usage) <= (baseline === undefined ? 0 : openHandles(baseline))) return usage;
  }
}

function openHandles({ resources }: Usage): number {
  return resources.TCPSocketWrap ?? 0;
}

async function watchMany(client: ApiClient, count: number): Promise<void> {
  for (let opened = 0; opened < count; opened += 50) {
    const watches = await Promise.all(Array.from({ length: 50 }, () => client.watch(`${widgetPath()}?watch=1`)));
    for (const watch of watches) assert.equal((await watch.next())?.type, 'ADDED');
    for (const watch of watches) watch.close();
  }
}

/** Reads, writes that change nothing, and refusals of many kinds, none of which may be remembered. */
async function requestMany(client: ApiClient, count: number): Promise<void> {
  let sent = 0;
  const run = async (): Promise<void> => {
    while (sent < count) {
      const n = sent++;
      const [method, path, body] = kinds[n % kinds.length]?.(n) ?? ['GET', '/version', undefined];
      await client.request(method, path, { body });
    }
  };
  await Promise.all(Array.from({ length: 16 }, run));
}

const kinds: ((n: number) => [method: string, path: string, body: unknown])[] = [
  () => ['GET', widgetPath('x'), undefined],
  () => ['GET', `${widgetPath()}?limit=5`, undefined],
  (n) => ['GET', widgetPath(`missing-${n}`), undefined],
  (n) => ['GET', `/api/v1/namespaces/default/unknown${n}`, undefined],
  (n) => ['GET', `/unknown/${n}`, undefined],
  (n) => ['GET', `${widgetPath('x')}/sub${n}`, undefined],
  (n) => ['GET', `${widgetPath()}?labelSelector=a%3D${n}`, undefined],
  (n) => ['POST', widgetPath(), `{"broken ${n}`],
  (n) => ['POST', widgetPath(), widget(`bad-${n}`, { size: -1 })],
  (n) => ['POST', `${widgetPath()}?dryRun=All`, widget(`dry-${n}`)],
];

test('ten thousand requests leave no memory and no connection behind', { timeout: 120_000 }, async () => {
  const baseline = await settled();
  const client = new ApiClient(target);
  await requestMany(client, 10_000);
  client.close();
  const end = await settled(baseline);
  const grown = end.heapBytes - baseline.heapBytes;
  assert.ok(grown < slackBytes, `the heap grew by ${grown} bytes`);
  assert.ok((end.resources.Timeout ?? 0) <= (baseline.resources.Timeout ?? 0) + 2, JSON.stringify(end.resources));
});

test('metrics do not grow with the names that clients make up', async () => {
  const client = new ApiClient(target);
  const { text } = await client.request('GET', '/metrics');
  client.close();
  assert.match(text, /resource="widgets"/);
  for (const made of ['unknown', 'sub1', 'missing'])
    assert.equal(text.includes(made), false, `${made} is in the metrics`);
});

test('a thousand watches, opened and dropped, leave no memory and no connection behind', {
  timeout: 120_000,
}, async () => {
  const baseline = await settled();
  const client = new ApiClient(target);
  await watchMany(client, 1000);
  client.close();
  const end = await settled(baseline);
  const grown = end.heapBytes - baseline.heapBytes;
  assert.ok(grown < slackBytes, `the heap grew by ${grown} bytes`);
  assert.ok((end.resources.Timeout ?? 0) <= (baseline.resources.Timeout ?? 0) + 2, JSON.stringify(end.resources));
});

test('five hundred watches at once are dropped without the server noticing anything else', {
  timeout: 120_000,
}, async () => {
  const client = new ApiClient(target);
  const watches = await Promise.all(Array.from({ length: 500 }, () => client.watch(`${widgetPath()}?watch=1`)));
  await assertServes(client);
  for (const watch of watches) watch.close();
  await assertServes(client);
  const metrics = await client.request('GET', '/metrics');
  assert.match(metrics.text, /apiserver_longrunning_requests\{[^}]*widgets[^}]*\} \d+/);
  client.close();
  await settled();
});
