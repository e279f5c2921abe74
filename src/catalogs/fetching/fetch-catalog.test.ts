import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createFakeClock } from '../../kube/index.ts';
import { isCatalogError } from '../errors.ts';
import { createCatalogReader, readCatalog } from '../read-catalog.ts';
import { dellCatalog, dellPackages } from '../testing/fixtures.ts';
import { folderWith } from '../testing/read-text.ts';

const query = { manufacturer: 'Dell', model: 'PowerEdge R640' };
const body = dellCatalog(dellPackages, '');

type Way = (headers: IncomingHttpHeaders, response: ServerResponse) => void;

async function serve(context: TestContext, way: Way) {
  const requests: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    requests.push(request.headers);
    way(request.headers, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { requests, host: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const plainly: Way = (_, response) => void response.end(body);

test('a catalogue that did not change is not fetched again, also by another process and for another model', async (context) => {
  let etag = '"one"';
  const { requests, host } = await serve(context, (headers, response) => {
    if (headers['if-none-match'] === etag) response.writeHead(304).end();
    else response.writeHead(200, { etag }).end(body);
  });
  const cacheFolder = await folderWith(context, {});
  const source = { format: 'dell', location: `http://${host}/dell/Catalog.xml` } as const;
  const first = await readCatalog(source, query, { cacheFolder });
  const second = await readCatalog(source, { ...query, model: 'PowerEdge R750' }, { cacheFolder });
  assert.deepEqual([first.entries.length, second.entries.length], [5, 1]);
  assert.equal(first.entries[0]?.url, `http://${host}/dell/FOLDER02/1/BIOS_2.21.2.EXE`);
  assert.equal(second.entries[0]?.url, `http://${host}/dell/FOLDER04/1/BIOS_1.13.2.EXE`);
  assert.deepEqual(
    requests.map((headers) => headers['if-none-match']),
    [undefined, '"one"'],
  );
  etag = '"two"';
  assert.equal((await readCatalog(source, query, { cacheFolder })).entries.length, 5);
  assert.equal((await readdir(cacheFolder)).length, 2, 'one body and its note');
});

test('what is kept and cannot be read is forgotten, so that the next one is fetched', async (context) => {
  const { host } = await serve(context, (headers, response) => {
    if (headers['if-none-match'] === '"one"') response.writeHead(304).end();
    else response.writeHead(200, { etag: '"one"' }).end(body);
  });
  const cacheFolder = await folderWith(context, {});
  const source = { format: 'dell', location: `http://${host}/Catalog.xml` } as const;
  await readCatalog(source, query, { cacheFolder });
  const [kept = ''] = (await readdir(cacheFolder)).filter((name) => name.endsWith('.body'));
  await writeFile(join(cacheFolder, kept), body.slice(0, 500));
  await assert.rejects(readCatalog(source, query, { cacheFolder }), (error) => isCatalogError(error, 'truncated'));
  assert.equal((await readCatalog(source, query, { cacheFolder })).entries.length, 5);
});

test('several at once fetch into one folder without harm', async (context) => {
  const { host } = await serve(context, (_, response) => void response.writeHead(200, { etag: '"one"' }).end(body));
  const cacheFolder = await folderWith(context, {});
  const source = { format: 'dell', location: `http://${host}/Catalog.xml` } as const;
  const all = await Promise.all(Array.from({ length: 6 }, () => readCatalog(source, query, { cacheFolder })));
  assert.deepEqual(
    all.map(({ entries }) => entries.length),
    [5, 5, 5, 5, 5, 5],
  );
});

test('what killed processes, and those who were not the last of several, left is thrown away after a while', async (context) => {
  const { host } = await serve(context, (headers, response) => {
    if (headers['if-none-match'] === '"one"') response.writeHead(304).end();
    else response.writeHead(200, { etag: '"one"' }).end(body);
  });
  const cacheFolder = await folderWith(context, {});
  const source = { format: 'dell', location: `http://${host}/Catalog.xml` } as const;
  await Promise.all(Array.from({ length: 4 }, () => readCatalog(source, query, { cacheFolder })));
  const [note = ''] = (await readdir(cacheFolder)).filter((name) => name.endsWith('.json'));
  const key = note.replace('.json', '');
  for (const name of [`${key}.killed.body`, `${key}.killed.body.note`, `${key}.new.body`, 'other.old.body'])
    await writeFile(join(cacheFolder, name), 'half');
  const longAgo = Date.now() / 1000 - 7200;
  for (const name of await readdir(cacheFolder)) {
    if (name !== `${key}.new.body`) await utimes(join(cacheFolder, name), longAgo, longAgo);
  }
  assert.equal((await readCatalog(source, query, { cacheFolder })).entries.length, 5);
  const { body: kept } = JSON.parse(await readFile(join(cacheFolder, note), 'utf8')) as { body: string };
  // What is new may be in the making, and what is of another catalogue is for whoever reads that.
  assert.deepEqual((await readdir(cacheFolder)).sort(), [note, kept, `${key}.new.body`, 'other.old.body'].sort());
  assert.equal((await readCatalog(source, query, { cacheFolder })).entries.length, 5);
});

test('credentials go to their own host only, and are in no message and in no address of an image', async (context) => {
  const far = await serve(context, plainly);
  const near = await serve(context, (_, response) => {
    response.writeHead(302, { location: `http://${far.host}/moved/Catalog.xml` }).end();
  });
  const location = `http://user:secret@${near.host}/Catalog.xml?token=hidden`;
  const { entries } = await readCatalog({ format: 'dell', location }, query);
  assert.match(near.requests[0]?.authorization ?? '', /^Basic /);
  assert.equal(far.requests[0]?.authorization, undefined);
  assert.equal(entries[0]?.url, `http://${far.host}/moved/FOLDER02/1/BIOS_2.21.2.EXE`);
  const wrong = await serve(context, (_, response) => void response.end('<Manifest><a>'));
  const bad = `http://user:secret@${wrong.host}/Catalog.xml?token=hidden`;
  await assert.rejects(readCatalog({ format: 'dell', location: bad }, query), (error) => {
    assert.ok(isCatalogError(error, 'truncated'));
    assert.doesNotMatch(`${error.message} ${error.stack}`, /secret|hidden/);
    return true;
  });
});

test('a catalogue is not fetched from where nothing may be connected to (security.md: egress-one-policy)', async () => {
  for (const location of ['http://169.254.169.254/Catalog.xml', 'http://[fd00:ec2::254]/Catalog.xml'])
    await assert.rejects(readCatalog({ format: 'dell', location }, query, {}), /none that may be connected to/);
});

test('endless redirects, answers that are no catalogue and broken connections are told apart', async (context) => {
  const answers: readonly (readonly [string, Way, string])[] = [
    ['loop', (_, response) => void response.writeHead(302, { location: '/again' }).end(), 'sourceRefused'],
    ['none', (_, response) => void response.writeHead(404).end(), 'sourceRefused'],
    ['forbidden', (_, response) => void response.writeHead(403).end(), 'sourceRefused'],
    ['busy', (_, response) => void response.writeHead(503).end(), 'sourceFailed'],
    ['unasked', (_, response) => void response.writeHead(304).end(), 'sourceRefused'],
    [
      'broken',
      (_, response) => {
        response.writeHead(200, { 'content-length': body.length });
        response.write(body.slice(0, 1000), () => response.destroy());
      },
      'sourceFailed',
    ],
    ['large', (_, response) => void response.writeHead(200, { 'content-length': 10 ** 12 }).flushHeaders(), 'tooLarge'],
  ];
  for (const cacheFolder of [undefined, await folderWith(context, {})]) {
    for (const [name, way, code] of answers) {
      const { host } = await serve(context, way);
      const reading = readCatalog({ format: 'dell', location: `http://${host}/Catalog.xml` }, query, { cacheFolder });
      await assert.rejects(reading, (error) => {
        assert.ok(isCatalogError(error), `${name}: ${error}`);
        assert.equal(error.code, code, `${name}: ${error.message}`);
        return true;
      });
    }
  }
});

test('a source that is too slow is given up at the deadline, and nothing of it is kept', async (context) => {
  const asked = Promise.withResolvers<void>();
  const { host } = await serve(context, (_, response) => {
    response.writeHead(200, { etag: '"one"' });
    response.write(body.slice(0, 1000), () => asked.resolve());
  });
  const clock = createFakeClock();
  const cacheFolder = await folderWith(context, {});
  const reader = createCatalogReader({ clock, deadlineMs: 5000, cacheFolder });
  context.after(() => reader.close());
  const reading = reader.read({ format: 'dell', location: `http://${host}/Catalog.xml` }, query);
  const refused = assert.rejects(
    reading,
    (error) => isCatalogError(error, 'aborted') && /too long/.test(error.message),
  );
  await asked.promise;
  clock.advance(5001);
  await refused;
  assert.deepEqual(await readdir(cacheFolder), []);
});

test('reading is given up when it is not wanted any more', async (context) => {
  const { host } = await serve(context, () => {});
  const giveUp = new AbortController();
  const reading = readCatalog({ format: 'dell', location: `http://${host}/x` }, query, { signal: giveUp.signal });
  giveUp.abort();
  await assert.rejects(reading, (error) => isCatalogError(error, 'aborted'));
});
