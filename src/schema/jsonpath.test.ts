import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { compileJsonPath, type Json, type JsonObject } from './index.ts';

const object: JsonObject = {
  metadata: { labels: { 'a.b/c': 'x' } },
  spec: { list: [{ n: 1 }, { n: 2 }, { n: 3 }], a: { b: true }, empty: null },
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Done', status: 'False' },
    ],
  },
};

const found: [string, Json[]][] = [
  ['.spec.a.b', [true]],
  ['.spec.missing.b', []],
  ['.spec.empty', [null]],
  ['.status.conditions[?(@.type=="Ready")].status', ['True']],
  [".status.conditions[?(@.type=='Done')].status", ['False']],
  ['.status.conditions[?(@.type!="Ready")].type', ['Done']],
  ['.spec.list[?(@.n>1)].n', [2, 3]],
  ['.spec.list[?(@.n)].n', [1, 2, 3]],
  ['.spec.list[*].n', [1, 2, 3]],
  ['.spec.list[0].n', [1]],
  ['.spec.list[-1].n', [3]],
  ['.spec.list[0:2].n', [1, 2]],
  ['.spec.list[0:3:2].n', [1, 3]],
  ['.spec.list[0,2].n', [1, 3]],
  ['.spec.list[7].n', []],
  ['.metadata.labels.a\\.b/c', ['x']],
  [".metadata.labels['a\\.b/c']", ['x']],
  ['.spec.a.*', [true]],
  ['.spec..b', [true]],
];

for (const [path, expected] of found) {
  test(`${path} finds ${JSON.stringify(expected)}`, () => {
    const compiled = compileJsonPath(path);
    assert.ok('find' in compiled);
    assert.deepEqual(compiled.find(object), expected);
  });
}

const refused: [string, string][] = [
  ['.spec.list[', 'unterminated array'],
  ['.spec.list[a]', 'invalid array index a'],
  ['.spec.list[?(@.a=="x"', 'unterminated filter'],
  ['.spec....a', 'invalid multiple recursive descent'],
];

for (const [path, error] of refused) {
  test(`${path} is refused: ${error}`, () => {
    assert.deepEqual(compileJsonPath(path), { error });
  });
}

test('any text either compiles and finds, or says why not', () => {
  const piece = fc.constantFrom(
    '.',
    '[',
    ']',
    '*',
    'spec',
    'list',
    '0',
    ',',
    ':',
    "'",
    '"',
    '?(',
    ')',
    '@',
    '==',
    '\\',
    '-',
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const compiled = compileJsonPath(pieces.join(''));
      if ('find' in compiled) assert.ok(Array.isArray(compiled.find(object)));
      else assert.notEqual(compiled.error, '');
    }),
  );
});
