import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseBmcAddress, tryParseBmcAddress } from './address.ts';
import { type AddressRelation, addressPairs, badAddresses } from './testing/address-pairs.ts';

function relationOf(one: string, other: string): AddressRelation {
  const [a, b] = [parseBmcAddress(one), parseBmcAddress(other)];
  if (a.bmc !== b.bmc) return 'different';
  if (a.system === b.system) return 'same';
  return a.systemPath === undefined || b.systemPath === undefined ? 'overlap' : 'siblings';
}

describe('two addresses', () => {
  for (const [one, other, relation] of addressPairs) {
    test(`${one} and ${other}: ${relation}`, () => {
      assert.equal(relationOf(one, other), relation);
      assert.equal(relationOf(other, one), relation);
    });
  }

  test('are enough to tell', () => {
    assert.ok(addressPairs.length >= 40, `${addressPairs.length} pairs`);
    for (const relation of ['same', 'overlap', 'siblings', 'different'])
      assert.ok(addressPairs.some(([, , each]) => each === relation));
  });
});

test('the canonical text, the key of a BMC and that of a system are read as themselves', () => {
  for (const text of addressPairs.flatMap((pair) => pair.slice(0, 2))) {
    const address = parseBmcAddress(text);
    assert.deepEqual(parseBmcAddress(address.canonical).canonical, address.canonical);
    assert.equal(parseBmcAddress(address.canonical).system, address.system);
    assert.equal(parseBmcAddress(address.system).system, address.system);
    assert.equal(parseBmcAddress(address.bmc).system, address.bmc);
  }
});

for (const [text, why] of badAddresses) {
  test(`${text} is refused with what is wrong and what a right one looks like`, () => {
    assert.throws(() => parseBmcAddress(text), why);
    assert.throws(() => parseBmcAddress(text), /write it as https:\/\/10\.0\.0\.7:8443/);
    assert.equal(tryParseBmcAddress(text), undefined);
  });
}
