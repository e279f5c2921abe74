import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type AuditedRequest, auditEvent, openAuditExport } from './index.ts';

const at = new Date('2030-01-01T00:00:00.123Z');

function request(changes: Partial<AuditedRequest> = {}): AuditedRequest {
  return {
    id: 'r1',
    verb: 'create',
    path: '/api/v1/namespaces/a/secrets',
    user: { username: 'alice', groups: ['ops'] },
    sourceIp: '10.0.0.9',
    userAgent: 'kubectl/v1.34',
    object: { resource: 'secrets', namespace: 'a', name: 's', apiVersion: 'v1' },
    code: 201,
    receivedAt: at,
    endedAt: at,
    ...changes,
  };
}

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'audit-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test('an event has the shape of Kubernetes’ audit log at the level Metadata', () => {
  assert.deepEqual(auditEvent(request()), {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    auditID: 'r1',
    stage: 'ResponseComplete',
    requestURI: '/api/v1/namespaces/a/secrets',
    verb: 'create',
    user: { username: 'alice', groups: ['ops'] },
    sourceIPs: ['10.0.0.9'],
    userAgent: 'kubectl/v1.34',
    objectRef: { resource: 'secrets', namespace: 'a', name: 's', apiVersion: 'v1' },
    responseStatus: { metadata: {}, code: 201 },
    requestReceivedTimestamp: '2030-01-01T00:00:00.123000Z',
    stageTimestamp: '2030-01-01T00:00:00.123000Z',
    annotations: { 'authorization.k8s.io/decision': 'allow' },
  });
});

test('an event says that it was refused, and why', () => {
  const event = JSON.stringify(auditEvent(request({ code: 403, reason: 'Forbidden', user: undefined })));
  assert.match(event, /"responseStatus":\{"metadata":\{\},"status":"Failure","reason":"Forbidden","code":403\}/);
  assert.match(event, /"authorization.k8s.io\/decision":"forbid"/);
  assert.match(event, /"user":\{\}/);
});

test('a file that is large is put aside, and only so many of them are kept', async (t) => {
  const path = join(folder(t), 'audit.log');
  for (const id of ['one', 'two', 'three', 'four']) {
    const log = openAuditExport(path, { onFault: assert.ifError, rotateAtBytes: 10, kept: 2 });
    log.record(request({ id }));
    await log.close();
  }
  // Each life begins with a file that is too large already, and puts it aside at its first line that is on disk.
  const ids = [path, `${path}.1`, `${path}.2`].flatMap((file) =>
    existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [],
  );
  assert.ok(ids.length >= 2 && !existsSync(`${path}.3`));
  assert.equal(statSync(path).mode & 0o777, 0o600);
});
