import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpTableError, isErrorOf, TableError } from './table-error.ts';

const table = {
  broken: { status: 400, retry: 'terminal', message: 'the {thing} is broken: {problems}' },
  away: { status: 503, retry: 'transient', message: '{who} is away' },
} as const;

class ThingError extends HttpTableError<keyof typeof table> {
  constructor(code: keyof typeof table, fields: Record<string, string | number>, more = {}) {
    super({ table, code, fields }, more);
  }
}

class OtherError extends TableError<'broken'> {
  constructor() {
    super({ table, code: 'broken', fields: {} });
  }
}

test('an error has what its table says, its message filled in', () => {
  const cause = new Error('why');
  const error = new ThingError('broken', { thing: 'pump' }, { problems: ['it leaks', 'it squeaks'], cause });
  assert.equal(error.message, 'the pump is broken: it leaks; it squeaks');
  assert.deepEqual(
    [error.name, error.code, error.status, error.retry, error.problems, error.cause],
    ['ThingError', 'broken', 400, 'terminal', ['it leaks', 'it squeaks'], cause],
  );
  assert.ok(error instanceof Error && !('cause' in new ThingError('away', {})));
});

test('a word that nobody filled in is a question mark, and what is filled in is not filled in again', () => {
  assert.equal(new ThingError('away', {}).message, '? is away');
  assert.equal(new ThingError('away', { who: '{who} $& {problems}' }).message, '{who} $& {problems} is away');
});

test('errors are told apart by class and code', () => {
  const error = new ThingError('away', { who: 'x' });
  assert.ok(isErrorOf(ThingError, error, []));
  assert.ok(isErrorOf(ThingError, error, ['broken', 'away']));
  assert.ok(!isErrorOf(ThingError, error, ['broken']));
  assert.ok(!isErrorOf(ThingError, new OtherError(), []));
  assert.ok(!isErrorOf(ThingError, undefined, []));
});
