import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fc } from '#fast-check';
import type { JsonObject } from '../../schema/index.ts';
import { clusterAnnotations, clusterKinds } from '../cluster/index.ts';
import { apiVersionOf, type KindDeclaration, type KindVersion } from '../declare.ts';
import { schemaOf } from '../to-crd.ts';
import { arbitraryObject, unknownFields } from './arbitrary-object.ts';
import { convert } from './index.ts';
import { covers } from './leftovers.ts';

const runs = { numRuns: 150 };

function versionsOf(kind: KindDeclaration): { older: KindVersion; newer: KindVersion } {
  const [older, newer] = kind.versions;
  assert.ok(older !== undefined && newer !== undefined);
  return { older, newer };
}

for (const kind of clusterKinds) {
  const { older, newer } = versionsOf(kind);
  const [oldApi, newApi] = [apiVersionOf(kind, older), apiVersionOf(kind, newer)];

  describe(`${kind.kind} of ${kind.group}`, () => {
    it('comes back from v1beta1 exactly as it was', () => {
      fc.assert(
        fc.property(arbitraryObject(kind, newer), (object) => {
          assert.deepEqual(convert(convert(object, oldApi), newApi), object);
        }),
        runs,
      );
    });

    it('comes back from v1beta2 with everything it had', () => {
      fc.assert(
        fc.property(arbitraryObject(kind, older), (object) => {
          const back = convert(convert(object, newApi), oldApi);
          assert.ok(covers(back, object, { isLenient: true }), JSON.stringify({ object, back }));
        }),
        runs,
      );
    });

    it('never has a field in one version that only the other knows', () => {
      const check = (from: KindVersion, to: KindVersion) =>
        fc.assert(
          fc.property(arbitraryObject(kind, from), (object) => {
            const { metadata: _, ...body } = convert(object, apiVersionOf(kind, to));
            assert.deepEqual(unknownFields(body, schemaOf(kind, to)), []);
          }),
          runs,
        );
      check(older, newer);
      check(newer, older);
    });

    it('settles: converting back and forth again changes nothing more', () => {
      fc.assert(
        fc.property(arbitraryObject(kind, older), (object) => {
          const once = convert(convert(object, newApi), oldApi);
          assert.deepEqual(convert(convert(once, newApi), oldApi), once);
        }),
        runs,
      );
    });

    it('does not touch its input, and nothing of metadata but the one annotation', () => {
      fc.assert(
        fc.property(arbitraryObject(kind, newer), (object) => {
          const before = structuredClone(object);
          const { annotations, ...metadata } = convert(object, oldApi).metadata as JsonObject;
          assert.deepEqual(object, before);
          assert.deepEqual(metadata, before.metadata);
          const names = Object.keys((annotations ?? {}) as JsonObject);
          assert.ok(names.every((name) => name === clusterAnnotations.conversionData));
        }),
        runs,
      );
    });
  });
}
