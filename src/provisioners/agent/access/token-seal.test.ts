import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTokenSeal, newSealKey } from './token-seal.ts';

test('a token is of the machine that it was made for, also in another process with the same key', () => {
  const key = newSealKey();
  const token = createTokenSeal(key).newToken('agent-1');
  assert.ok(createTokenSeal(key).isOf('agent-1', token));
  assert.notEqual(createTokenSeal(key).newToken('agent-1'), token);
  assert.match(token, /^[\w-]{43}\.[\w-]{22}$/);
});

test('a token of another machine, under another key or made up is not', () => {
  const seal = createTokenSeal(newSealKey());
  const token = seal.newToken('agent-1');
  const [secret = '', mark = ''] = token.split('.');
  const others = ['', '.', secret, `${secret}.`, `.${mark}`, `${secret}.${mark.slice(0, -2)}`, `${secret}.${mark}AAAA`];
  for (const other of [...others, `${secret}A.${mark}`, 'x'.repeat(512)]) {
    assert.equal(seal.isOf('agent-1', other), false, other);
  }
  assert.equal(seal.isOf('agent-2', token), false);
  assert.equal(createTokenSeal(newSealKey()).isOf('agent-1', token), false);
});
