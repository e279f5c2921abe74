import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { loadIdentity } from './data-dir.ts';

const names = { host: '127.0.0.1', now: new Date('2030-01-01T00:00:00Z') };

function folder(t: TestContext): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'identity-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  return dataDir;
}

test('a data directory keeps its authority, certificate and token', async (t) => {
  const dataDir = folder(t);
  const first = await loadIdentity(dataDir, names);
  assert.deepEqual(await loadIdentity(dataDir, names), first);
});

test('private files are for their owner alone (security.md: admin-token)', async (t) => {
  const dataDir = folder(t);
  await loadIdentity(dataDir, names);
  for (const file of ['pki/ca.key', 'pki/server.key', 'admin-token']) {
    assert.equal(statSync(join(dataDir, file)).mode & 0o777, 0o600, file);
  }
});

test('a start shortly before the certificate ends makes another one by the same authority (security.md: tls-embedded-api)', async (t) => {
  const dataDir = folder(t);
  const first = await loadIdentity(dataDir, names);
  const startedOn = async (date: string) => loadIdentity(dataDir, { ...names, now: new Date(date) });
  assert.deepEqual(await startedOn('2030-11-30T00:00:00Z'), first);
  const renewed = await startedOn('2030-12-03T00:00:00Z');
  assert.deepEqual(renewed.authority, first.authority);
  assert.notEqual(renewed.server.certificatePem, first.server.certificatePem);
});

test('a start that died between a key and its certificate does not stop the next one', async (t) => {
  const dataDir = folder(t);
  const first = await loadIdentity(dataDir, names);
  writeFileSync(join(dataDir, 'pki', 'server.key'), readFileSync(join(dataDir, 'pki', 'ca.key')));
  const second = await loadIdentity(dataDir, names);
  assert.deepEqual(second.authority, first.authority);
  assert.notEqual(second.server.certificatePem, first.server.certificatePem);
});

test('a draft left by a start that died is not taken for the file (security.md: admin-token)', async (t) => {
  const dataDir = folder(t);
  const first = await loadIdentity(dataDir, names);
  rmSync(join(dataDir, 'admin-token'));
  writeFileSync(join(dataDir, 'admin-token.part'), 'half a tok');
  const second = await loadIdentity(dataDir, names);
  assert.notEqual(second.adminToken, 'half a tok');
  assert.ok(second.adminToken.length >= 32);
  assert.equal(second.adminToken === first.adminToken, false);
});
