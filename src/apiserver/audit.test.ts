import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type AuditEntry, auditLine, nameIn, openAuditLog } from './audit.ts';
import { readRequestInfo } from './http/request-info.ts';

const now = new Date('2030-01-01T00:00:00Z');
const alice = { username: 'alice', groups: ['ops'] };

function entry(method: string, url: string, changes: Partial<AuditEntry> = {}): AuditEntry {
  const info = readRequestInfo({ method, url });
  return { info, user: alice, caller: alice, name: info.name, code: 201, reason: '', ...changes };
}

describe('a line of the audit log', () => {
  test('says who did what, and what came of it', () => {
    const line = auditLine(entry('POST', '/api/v1/namespaces/a/secrets?dryRun=All', { name: 'made' }), now);
    assert.deepEqual(line, {
      time: '2030-01-01T00:00:00.000Z',
      user: 'alice',
      groups: ['ops'],
      verb: 'create',
      group: '',
      version: 'v1',
      resource: 'secrets',
      namespace: 'a',
      name: 'made',
      dryRun: true,
      code: 201,
      verdict: 'done',
    });
  });

  test('names both the caller and whom it acted as', () => {
    const user = { username: 'bob', groups: [] };
    const line = auditLine(entry('DELETE', '/api/v1/namespaces/a', { user, code: 403, reason: 'Forbidden' }), now);
    assert.deepEqual(
      [line]
        .map((l) => l as Record<string, unknown>)
        .map(({ user, impersonatedUser, verdict, reason }) => ({ user, impersonatedUser, verdict, reason })),
      [{ user: 'alice', impersonatedUser: { username: 'bob', groups: [] }, verdict: 'refused', reason: 'Forbidden' }],
    );
  });

  test('names nobody when nobody proved who they are', () => {
    const line = auditLine(entry('GET', '/version', { caller: undefined, code: 401, reason: 'Unauthorized' }), now);
    assert.deepEqual(line, {
      time: '2030-01-01T00:00:00.000Z',
      user: '',
      groups: [],
      verb: 'get',
      path: '/version',
      code: 401,
      verdict: 'refused',
      reason: 'Unauthorized',
    });
  });

  test('never shows what a query held', () => {
    const line = auditLine(entry('DELETE', '/api/v1/namespaces/a/secrets?labelSelector=token%3Dhunter2'), now);
    assert.ok(!JSON.stringify(line).includes('hunter2'));
  });
});

describe('the name in an answer', () => {
  const table: readonly (readonly [string, string])[] = [
    ['{"kind":"Secret","apiVersion":"v1","metadata":{"name":"a"}}', 'a'],
    ['{"metadata":{"creationTimestamp":null,"generation":1,"name":"a"}}', 'a'],
    ['{"metadata":{"labels":{"name":"x"},"name":"a"}}', 'a'],
    ['{"spec":{"template":{"metadata":{"name":"inner"}}},"metadata":{"name":"a"}}', 'a'],
    ['{"metadata":{"annotations":{"metadata":"{\\"name\\":\\"x\\"}"},"name":"a"}}', 'a'],
    ['{"kind":"Status"}', ''],
  ];
  for (const [json, name] of table) test(`${json} is ${JSON.stringify(name)}`, () => assert.equal(nameIn(json), name));
});

test('the audit log is appended to a file that only its owner can read', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'audit-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'audit.log');
  for (const name of ['one', 'two']) {
    const log = await openAuditLog(path, () => now);
    log.record(entry('DELETE', `/api/v1/nodes/${name}`, { code: 200 }));
    await log.close();
  }
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).name),
    ['one', 'two'],
  );
  assert.equal(statSync(path).mode & 0o777, 0o600);
});
