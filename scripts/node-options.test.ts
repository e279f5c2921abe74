import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { nodeOptions } from '../bin/node-options.mjs';

test('the command starts Node with the same options whoever starts it', () => {
  const text = readFileSync(join(import.meta.dirname, '../bin/rackwright.mjs'), 'utf8');
  assert.deepEqual(text.split('\n').slice(0, 2), ['#!/bin/sh', `':' //; exec node ${nodeOptions.join(' ')} "$0" "$@"`]);
});
