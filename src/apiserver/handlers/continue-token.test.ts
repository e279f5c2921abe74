import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { ApiError } from '../status.ts';
import { readContinueToken, writeContinueToken } from './continue-token.ts';

const name = fc.stringMatching(/^[a-z0-9]([a-z0-9.-]{0,20}[a-z0-9])?$/);

test('what is written as a token is read back', () => {
  const revision = fc.option(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), { nil: undefined });
  fc.assert(
    fc.property(revision, fc.oneof(fc.constant(''), name), name, (at, namespace, last) => {
      const written = { revision: at, after: { namespace, name: last } };
      assert.deepEqual(readContinueToken(writeContinueToken(written)), written);
    }),
  );
});

test('anything else is a token, too, or gets a 400', () => {
  const part = fc.oneof(fc.string(), fc.integer(), fc.double(), fc.constant(null), fc.constant('meta.k8s.io/v1'));
  const made = fc.record({ v: part, rv: part, start: part }, { requiredKeys: [] });
  const token = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value)).toString('base64url')),
    made.map((value) => Buffer.from(JSON.stringify(value)).toString('base64url')),
  );
  fc.assert(
    fc.property(token, (text) => {
      try {
        const { revision, after } = readContinueToken(text);
        assert.ok(revision === undefined || (Number.isSafeInteger(revision) && revision > 0));
        assert.equal(typeof after.name, 'string');
      } catch (error) {
        assert.ok(error instanceof ApiError && error.code === 400, String(error));
      }
    }),
    { numRuns: 2000 },
  );
});
