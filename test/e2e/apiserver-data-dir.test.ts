import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startApiServer } from '../../src/apiserver/index.ts';
import { ApiClient, objectIn } from './apiserver-client.ts';
import { corePath, createWidgetCrd, startServerUnderTest, widget, widgetPath } from './apiserver-fixture.ts';

const treasure = 'correct-horse-battery-staple';
const encoded = Buffer.from(treasure).toString('base64');
const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'treasure' } };
const merge = { 'content-type': 'application/merge-patch+json' };

function filesUnder(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Certificates are public, and the file that is locked holds nothing. */
function isPublic(file: string): boolean {
  return file.endsWith('.crt') || basename(file).startsWith('lock.db');
}

function temporaryDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'apiserver-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

test('no file in the data directory shows what a Secret holds, and only its owner can read any', async (t) => {
  const under = await startServerUnderTest();
  t.after(() => under.stop());
  const { client, dataDir } = under;
  await client.request('POST', corePath('secrets'), { body: { ...secret, stringData: { key: treasure } } });
  await client.request('PATCH', corePath('secrets', 'treasure'), {
    body: { stringData: { more: `${treasure}-2` }, metadata: { annotations: { n: '1' } } },
    headers: merge,
  });
  await client.request('DELETE', corePath('secrets', 'treasure'));
  await client.request('POST', corePath('secrets'), { body: { ...secret, data: { key: encoded } } });
  const read = await client.request('GET', corePath('secrets', 'treasure'));
  assert.deepEqual(objectIn(read).data, { key: encoded });
  // Backups and what the database holds after compaction count as well.
  await under.server.compact();
  await under.server.backup(join(dataDir, 'copy.db'));
  const files = filesUnder(dataDir);
  assert.ok(files.length > 5, files.join());
  for (const file of files) {
    const bytes = readFileSync(file);
    for (const text of [treasure, encoded]) assert.equal(bytes.indexOf(text), -1, `${file} shows it`);
    const mode = statSync(file).mode & 0o777;
    if (!isPublic(file)) assert.equal(mode, 0o600, `${file} has mode ${mode.toString(8)}`);
  }
  assert.equal(statSync(join(dataDir, 'pki')).mode & 0o777, 0o700);
});

test('a data directory that the server makes is closed to others', async (t) => {
  const dataDir = join(temporaryDirectory(t), 'new', 'deep');
  const server = await startApiServer({ dataDir, port: 0 });
  await server.close();
  assert.equal(statSync(dataDir).mode & 0o777, 0o700);
});

test('the audit log has every write and every read of a Secret with its verdict, and never what was written (security.md: audit-log)', async (t) => {
  const under = await startServerUnderTest();
  const { client, dataDir } = under;
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const writes: [string, string, unknown?, Record<string, string>?][] = [
    ['POST', corePath('secrets'), { ...secret, stringData: { key: treasure } }],
    ['POST', corePath('secrets'), { ...secret, stringData: { key: treasure } }],
    ['PUT', corePath('secrets', 'treasure'), { ...secret, data: { key: encoded } }],
    ['PATCH', corePath('secrets', 'treasure'), { stringData: { key: treasure } }, merge],
    ['POST', widgetPath(), widget('x', { size: treasure })],
    ['POST', `${widgetPath()}?dryRun=All`, widget('x')],
    ['POST', widgetPath(), `{"broken": "${treasure}`],
    ['DELETE', corePath('secrets', 'treasure')],
    ['DELETE', corePath('secrets')],
  ];
  const codes: number[] = [];
  for (const [method, path, body, headers] of writes) {
    codes.push((await client.request(method, path, { body, headers: headers ?? {} })).code);
  }
  for (const path of [corePath('secrets'), corePath('secrets', 'treasure'), corePath('configmaps')])
    codes.push((await client.request('GET', path)).code);
  codes.pop();
  client.close();
  await under.server.close();
  const text = readFileSync(join(dataDir, 'audit.log'), 'utf8');
  const entries = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { verb: string; resource: string; code: number; user: string; verdict: string })
    .filter((entry) => entry.resource === 'secrets' || entry.resource === 'widgets');
  assert.deepEqual(
    entries.map((entry) => entry.code),
    codes,
  );
  assert.deepEqual(codes, [201, 409, 200, 200, 422, 201, 400, 200, 200, 200, 404]);
  assert.deepEqual(
    entries.map((entry) => entry.verb),
    ['create', 'create', 'update', 'patch', 'create', 'create', 'create', 'delete', 'deletecollection', 'list', 'get'],
  );
  for (const entry of entries) assert.equal(entry.verdict, entry.code < 300 ? 'done' : 'refused');
  for (const shown of [treasure, encoded]) assert.equal(text.includes(shown), false, 'the audit log shows a secret');
});

test('a data directory in use is refused to a second server, and free when the first has closed', async (t) => {
  const dataDir = temporaryDirectory(t);
  const first = await startApiServer({ dataDir, port: 0 });
  await assert.rejects(startApiServer({ dataDir, port: 0 }), { code: 'in-use' });
  const client = new ApiClient({ url: first.url, caPem: first.caPem, token: first.adminToken });
  assert.equal((await client.request('GET', '/readyz')).text, 'ok');
  client.close();
  await first.close();
  const second = await startApiServer({ dataDir, port: 0 });
  assert.equal(second.adminToken, first.adminToken);
  assert.equal(second.caPem, first.caPem);
  await second.close();
});

test('everything is there after a restart, with the same uids and versions', async (t) => {
  const dataDir = temporaryDirectory(t);
  const paths = [widgetPath(), corePath('secrets'), corePath('configmaps'), '/api/v1/namespaces'];
  const lists: string[][] = [];
  for (let start = 0; start < 2; start++) {
    const server = await startApiServer({ dataDir, port: 0 });
    const client = new ApiClient({ url: server.url, caPem: server.caPem, token: server.adminToken });
    await createWidgetCrd(client);
    if (start === 0) {
      for (let n = 0; n < 20; n++) await client.request('POST', widgetPath(), { body: widget(`w${n}`, { size: n }) });
      await client.request('POST', corePath('secrets'), { body: { ...secret, stringData: { key: treasure } } });
      await client.request('DELETE', widgetPath('w3'));
    }
    lists.push(
      await Promise.all(
        paths.map(async (path) => JSON.stringify(JSON.parse((await client.request('GET', path)).text).items)),
      ),
    );
    client.close();
    await server.close();
  }
  assert.deepEqual(lists[1], lists[0]);
});
