import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fc } from '#fast-check';
import { canonicalQuantity, compareQuantities, parseQuantity } from './quantity.ts';

describe('a quantity', () => {
  const spellings: [string, string][] = [
    ['1000m', '1'],
    ['0.5', '500m'],
    ['1024Mi', '1Gi'],
    ['0.5Gi', '512Mi'],
    ['1023Ki', '1023Ki'],
    ['512', '512'],
    ['1e3', '1e3'],
    ['1E3', '1e3'],
    ['10e2', '1e3'],
    ['1000', '1k'],
    ['1500', '1500'],
    ['0', '0'],
    ['0Mi', '0'],
    ['-1.5', '-1500m'],
    ['+2', '2'],
    ['1Ki', '1Ki'],
    ['0.1Ki', '102400m'],
    ['1.5Ki', '1536'],
    ['3e-3', '3e-3'],
    ['1e30', '1e30'],
    ['1e19', '10e18'],
    ['1e400', '10e399'],
    ['7.5Ei', '7680Pi'],
    ['8Ei', '9223372036854775807'],
    ['10E', '10E'],
    ['12345678901234567890.5', '12345678901234567890500m'],
    ['9'.repeat(100), '9'.repeat(100)],
    [`0.${'0'.repeat(900)}1`, '1n'],
  ];
  for (const [given, written] of spellings) {
    it(`${given} is written ${written}`, () => assert.equal(canonicalQuantity(given), written));
  }

  it('is none without a number, with a strange suffix or with two', () => {
    for (const text of ['', 'x', '1x', '1KiKi', '1 Gi', '1ee3', '1e']) assert.equal(parseQuantity(text), undefined);
  });

  it('is none when it is longer than a thousand characters', () => {
    assert.notEqual(parseQuantity('1'.repeat(1000)), undefined);
    assert.equal(parseQuantity('1'.repeat(1001)), undefined);
    assert.equal(canonicalQuantity('1'.repeat(1_500_000)), '1'.repeat(1_500_000));
  });

  it('keeps its size when it is written again', () => {
    const suffix = fc.constantFrom('', 'm', 'u', 'n', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'e3', 'e-3');
    fc.assert(
      fc.property(fc.integer({ min: -1_000_000, max: 1_000_000 }), suffix, (number, unit) => {
        const text = `${number}${unit}`;
        const written = canonicalQuantity(text);
        assert.equal(compareQuantities(text, written), 0, `${text} became ${written}`);
        assert.equal(canonicalQuantity(written), written);
      }),
    );
  });
});
