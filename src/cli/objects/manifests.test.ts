import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseManifests } from './manifests.ts';

const names = (text: string) =>
  parseManifests(text, 'f.yaml').map(({ object, source }) => `${source} ${object.kind}/${object.metadata?.name}`);

test('documents are told by file and line', () => {
  const text =
    '# a comment\n---\n\napiVersion: v1\nkind: A\nmetadata: {name: a}\n---\n---\n# nothing\n--- # more\napiVersion: v1\nkind: B\nmetadata: {name: b}\n';
  assert.deepEqual(names(text), ['f.yaml:4 A/a', 'f.yaml:11 B/b']);
});

test('lists are taken apart', () => {
  const text =
    '{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: A, metadata: {name: a}}, {apiVersion: v1, kind: B, metadata: {name: b}}]}';
  assert.deepEqual(names(text), ['f.yaml:1 A/a', 'f.yaml:1 B/b']);
});

test('other spellings of a kind become the one that is served, in its group only', () => {
  assert.deepEqual(names('{apiVersion: metal3.io/v1alpha1, kind: SwitchportConfiguration, metadata: {name: a}}'), [
    'f.yaml:1 SwitchPortConfiguration/a',
  ]);
  assert.deepEqual(names('{apiVersion: example.com/v1, kind: SwitchportConfiguration, metadata: {name: a}}'), [
    'f.yaml:1 SwitchportConfiguration/a',
  ]);
});

test('Windows line ends and texts with dashes inside are no document ends', () => {
  const text = 'apiVersion: v1\r\nkind: A\r\nmetadata: {name: a}\r\ndata:\r\n  x: |\r\n    ---\r\n    y\r\n';
  assert.deepEqual(names(text), ['f.yaml:1 A/a']);
});

const bad: [string, string, RegExp][] = [
  ['a text', 'just text', /f\.yaml:1: not an object/],
  ['a list', '[1]', /f\.yaml:1: not an object/],
  ['no kind', '---\nmetadata: {name: a}', /f\.yaml:2: an object needs apiVersion and kind/],
  ['a field twice', 'apiVersion: v1\nkind: A\nkind: B\n', /line 3: key "kind" already set/],
  ['metadata that is no object', '{apiVersion: v1, kind: A, metadata: 7}', /metadata must be an object/],
];

for (const [what, text, message] of bad) {
  test(`${what} is refused with its place`, () => {
    assert.throws(() => parseManifests(text, 'f.yaml'), message);
  });
}
