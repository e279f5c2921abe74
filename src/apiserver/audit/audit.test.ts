import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { AuditedRequest } from '../../telemetry/index.ts';
import { readRequestInfo } from '../http/request-info.ts';
import { createAuditExportSink } from './audit-export-sink.ts';
import { openAuditFile } from './audit-file.ts';
import { type AuditEntry, type AuditLine, auditLine, nameIn } from './audit-line.ts';
import { type AuditSink, createAuditLog } from './audit-log.ts';

const now = new Date('2030-01-01T00:00:00Z');
const alice = { username: 'alice', groups: ['ops'] };

function entry(method: string, url: string, changes: Partial<AuditEntry> = {}): AuditEntry {
  const info = readRequestInfo({ method, url });
  const rest = { agent: '', from: '', receivedAt: now, name: info.name, isDryRun: false, code: 201, reason: '' };
  return { info, user: alice, caller: alice, ...rest, ...changes };
}

describe('a line of the audit log', () => {
  test('says who did what, and what came of it', () => {
    const line = auditLine(entry('POST', '/api/v1/namespaces/a/secrets', { name: 'made', isDryRun: true }), now);
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
      [line].map(({ user, impersonatedUser, verdict, reason }) => ({ user, impersonatedUser, verdict, reason })),
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

  test('says dry run only when nothing was to be stored, whatever the query holds', () => {
    const line = auditLine(entry('POST', '/api/v1/namespaces/a/secrets?dryRun='), now);
    assert.ok(!('dryRun' in line));
  });

  test('never shows what a query held', () => {
    const line = auditLine(entry('DELETE', '/api/v1/namespaces/a/secrets?labelSelector=token%3Dhunter2'), now);
    assert.ok(!JSON.stringify(line).includes('hunter2'));
  });
});

test('a line names the program, and no more of what it calls itself than is of use', () => {
  assert.equal(auditLine(entry('DELETE', '/api/v1/nodes/a', { agent: 'kubectl/v1' }), now).agent, 'kubectl/v1');
  assert.equal(auditLine(entry('DELETE', '/api/v1/nodes/a', { agent: 'x'.repeat(9000) }), now).agent?.length, 120);
});

test('every sink gets every line, and the log has the faults and losses of all of them', async () => {
  const kept: AuditLine[][] = [[], []];
  const closed: number[] = [];
  const sinks = kept.map(
    (lines, index): AuditSink => ({
      write: (line) => lines.push(line),
      fault: () => (index === 1 ? 'full' : undefined),
      lost: () => index + 1,
      close: async () => void closed.push(index),
    }),
  );
  const log = createAuditLog(sinks, () => now);
  log.record(entry('DELETE', '/api/v1/nodes/a'));
  assert.equal(kept[0]?.[0]?.name, 'a');
  assert.deepEqual(kept[0], kept[1]);
  assert.equal(log.fault(), 'full');
  assert.equal(log.lost(), 3);
  await log.close();
  assert.deepEqual(closed, [0, 1]);
});

test('an export gets who did what from where, and nothing of what a query held', async () => {
  const recorded: AuditedRequest[] = [];
  const record = (request: AuditedRequest) => void recorded.push(request);
  const sink = createAuditExportSink({ record, fault: () => 'full', lost: () => 2, close: assert.fail }, () => now);
  const url = '/apis/metal3.io/v1alpha1/namespaces/a/baremetalhosts/h/status?fieldManager=hunter2';
  createAuditLog([sink], () => now).record(entry('PATCH', url, { from: '10.0.0.9', agent: 'kubectl', code: 200 }));
  const [{ id, ...rest } = {} as AuditedRequest] = recorded;
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.deepEqual(rest, {
    verb: 'patch',
    path: '/apis/metal3.io/v1alpha1/namespaces/a/baremetalhosts/h/status',
    user: alice,
    sourceIp: '10.0.0.9',
    userAgent: 'kubectl',
    object: {
      resource: 'baremetalhosts',
      namespace: 'a',
      name: 'h',
      apiGroup: 'metal3.io',
      apiVersion: 'v1alpha1',
      subresource: 'status',
    },
    code: 200,
    reason: '',
    isDryRun: false,
    receivedAt: now,
    endedAt: now,
  });
  assert.deepEqual([sink.fault(), sink.lost()], ['full', 2]);
  await sink.close();
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
    const log = createAuditLog([await openAuditFile(path, { onFault: assert.ifError })], () => now);
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

test('lines that cannot be kept are counted and told of once, and the log goes on when it can', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'audit-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'audit.log');
  mkdirSync(path); // no file can be opened there
  const faults: unknown[] = [];
  let onTold = (): void => undefined;
  const onFault = (error: unknown): void => {
    faults.push(error);
    onTold();
  };
  const told = new Promise<void>((resolve) => {
    onTold = resolve;
  });
  const log = createAuditLog([await openAuditFile(path, { onFault })], () => now);
  log.record(entry('DELETE', '/api/v1/nodes/one'));
  await told;
  await log.close();
  log.record(entry('DELETE', '/api/v1/nodes/two'));
  await log.close();
  assert.match(log.fault() ?? '', /EISDIR/);
  assert.equal(log.lost(), 2);
  assert.equal(faults.length, 1);
  rmdirSync(path);
  log.record(entry('DELETE', '/api/v1/nodes/three'));
  await log.close();
  assert.equal(log.fault(), undefined);
  assert.equal(log.lost(), 2);
  assert.match(readFileSync(path, 'utf8'), /"three"/);
});

test('a log that cannot be put aside grows on', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'audit-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'audit.log');
  mkdirSync(`${path}.1`); // in the way
  const faults: unknown[] = [];
  const file = await openAuditFile(path, { onFault: (error) => faults.push(error), rotateAtBytes: 1 });
  const log = createAuditLog([file], () => now);
  for (const name of ['one', 'two']) log.record(entry('DELETE', `/api/v1/nodes/${name}`));
  await log.close();
  assert.equal(faults.length, 2);
  assert.equal(log.lost(), 0);
  assert.match(readFileSync(path, 'utf8'), /"one".*\n.*"two"/);
});
