import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ObjectMeta, OwnerReference } from '../object.ts';
import { dropRepeatedOwners } from './owner-references.ts';

function ownerOf(name: string, uid = 'u'): OwnerReference {
  return { apiVersion: 'v1', kind: 'A', name, uid };
}

test('an owner that is there twice is kept once, whatever the order of its fields', () => {
  const meta: ObjectMeta = {
    ownerReferences: [ownerOf('a'), ownerOf('b'), { uid: 'u', name: 'a', kind: 'A', apiVersion: 'v1' }],
  };
  const warnings: string[] = [];
  dropRepeatedOwners(meta, (text) => warnings.push(text), 'as-sent');
  assert.deepEqual(meta.ownerReferences, [ownerOf('a'), ownerOf('b')]);
  assert.match(warnings.join(), /duplicate UID\(s\) observed: u$/);
});

test('owners of one uid are not compared with each other one by one', () => {
  let looks = 0;
  const owners = Array.from({ length: 500 }, (_, i) => ({
    ...ownerOf(''),
    get name() {
      looks++;
      return `n${i}`;
    },
  }));
  const meta: ObjectMeta = { ownerReferences: owners };
  dropRepeatedOwners(meta, assert.fail, 'as-sent');
  assert.equal(meta.ownerReferences?.length, 500);
  assert.ok(looks <= 10 * owners.length, `${looks} looks at ${owners.length} names`);
});
