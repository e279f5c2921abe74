import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAsShown } from './shown-output.ts';

test('ages, ports and widths may differ, and nothing else', () => {
  assert.ok(isAsShown('NAME   AGE\na      1m5s\n', 'NAME  AGE\na     5s\n'));
  for (const age of ['2m', '10m', '3h', '3h5m'])
    assert.ok(isAsShown(`NAME  AGE\na     ${age}\n`, 'NAME  AGE\na     5s\n'));
  assert.ok(isAsShown('https://127.0.1.1:35411/x\n', 'https://127.0.1.1:7450/x\n'));
  assert.ok(!isAsShown('a  available\n', 'a  provisioned\n'));
  assert.ok(!isAsShown('a\nb\n', 'a\n'));
  assert.ok(!isAsShown('a\n', 'a\nb\n'));
});

test('three dots stand for any lines, and for none of those around them', () => {
  assert.ok(isAsShown('a\nb\nc\nd\n', 'a\n...\nd\n'));
  assert.ok(isAsShown('a\nd\n', 'a\n...\nd\n'));
  assert.ok(isAsShown('a\nb\nc\n', 'a\n...\n'));
  assert.ok(isAsShown('a\nb\nc\nd\ne\n', 'a\n...\nc\n...\ne\n'));
  assert.ok(!isAsShown('a\nb\nc\nd\ne\n', 'a\n...\nx\n...\ne\n'));
  assert.ok(!isAsShown('b\nd\n', 'a\n...\nd\n'));
  assert.ok(!isAsShown('a\nd\ne\n', 'a\n...\nd\n'));
});
