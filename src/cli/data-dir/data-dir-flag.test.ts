import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextCommands } from '../up.ts';
import { dataDirFlag } from './data-dir-flag.ts';

test('commands that go by the data directory are told where it is, unless it is where they look', () => {
  assert.equal(dataDirFlag('/home/you/.rackwright', { cwd: '/home/you' }), '');
  const where = dataDirFlag('/var/lib/my fleet', { cwd: '/home/you' });
  const rack = { dataCentre: { bmcs: [{ name: 'r01-s01' }] } };
  const lines = nextCommands(rack, where).filter((line) => /rackwright (simulate|install-firmware) /.test(line));
  assert.equal(lines.length, 2);
  for (const line of lines) assert.match(line, / --data-dir '\/var\/lib\/my fleet'$/);
});
