import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { mergePatchOf } from './merge-patch.ts';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** What a server makes of a merge patch (RFC 7396). */
function merged(target: Json | undefined, patch: Json): Json {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const base = typeof target === 'object' && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete base[name];
    else base[name] = merged(base[name], value);
  }
  return base;
}

const { tree } = fc.letrec<{ tree: Json; leaf: Json }>((tie) => ({
  leaf: fc.oneof(fc.boolean(), fc.integer(), fc.string()),
  tree: fc.oneof(
    { depthSize: 'small' },
    tie('leaf'),
    fc.array(tie('leaf'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('tree'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));
const objects = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tree, { noNullPrototype: true });

test('a merge patch makes of one object exactly the other', () => {
  fc.assert(
    fc.property(objects, objects, (before, after) => {
      assert.deepEqual(merged(before, mergePatchOf(before, after) as Json), after);
    }),
  );
});

test('nothing is patched between two that are the same', () => {
  fc.assert(fc.property(objects, (object) => assert.deepEqual(mergePatchOf(object, structuredClone(object)), {})));
});
