import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AuditItem, auditPath, objectText, programText, usualFilter, verdictText, whoText } from './audit-view.ts';

const item: AuditItem = {
  seq: 1,
  time: '2030-01-01T00:00:00Z',
  user: 'alice',
  verb: 'patch',
  resource: 'switchports',
  namespace: 'rack',
  name: 'p1',
  code: 200,
  verdict: 'done',
};

test('only filters that say something are asked for', () => {
  assert.equal(auditPath(usualFilter, undefined), '/audit?limit=200&plain=true&people=true');
  const filter = { ...usualFilter, isByPeople: false, resource: ' SwitchPorts ', verdict: 'refused' };
  assert.equal(auditPath(filter, '7'), '/audit?resource=switchports&verdict=refused&limit=200&plain=true&continue=7');
});

test('a line says who did what to which object and what came of it', () => {
  assert.equal(objectText(item), 'switchports rack/p1');
  assert.equal(objectText({ ...item, subresource: 'status' }), 'switchports/status rack/p1');
  const { resource: _, namespace: __, name: ___, ...bare } = item;
  assert.equal(objectText({ ...bare, path: '/version' }), '/version');
  assert.equal(whoText(item), 'alice');
  assert.equal(whoText({ ...item, impersonatedUser: { username: 'bob' } }), 'alice as bob');
  assert.equal(whoText({ ...item, user: '' }), 'nobody the server knows');
  assert.equal(verdictText(item), 'done');
  assert.equal(verdictText({ ...item, dryRun: true }), 'tried, nothing kept');
  assert.equal(verdictText({ ...item, verdict: 'refused', code: 403, reason: 'Forbidden' }), 'refused: Forbidden');
});

test('programs are named in one word', () => {
  assert.equal(programText({ agent: 'Mozilla/5.0 (X11) Chrome/140' }), 'browser');
  assert.equal(programText({ agent: 'kubectl/v1.34.0 (linux)' }), 'kubectl');
  assert.equal(programText({ agent: 'rackwright' }), 'controllers');
  assert.equal(programText({}), '');
});
