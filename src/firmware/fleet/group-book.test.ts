import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { ironcoreApiVersion, type ServerFirmwareGroup } from '../../api/index.ts';
import { createGroupBook } from './group-book.ts';
import { compileSelector, type Selector } from './selector.ts';

function aGroup(name: string, serverSelector: Selector, version = '1'): ServerFirmwareGroup {
  return {
    apiVersion: ironcoreApiVersion,
    kind: 'ServerFirmwareGroup',
    metadata: { name },
    spec: {
      manufacturer: 'Lenovo',
      model: '7x21',
      serverSelector,
      firmwares: [{ name: 'ssd', manufacturer: 'ACME', version }],
    },
  };
}

const labels = fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('x', 'y'), { maxKeys: 2 });
const selector: fc.Arbitrary<Selector> = fc.record({
  matchLabels: labels,
  matchExpressions: fc.array(
    fc.oneof(
      fc.record({
        key: fc.constantFrom('a', 'b'),
        operator: fc.constantFrom('In' as const, 'NotIn' as const),
        values: fc.uniqueArray(fc.constantFrom('x', 'y'), { minLength: 1 }),
      }),
      fc.record({ key: fc.constantFrom('a', 'b'), operator: fc.constantFrom('Exists' as const) }),
    ),
    { maxLength: 2 },
  ),
});

test('the groups that are found are those that select the labels, each once and by name, however the table changes', () => {
  const tables = fc.array(fc.dictionary(fc.constantFrom('g1', 'g2', 'g3', 'g4'), selector), { minLength: 1 });
  fc.assert(
    fc.property(tables, labels, (versions, set) => {
      let groups: ServerFirmwareGroup[] = [];
      const book = createGroupBook({ list: () => groups });
      for (const version of versions) {
        groups = Object.entries(version).map(([name, each]) => aGroup(name, each));
        const expected = Object.entries(version)
          .filter(([, each]) => compileSelector(each).matches(set))
          .map(([name]) => name)
          .toSorted();
        assert.deepEqual(
          book.selecting(set).map(({ metadata }) => metadata.name),
          expected,
        );
      }
    }),
  );
});

test('a group that is being deleted selects nothing, and objects that are found are those of the table', () => {
  const first = aGroup('g', { matchLabels: { a: 'x' } });
  let groups = [first];
  const book = createGroupBook({ list: () => groups });
  assert.equal(book.selecting({ a: 'x' })[0], first);
  const counted = { ...first, status: { serversInGroup: 1 } };
  groups = [counted];
  assert.equal(book.selecting({ a: 'x' })[0], counted);
  groups = [{ ...first, metadata: { ...first.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } }];
  assert.deepEqual(book.selecting({ a: 'x' }), []);
});

test('an edition lasts until a group comes, goes or changes its spec, and not for a status', () => {
  const [one, two] = [aGroup('one', {}), aGroup('two', { matchLabels: { a: 'x' } })];
  let groups = [one];
  const book = createGroupBook({ list: () => groups });
  const editionWith = (...list: ServerFirmwareGroup[]): object => {
    groups = list;
    return book.edition();
  };
  const first = editionWith(one);
  assert.equal(editionWith(structuredClone(one)), first);
  assert.equal(editionWith({ ...one, status: { updatesApplied: 3 } }), first);
  const others = [
    editionWith(one, two),
    editionWith(one),
    editionWith(aGroup('one', {}, '2')),
    editionWith(aGroup('one', { matchLabels: { a: 'x' } }, '2')),
    editionWith(aGroup('other', { matchLabels: { a: 'x' } }, '2')),
    editionWith(),
  ];
  assert.equal(new Set([first, ...others]).size, others.length + 1);
});
