import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatGrid, gridOf } from './table.ts';

const style = { isWide: false, hasNamespaces: false, hasLabels: false, prefix: '' };
const columns = [{ name: 'Name' }, { name: 'State' }, { name: 'BMC', priority: 1 }];

test('columns are as wide as their longest cell, and the last is not padded', () => {
  const grid = gridOf(columns, [{ cells: ['a', 'ready', 'x'] }, { cells: ['longer', null, 'y'] }], style);
  assert.equal(formatGrid(grid, { hasHeader: true }), 'NAME     STATE\na        ready\nlonger\n');
});

test('without a header its words do not widen the columns', () => {
  const grid = gridOf(columns, [{ cells: ['a', 'b', 'c'] }], { ...style, isWide: true });
  assert.equal(formatGrid(grid, { hasHeader: false }), 'a   b   c\n');
});

test('namespaces, labels and the name of the kind are added when asked for', () => {
  const metadata = { namespace: 'fleet', labels: { rack: 'a1', row: '2' } };
  const rows = [{ cells: ['a', 'b', 'c'], object: { metadata } }];
  const grid = gridOf(columns, rows, { isWide: false, hasNamespaces: true, hasLabels: true, prefix: 'host/' });
  assert.deepEqual(grid.header, ['NAMESPACE', 'NAME', 'STATE', 'LABELS']);
  assert.deepEqual(grid.rows, [['fleet', 'host/a', 'b', 'rack=a1,row=2']]);
});

test('what a device put into a cell cannot tear the table or command the terminal', () => {
  const grid = gridOf(columns, [{ cells: ['a\u001b[2J', 'one\ntwo'] }], style);
  assert.deepEqual(grid.rows, [['a [2J', 'one...']]);
});
