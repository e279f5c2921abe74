import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { truncate } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { isCatalogError } from './errors.ts';
import { readCatalog } from './read-catalog.ts';
import { type HugeCatalog, serveHugeCatalog } from './testing/huge-catalog.ts';
import { folderWith } from './testing/read-text.ts';

const mib = 1024 * 1024;

async function serve(context: TestContext, catalog: HugeCatalog): Promise<string> {
  const server = await serveHugeCatalog(catalog);
  context.after(() => server.close());
  return server.url;
}

const query = { manufacturer: 'Dell', model: 'PowerEdge R640' };

test('a catalogue of 200 MB is refused with a reason and without being read, from a disk and from a server that says how large it is', async (context) => {
  const location = await folderWith(context, { 'Catalog.xml': '<?xml version="1.0"?><Manifest version="1">' });
  await truncate(join(location, 'Catalog.xml'), 200 * mib);
  await assert.rejects(readCatalog({ format: 'dell', location }, query), (error) => isCatalogError(error, 'tooLarge'));
  // Of its body nothing ever comes.
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-length': 200 * mib }).flushHeaders();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/Catalog.xml`;
  await assert.rejects(readCatalog({ format: 'dell', location: url }, query), (error) => {
    assert.ok(isCatalogError(error, 'tooLarge'));
    assert.match(error.message, /more than 134217728 bytes/);
    return true;
  });
});

test('a catalogue that is larger than the memory of a process is read by it', { timeout: 300_000 }, async (context) => {
  const url = await serve(context, { format: 'dell', bytes: 96 * mib });
  const script = join(import.meta.dirname, 'testing/read-huge.ts');
  const child = spawn(process.execPath, ['--max-old-space-size=64', script, url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  context.after(() => child.kill('SIGKILL'));
  const { seen, held, versions } = JSON.parse(await text(child.stdout)) as {
    seen: number;
    held: number;
    versions: string[];
  };
  assert.ok(seen > 4000, `${seen} entries`);
  assert.equal(held, 10, 'only what is for the model is held');
  assert.deepEqual(versions, ['1.9.0', '1.8.0', '1.7.0']);
});

test('what is held does not grow with the catalogue, in every format', async (context) => {
  for (const format of ['hpe', 'plain'] as const) {
    const location = await serve(context, { format, bytes: 4 * mib });
    const query =
      format === 'hpe'
        ? { manufacturer: 'HPE', model: 'ProLiant DL360 Gen10' }
        : { manufacturer: 'Dell', model: 'PowerEdge R640' };
    const { seen, held } = await readCatalog({ format, location }, query, { limits: { maxMatches: 20 } });
    assert.ok(seen > 3000 && held <= 20, `${format}: ${seen} seen, ${held} held`);
  }
});

test('a catalogue that is larger than allowed is refused before it is all read', async (context) => {
  const location = await serve(context, { format: 'dell', bytes: 4096 * mib });
  const reading = readCatalog(
    { format: 'dell', location },
    { manufacturer: 'Dell', model: 'PowerEdge R640' },
    { limits: { maxBytes: mib } },
  );
  await assert.rejects(reading, (error) => isCatalogError(error, 'tooLarge'));
});
