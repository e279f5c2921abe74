import assert from 'node:assert/strict';
import { readValues, ValuesError } from '../index.ts';

/** For tests: what is said of values that are refused. */
export function faultOf(given: object): string {
  try {
    readValues(given, '1.2.3');
  } catch (error) {
    assert.ok(error instanceof ValuesError);
    return error.message;
  }
  assert.fail('they were taken');
}
