import assert from 'node:assert/strict';
import { test } from 'node:test';
import { offersOf } from './offers.ts';

const available = {
  metadata: { name: 'm' },
  spec: { manufacturer: 'Dell Inc.', model: 'R750' },
  status: {
    firmwares: [
      { name: 'nic', manufacturer: 'Super Micro', model: 'AOC', versions: ['1'] },
      { name: 'nic', manufacturer: 'Western Digital', versions: ['2'] },
      { name: 'ssd', manufacturer: 'Western Digital', model: 'SN840', versions: ['3'] },
    ],
  },
};

for (const [part, versions] of [
  // Makers that begin with one word are not one maker, and makers of two words are known by all of their names.
  [{ name: 'nic', manufacturer: 'Western Union' }, []],
  [{ name: 'nic', manufacturer: 'WDC' }, ['2']],
  [{ name: 'nic', manufacturer: 'Supermicro', model: 'AOC' }, ['1']],
  // A class has several names.
  [{ name: 'drive', manufacturer: 'HGST', model: 'SN840' }, ['3']],
] as const) {
  test(`a ${Object.values(part).join(' ')} is offered ${versions.join(', ') || 'nothing'}`, () => {
    assert.deepEqual(
      offersOf(available, [part]).flatMap((offer) => offer.versions),
      versions,
    );
  });
}
