import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkPathName } from './path-name.ts';

test('a name that would change the path it is stored under is refused, any other is not', () => {
  for (const name of ['a', 'a.b', '...', 'ä']) assert.doesNotThrow(() => checkPathName(name), name);
  assert.throws(() => checkPathName('..'), { message: `Name parameter invalid: "..": may not be '..'` });
  assert.throws(() => checkPathName('a%b'), { message: `Name parameter invalid: "a%b": may not contain '%'` });
  assert.throws(() => checkPathName('a/%'), {
    message: `Name parameter invalid: "a/%": may not contain '/';may not contain '%'`,
  });
});
