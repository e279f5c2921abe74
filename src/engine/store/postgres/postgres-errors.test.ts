import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { UniqueViolation } from '../database.ts';
import { StoreError } from '../errors.ts';
import { openPostgresDatabase } from './open-postgres.ts';
import { judge, judgeCommit, mapPostgresError } from './postgres-errors.ts';

function answer(code: string, more: object = {}): Error {
  return Object.assign(new Error(`as the server says ${code}`), { severity: 'ERROR', code, ...more });
}

const socketError = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });

test('only what the server asks for is run again, and only broken connections count as lost', () => {
  for (const code of ['40001', '40P01', '55P03']) assert.equal(judge(answer(code)), 'again', code);
  for (const code of ['57P01', '08006', '53300', '25P03']) assert.equal(judge(answer(code)), 'lost', code);
  for (const code of ['23505', '42601', '28P01', '25P02', '40003']) assert.equal(judge(answer(code)), 'answer', code);
  assert.equal(judge(socketError), 'lost');
  assert.equal(judge(new StoreError('badValue', { detail: '' })), 'answer');
  const stale = Object.assign(answer('0A000'), { message: 'cached plan must not change result type' });
  assert.equal(judge(stale), 'lost');
  assert.equal(judge(answer('0A000')), 'answer');
});

test('a commit without an answer, or with one that says so, is in doubt', () => {
  assert.equal(judgeCommit(socketError), 'lost');
  assert.equal(judgeCommit(answer('40003')), 'lost');
  assert.equal(judgeCommit(answer('40001')), 'again');
  assert.equal(judgeCommit(answer('25P03')), 'again', 'the transaction was gone before');
  assert.equal(judgeCommit(answer('23503')), 'answer');
});

test('answers of the server become errors that say what to do', () => {
  const codeOf = (state: string) => (mapPostgresError(answer(state), 'db') as StoreError).code;
  assert.deepEqual(['23503', '22021', '28P01', '3D000', '53100', '25006', '42P01', '57014'].map(codeOf), [
    'constraint',
    'badValue',
    'refused',
    'refused',
    'commitFailed',
    'readOnly',
    'badStatement',
    'commitFailed',
  ]);
  const unique = mapPostgresError(answer('23505', { constraint: 'work_open_target' }), 'db');
  assert.ok(unique instanceof UniqueViolation);
  assert.equal(unique.constraint, 'work_open_target');
});

test('a URL that cannot be used is refused without repeating it', async () => {
  for (const url of ['not a url hunter2', 'postgres://u:hunter2@[', 'mysql://u:hunter2@host/db']) {
    const error = await openPostgresDatabase({ url }).catch((e: unknown) => e);
    assert.equal((error as StoreError).code, 'badUrl');
    assert.doesNotMatch(inspect(error, { depth: 20, showHidden: true }), /hunter2/);
  }
});
