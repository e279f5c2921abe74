import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../status.ts';
import { checkIntegers, checkListOptions, checkWatchOptions, readInteger } from './list-options.ts';

function refusal(check: (query: URLSearchParams) => void, query: string): string {
  try {
    check(new URLSearchParams(query));
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.status.message}`;
    throw error;
  }
  return 'fine';
}

const head = '422 ListOptions.meta.k8s.io "" is invalid:';

test('everything that is wrong with the options of a list is said at once', () => {
  assert.equal(refusal(checkListOptions, 'resourceVersion=5&resourceVersionMatch=Exact'), 'fine');
  assert.equal(
    refusal(checkListOptions, 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan'),
    `${head} [resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided, sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list]`,
  );
  assert.equal(
    refusal(checkListOptions, 'resourceVersion=0&resourceVersionMatch=Exact&continue=x'),
    `${head} [resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided, resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"]`,
  );
});

test('a watch takes a match only together with initial events, and only one', () => {
  assert.equal(refusal(checkWatchOptions, 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan'), 'fine');
  assert.equal(
    refusal(checkWatchOptions, 'resourceVersionMatch=Exact'),
    `${head} [resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]`,
  );
});

test('numbers are read as Go reads them', () => {
  assert.equal(readInteger(null), 0);
  assert.equal(readInteger('-5'), -5);
  assert.equal(refusal(checkIntegers, 'limit='), '400 strconv.ParseInt: parsing "": invalid syntax');
  const large = '99999999999999999999';
  assert.equal(
    refusal(checkIntegers, `timeoutSeconds=${large}`),
    `400 strconv.ParseInt: parsing "${large}": value out of range`,
  );
});
