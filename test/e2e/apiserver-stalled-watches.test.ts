import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { ApiClient, objectIn } from './apiserver-client.ts';
import { createWidgetCrd, widget, widgetPath } from './apiserver-fixture.ts';
import type { Measured } from './apiserver-measured.ts';

const mebibyte = 1 << 20;
const stalledWatches = 50;
const bodyBytes = 200_000;
/** What waits is shared by all who wait and, mostly, with recent history (24 MiB); the rest is on its way through TLS. */
const mostBytes = (16 + 24 + 16) * mebibyte;

const dataDir = mkdtempSync(join(tmpdir(), 'apiserver-stalled-'));
const program = fileURLToPath(new URL('./apiserver-measured.ts', import.meta.url));
let server: ChildProcess;
let client: ApiClient;

before(async () => {
  server = fork(program, [dataDir], { execArgv: ['--expose-gc'] });
  const [said] = (await once(server, 'message')) as [Measured];
  assert.ok(said.what === 'target');
  client = new ApiClient(said.target);
  await createWidgetCrd(client);
});

after(async () => {
  client.close();
  const exit = once(server, 'exit');
  server.kill();
  await exit;
  rmSync(dataDir, { recursive: true, force: true });
});

async function heldBytes(): Promise<number> {
  server.send('measure');
  const [said] = (await once(server, 'message')) as [Measured];
  assert.ok(said.what === 'usage');
  return said.heldBytes;
}

async function metric(pattern: RegExp): Promise<number> {
  return Number(pattern.exec((await client.request('GET', '/metrics')).text)?.[1] ?? 0);
}

/** A connection that asks for a watch and never reads what comes. */
async function stalledWatch(path: string): Promise<TLSSocket> {
  const socket = await client.connect();
  socket.on('error', () => undefined).pause();
  socket.write(client.head(`GET ${path} HTTP/1.1`));
  return socket;
}

test('fifty watches that nobody reads cost bounded memory, are cut off, and slow nobody', {
  timeout: 120_000,
}, async (t) => {
  await client.request('POST', widgetPath(), { body: widget('x') });
  const path = `${widgetPath()}?watch=1&resourceVersion=${objectIn(await client.request('GET', widgetPath('x'))).metadata.resourceVersion}`;
  const reading = await client.watch(path);
  const baseline = await heldBytes();
  const sockets = await Promise.all(Array.from({ length: stalledWatches }, () => stalledWatch(path)));
  while ((await metric(/longrunning_requests\{resource="widgets"\} (\d+)/)) < stalledWatches + 1);
  let most = 0;
  let writes = 0;
  for (let cut = 0; cut < stalledWatches; cut = await metric(/cut_off_total\{reason="bytes"\} (\d+)/)) {
    for (let n = 0; n < 10; n++) {
      writes += 1;
      const reply = await client.request('PATCH', widgetPath('x'), {
        body: { spec: { body: `${writes} ${'x'.repeat(bodyBytes)}` } },
        headers: { 'content-type': 'application/merge-patch+json' },
      });
      // The one who reads has seen every change, in order, before the next one is made.
      const event = await reading.next();
      assert.equal(event?.object.metadata.resourceVersion, objectIn(reply).metadata.resourceVersion);
    }
    most = Math.max(most, (await heldBytes()) - baseline);
    assert.ok(writes < 400, `after ${(writes * bodyBytes) / mebibyte} MiB only ${cut} of them are cut off`);
  }
  for (const socket of sockets) socket.resume();
  await Promise.all(sockets.map((socket) => socket.destroyed || once(socket, 'close')));
  reading.close();
  const left = (await heldBytes()) - baseline;
  const inMebibytes = (bytes: number): string => `${(bytes / mebibyte).toFixed(1)} MiB`;
  t.diagnostic(`${stalledWatches} stalled watches, ${writes} writes of ${bodyBytes} bytes`);
  t.diagnostic(`memory held: at most ${inMebibytes(most)} more than before, ${inMebibytes(left)} at the end`);
  assert.ok(most < mostBytes, `${inMebibytes(most)} were held, ${inMebibytes(mostBytes)} would be right`);
});
