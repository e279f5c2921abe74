import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { compareVersions, type VersionOrder } from './compare-versions.ts';
import { isSameVersion } from './parse-version.ts';
import { sortVersions } from './sort-versions.ts';

const cases: readonly (readonly [string, string | undefined, string, VersionOrder, string])[] = [
  ['Dell Inc.', 'bios', '2.19.1', 'older', '2.21.2'],
  ['dell', 'bios', '1.9.2', 'older', '1.10.2'],
  ['dell', 'bmc', '7.00.30.00', 'older', '7.10.30.00'],
  ['dell', 'storage-controller', '51.16.0-4076', 'older', '51.16.0-5150'],
  ['dell', 'bios', '2.19.1', 'same', ' 2.19.1'],
  ['dell', 'bios', '2.4', 'unknown', '2.4.1'],
  ['dell', 'bios', 'A04', 'unknown', 'A05'],
  ['dell', 'psu', '00.1B.53', 'unknown', '00.1D.9C'],
  ['dell', 'psu', '00.23.32', 'unknown', '00.24.70'],
  ['HPE', 'bios', 'U46 v2.72 (09/29/2022)', 'older', 'U46 v2.80 (04/20/2023)'],
  ['HPE', 'bios', 'U46 v2.72 (09/29/2022)', 'older', '2.80_04-20-2023'],
  ['HPE', 'bios', 'U46 v2.72', 'unknown', 'U32 v2.80'],
  ['HPE', 'bmc', '2.81 Mar 14 2023', 'newer', '2.72 Sep 04 2022'],
  ['HPE', 'bmc', '2.81 Mar 14 2023', 'same', 'iLO 5 v2.81'],
  ['HPE', 'other', '12.3.0 Build 17', 'older', '12.3.0 Build 21'],
  ['HPE', 'cpld', '0x2A', 'unknown', '0x2F'],
  ['Lenovo', 'bmc', 'AFBT58B-5.90', 'newer', 'AFBT40M-4.80'],
  ['Lenovo', 'bmc', 'AFBT58B-5.90', 'unknown', 'CDI3A8N-9.30'],
  ['Lenovo', 'bmc', 'AFBT58B', 'unknown', 'AFBT40M'],
  ['Lenovo', 'bmc', 'AFBT58B-5.90', 'unknown', 'AFBT58C-5.90'],
  ['Lenovo', 'bios', 'U8E120B-1.40', 'older', 'U8E128F-1.60'],
  ['Supermicro', 'bios', '1.4', 'older', '1.4a'],
  ['Supermicro', 'bios', '1.4b', 'newer', '1.4a'],
  ['Supermicro', 'bios', 'BIOS Date: 02/02/2023 Ver 1.4b', 'older', '2.0'],
  ['Supermicro', 'bmc', '01.01.10', 'older', '1.2.3'],
  ['Supermicro', 'bios', '1.9', 'unknown', '1.10'],
  ['Intel(R) Corporation', 'nic', '22.0.9', 'older', '22.5.7'],
  ['intel', 'nic', '9.20 0x8000d95e 22.0.9', 'newer', '9.00 0x8000cead'],
  ['intel', 'nic', '9.20 0x8000d95e', 'unknown', '9.20 0x8000d95f'],
  ['intel', 'nic', '9.20', 'unknown', '22.0.9'],
  ['Broadcom', 'nic', '22.31.6', 'older', '22.71.3'],
  ['Mellanox Technologies', 'nic', '16.31.2006', 'older', '16.35.20.12'],
  ['Mellanox Technologies', 'nic', '16.35.2000', 'unknown', '26.34.1002'],
  ['Mellanox Technologies', 'nic', '16.35.2000', 'unknown', '2.42.5000'],
  ['Mellanox Technologies', 'nic', '2.36.5000', 'older', '2.42.5000'],
  ['Samsung', 'drive', 'GDC5302Q', 'unknown', 'GDC5502Q'],
  ['Samsung', 'drive', 'GDC5302Q', 'same', 'gdc5302q'],
  ['dell', 'drive', '1.2.3', 'unknown', '1.2.4'],
  ['Acme Corp.', 'nic', '1.0.0', 'unknown', '2.0.0'],
  ['Acme Corp.', 'nic', '1.0.0', 'same', 'v1.0.0'],
  ['dell', 'bios', `1.${'9'.repeat(400)}.1`, 'unknown', '1.2.3'],
];

for (const [vendor, component, version, expected, than] of cases) {
  test(`${vendor} ${component}: ${version.slice(0, 40)} is ${expected} than ${than}`, () => {
    assert.equal(compareVersions({ vendor, component, version, than }), expected);
  });
}

const opposite: Readonly<Record<VersionOrder, VersionOrder>> = {
  older: 'newer',
  newer: 'older',
  same: 'same',
  unknown: 'unknown',
};

const vendors = fc.constantFrom('dell', 'HPE', 'Lenovo', 'Supermicro', 'Intel', 'Broadcom', 'Mellanox', 'Acme', '');
const components = fc.constantFrom(undefined, 'bios', 'bmc', 'nic', 'drive');
const numbers = fc
  .array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join('.'));
const texts = fc.oneof(
  numbers,
  fc.tuple(fc.constantFrom('U46 v', 'U32 v', 'AFBT58B-', 'CDI386N ', 'v', ''), numbers).map((parts) => parts.join('')),
  fc.tuple(numbers, fc.constantFrom('a', 'b', ' (05/17/2023)', '-7', ' Build 3')).map((parts) => parts.join('')),
  fc.string({ maxLength: 12 }),
);

test('comparing the other way round gives the opposite', () => {
  fc.assert(
    fc.property(vendors, components, texts, texts, (vendor, component, version, than) => {
      const order = compareVersions({ vendor, component, version, than });
      assert.equal(compareVersions({ vendor, component, version: than, than: version }), opposite[order]);
      assert.equal(order === 'same', isSameVersion(vendor, version, than));
    }),
    { numRuns: 3000 },
  );
});

test('inside a scheme versions are in one line: what is older than something older is older', () => {
  const scheme = fc.constantFrom('dell', 'HPE', 'Supermicro', 'Intel', 'Broadcom');
  const dotted = fc
    .array(fc.integer({ min: 0, max: 30 }), { minLength: 3, maxLength: 3 })
    .map((parts) => parts.join('.'));
  fc.assert(
    fc.property(scheme, dotted, dotted, dotted, (vendor, a, b, c) => {
      const order = (version: string, than: string) => compareVersions({ vendor, component: 'bios', version, than });
      assert.notEqual(order(a, b), 'unknown');
      if (order(a, b) !== 'newer' && order(b, c) === 'older') assert.equal(order(a, c), 'older');
    }),
    { numRuns: 2000 },
  );
});

test('what a vendor writes around a version changes nothing', () => {
  const around: Readonly<Record<string, (version: string) => string>> = {
    HPE: (version) => `U46 v${version} (05/17/2023)`,
    Lenovo: (version) => `AFBT24N-${version}`,
    Supermicro: (version) => `BIOS Date: 02/02/2023 Ver ${version}`,
    dell: (version) => ` V${version} `,
  };
  const plain = fc
    .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 10, max: 99 }))
    .map((both) => both.join('.'));
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(around)), plain, plain, (vendor, version, than) => {
      const written = around[vendor]?.(version) ?? '';
      assert.equal(compareVersions({ vendor, version: written, than: version }), 'same');
      assert.equal(compareVersions({ vendor, version: written, than }), compareVersions({ vendor, version, than }));
    }),
  );
});

test('a list is sorted with the newest first, by day where the scheme does not tell', () => {
  const sorted = (vendor: string, component: string, list: readonly (readonly [string, string?])[]) =>
    sortVersions(
      { vendor, component },
      list.map(([version, releaseDate]) => ({ version, releaseDate })),
    ).map(({ version }) => version);
  assert.deepEqual(sorted('dell', 'bios', [['1.9.2'], ['1.13.2', '2020-01-01'], ['1.10.2', '2024-01-01']]), [
    '1.13.2',
    '1.10.2',
    '1.9.2',
  ]);
  assert.deepEqual(sorted('samsung', 'drive', [['GDC5302Q', '2022-01-01'], ['AAAA'], ['GDC5502Q', '2023-01-01']]), [
    'GDC5502Q',
    'GDC5302Q',
    'AAAA',
  ]);
  assert.deepEqual(sorted('HPE', 'bmc', [['3.03 Apr 05 2024'], ['2.72 Sep 04 2022'], ['2.99 Dec 05 2023']]), [
    '3.03 Apr 05 2024',
    '2.99 Dec 05 2023',
    '2.72 Sep 04 2022',
  ]);
});

test('sorting loses nothing, agrees with comparing, and does not depend on the order given', () => {
  const dates = fc.constantFrom(undefined, '2022-01-01', '2023-05-05', '2024-12-31');
  const items = fc.uniqueArray(fc.record({ version: texts, releaseDate: dates }), {
    selector: ({ version }) => version.trim().toLowerCase(),
  });
  fc.assert(
    fc.property(vendors, components, items, (vendor, component, list) => {
      const sorted = sortVersions({ vendor, component }, list);
      assert.deepEqual(new Set(sorted), new Set(list));
      assert.deepEqual(sortVersions({ vendor, component }, list.toReversed()), sorted);
      for (const [at, { version }] of sorted.entries()) {
        const before = sorted.slice(0, at).filter(({ version: than }) => sameLine(than, version));
        for (const { version: than } of before) {
          assert.notEqual(compareVersions({ vendor, component, version: than, than: version }), 'older');
        }
      }
    }),
    { numRuns: 1000 },
  );
});

/** Versions that tell a family are only in one line with those that tell the same. */
function sameLine(one: string, other: string): boolean {
  const family = (text: string) => /^(?:U46|U32|AFBT58B|CDI386N)/i.exec(text.trim())?.[0];
  return family(one) === family(other);
}
