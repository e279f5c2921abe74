import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { isSameVersion } from './parse-version.ts';
import { createVersionSet } from './version-set.ts';

const pieces = [
  '2.72',
  '2.40',
  'v2.72',
  'U46 v2.72',
  'U32 v2.72 (09/29/2022)',
  'AFBT24N',
  'AFBT24N-2.40',
  'AFBT58B',
  '',
];

test('a set has what one of its members is the same version as, and nothing else', () => {
  const versions = fc.array(fc.constantFrom(...pieces), { maxLength: 6 });
  fc.assert(
    fc.property(
      fc.constantFrom('HPE', 'Lenovo', 'Acme'),
      versions,
      fc.constantFrom(...pieces),
      (vendor, all, asked) => {
        const set = createVersionSet(vendor);
        for (const each of all) set.add(each);
        assert.equal(
          set.has(asked),
          all.some((each) => isSameVersion(vendor, each, asked)),
        );
      },
    ),
    { numRuns: 2000 },
  );
});
