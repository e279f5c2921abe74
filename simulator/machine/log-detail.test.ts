import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { formatDetail, readDetail } from './log-detail.ts';

test('fields are written plainly where they can be, and quoted where not', () => {
  assert.equal(formatDetail({ slot: 'BIOS.Setup.1-1', tries: 3 }), 'slot=BIOS.Setup.1-1 tries=3');
  assert.equal(formatDetail({ slot: 'System ROM', version: 'U30 "v2"' }), 'slot="System ROM" version="U30 \\"v2\\""');
});

test('what is written is read back, and stays on one line', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (slot, version) => {
      const detail = formatDetail({ slot, version });
      assert.deepEqual(readDetail(detail), { slot, version });
      assert.doesNotMatch(detail, /[\n\r]/);
    }),
    { numRuns: 500 },
  );
});
