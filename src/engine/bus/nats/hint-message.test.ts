import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fc } from '#fast-check';
import type { BusHint } from '../bus.ts';
import { decodeHint, encodeHint } from './hint-message.ts';

const text = fc.string({ unit: 'grapheme' });
const asWritten = { noNullPrototype: true } as const;
const hint: fc.Arbitrary<BusHint> = fc.oneof(
  fc.record({ about: fc.constant('work' as const), facility: text, kind: text, conditionId: text }, asWritten),
  fc.record({ about: fc.constant('condition' as const), conditionId: text, target: text }, asWritten),
  fc.record({ about: fc.constant('online' as const), workerId: text }, asWritten),
  fc.record({ about: fc.constant('cancel' as const), conditionId: text }, asWritten),
);

describe('hints on the wire', () => {
  it('come back as they were', () => {
    fc.assert(fc.property(hint, (one) => assert.deepEqual(decodeHint(encodeHint(one)), one)));
  });

  it('are nothing when they are not ours, and never throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (body) => {
        const read = decodeHint(body);
        return read === undefined || typeof read.about === 'string';
      }),
    );
    const wrong = ['', 'null', '[]', '{"about":"work"}', '{"about":"online","workerId":7}', '{"about":"toString"}'];
    for (const body of wrong) assert.equal(decodeHint(body), undefined, body);
  });

  it('bring only the fields that belong to them', () => {
    const body = '{"about":"online","workerId":"w","more":1,"__proto__":{"isAdmin":true}}';
    assert.deepEqual(decodeHint(body), { about: 'online', workerId: 'w' });
  });
});
