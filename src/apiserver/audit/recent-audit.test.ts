import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { AuditLine } from './audit-line.ts';
import { type AuditFilter, RecentAudit, readAuditTail } from './recent-audit.ts';

function line(name: string, changes: Partial<AuditLine> = {}): AuditLine {
  const usual = { time: '2030-01-01T00:00:00.000Z', user: 'alice', groups: [], verb: 'patch', resource: 'servers' };
  return { ...usual, name, code: 200, verdict: 'done', ...changes };
}

function namesOf(recent: RecentAudit, filter: AuditFilter, limit = 100): (string | undefined)[] {
  return recent.page(filter, { limit }).items.map(({ name }) => name);
}

test('lines come newest first, page by page, and every one once', () => {
  const recent = new RecentAudit(['a', 'b', 'c', 'd', 'e'].map((name) => line(name)));
  const first = recent.page({}, { limit: 2 });
  recent.write(line('f')); // what is new meanwhile moves no page
  const second = recent.page({}, { limit: 2, before: first.next });
  const third = recent.page({}, { limit: 2, before: second.next });
  const names = [first, second, third].map(({ items }) => items.map(({ name }) => name).join(''));
  assert.deepEqual(names, ['ed', 'cb', 'a']);
  assert.equal(third.next, undefined);
});

test('old lines go when there are too many', () => {
  const recent = new RecentAudit([], 3);
  for (const name of 'abcdefghijk') recent.write(line(name));
  assert.deepEqual(namesOf(recent, {}), ['k', 'j', 'i']);
});

test('filters narrow down to what fits all of them', () => {
  const bob = { username: 'bob', groups: [] };
  const recent = new RecentAudit([
    line('one', { user: 'admin', impersonatedUser: bob }),
    line('two', { verb: 'create', namespace: 'rack' }),
    line('three', { verdict: 'refused', code: 403, agent: 'kubectl/v1.34' }),
    line('four', { resource: 'leases' }),
    line('five', { subresource: 'status', agent: 'rackwright' }),
  ]);
  const table: readonly (readonly [AuditFilter, readonly string[]])[] = [
    [{ user: 'BOB' }, ['one']],
    [{ user: 'admin' }, ['one']],
    [{ verb: 'create', namespace: 'rack' }, ['two']],
    [{ verb: 'create', namespace: 'other' }, []],
    [{ verdict: 'refused' }, ['three']],
    [{ agent: 'kubectl' }, ['three']],
    [{ resource: 'leases' }, ['four']],
    [{ name: 't' }, ['three', 'two']],
    [{ isByPeople: true }, ['four', 'three', 'two', 'one']],
    [{ isPlain: true }, ['three', 'two', 'one']],
  ];
  for (const [filter, names] of table) assert.deepEqual(namesOf(recent, filter), names, JSON.stringify(filter));
});

test('the end of a file is read, whole lines only', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'audit-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'audit.log');
  assert.deepEqual(await readAuditTail(path), []);
  const texts = ['a', 'b', 'c'].map((name) => `${JSON.stringify(line(name))}\n`);
  appendFileSync(path, `${texts.join('')}{"half":`);
  assert.equal((await readAuditTail(path)).map(({ name }) => name).join(''), 'abc');
  const two = (texts[1]?.length ?? 0) + (texts[2]?.length ?? 0);
  assert.equal((await readAuditTail(path, two + 10)).map(({ name }) => name).join(''), 'bc');
});
