import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fc } from '#fast-check';
import { hostileNames } from '../contract/bus-contract.ts';
import { isBusError } from '../errors.ts';
import { encodeToken, natsNames } from './names.ts';

// Short texts of few characters, so that runs find texts that could collide.
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 120 }),
  fc.string({ unit: fc.constantFrom('_', '-', '.', '2', 'E', 'h', 'a', '*', '>', ' '), maxLength: 8 }),
  fc.constantFrom(...hostileNames),
);

describe('names in NATS', () => {
  it('have nothing in them that means something in a subject, and are never empty or long', () => {
    fc.assert(fc.property(text, (one) => /^[A-Za-z0-9_-]{1,80}$/.test(encodeToken(one))));
  });

  it('are different for different texts', () => {
    fc.assert(
      fc.property(text, text, (one, other) => (one === other) === (encodeToken(one) === encodeToken(other))),
      { numRuns: 5000 },
    );
  });

  it('are different for different places, however facility and kind are cut', () => {
    const names = natsNames('rackwright');
    const place = fc.record({ facility: text, kind: text });
    fc.assert(
      fc.property(place, place, (one, other) => {
        const isSame = one.facility === other.facility && one.kind === other.kind;
        return (
          isSame === (names.consumer(one) === names.consumer(other)) &&
          isSame === (names.workOf(one) === names.workOf(other))
        );
      }),
      { numRuns: 5000 },
    );
  });

  it('keep plain names readable for operators', () => {
    const names = natsNames('rackwright');
    const hint = { facility: 'fra-1', kind: 'firmwareInstall', conditionId: 'c0ffee' };
    assert.equal(names.work(hint), 'rackwright.work.fra-1.firmwareInstall.c0ffee');
    assert.equal(names.workOf(hint), 'rackwright.work.fra-1.firmwareInstall.*');
    assert.equal(names.consumer(hint), 'fra-1__firmwareInstall');
    assert.equal(names.workStream, 'rackwright-work');
    assert.equal(names.life('host/1'), '$KV.rackwright-alive.host_2F1');
    assert.equal(names.hint('online'), 'rackwright.hint.online');
    assert.equal(names.work({ facility: '', kind: 'a.b', conditionId: '>' }), 'rackwright.work._.a_2Eb._3E');
  });

  it('keep a consumer within the 255 characters that NATS allows', () => {
    fc.assert(fc.property(text, text, (facility, kind) => natsNames('x').consumer({ facility, kind }).length <= 162));
  });

  it('refuse a prefix that could reach into other subjects', () => {
    for (const prefix of ['', 'a.b', '*', '>', 'a b', '$JS', 'x'.repeat(41)]) {
      assert.throws(
        () => natsNames(prefix),
        (error) => isBusError(error, 'badSettings'),
        prefix,
      );
    }
  });
});
