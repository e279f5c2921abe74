import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { isSameVersion, normaliseVersion } from './parse-version.ts';

test('one version in two spellings is one version', () => {
  const same: [string, string, string][] = [
    ['generic', '1.2.3', ' 1.2.3 '],
    ['generic', 'V1.2', 'v1.2'],
    ['generic', 'v1.2', '1.2'],
    ['generic', 'GDC5302Q', 'gdc5302q'],
    ['dell', '2.1.8', '2.1.8'],
    ['hpe', 'U46 v2.10 (05/17/2023)', 'U46 v2.10 (05/17/2023)'],
    ['hpe', 'U46 v2.10 (05/17/2023)', '2.10'],
    ['hpe', 'U46 v2.10', 'v2.10'],
    ['hpe', 'iLO 5 v2.72', '2.72 Sep 04 2022'],
    ['hpe', 'iLO 6 v1.57', '1.57'],
    ['hpe', 'U32 v2.68 (07/14/2022)', '2.68_07-14-2022'],
    ['Hewlett Packard Enterprise', 'U46 v2.72 (09/29/2022)', '2.72'],
    ['lenovo', 'AFBT24N-2.40', 'AFBT24N 2.40 2022-03-28'],
    ['lenovo', 'AFBT24N-2.40', '2.40'],
    ['lenovo', 'AFBT24N-2.40', 'AFBT24N'],
    ['supermicro', 'BIOS Date: 02/02/2023 Ver 1.4b', '1.4b'],
    ['supermicro', '01.01.10', '1.01.10'],
    ['lenovo', 'U8E120B-1.40', '1.40'],
    ['Mellanox Technologies', '16.35.20.00', '16.35.2000'],
    ['intel', '9.20 0x8000d95e 22.0.9', '9.20 0x8000D95E'],
    ['intel', '9.20 0x8000d95e 22.0.9', '9.20'],
  ];
  for (const [vendor, one, other] of same) {
    assert.equal(isSameVersion(vendor, one, other), true, `${vendor} ${one} = ${other}`);
    assert.equal(isSameVersion(vendor, other, one), true, `${vendor} ${other} = ${one}`);
  }
});

test('two versions are not one', () => {
  const different: [string, string, string][] = [
    ['generic', '1.2.3', '1.2.4'],
    ['generic', '1.1', '1.10'],
    ['generic', '1.08', '1.8'],
    ['generic', '', ''],
    ['hpe', 'U46 v2.10', 'U32 v2.10'],
    ['hpe', 'U46 v2.10 (05/17/2023)', 'U46 v2.12 (05/17/2023)'],
    ['hpe', 'iLO 5 v2.72', '2.78 Jan 01 2023'],
    ['lenovo', 'AFBT24N-2.40', 'AFBT26P-2.40'],
    ['lenovo', 'AFBT24N-2.40', 'AFBT24N-2.41'],
    ['lenovo', 'AFBT24N', '2.40'],
    ['supermicro', '1.4b', '1.4'],
    ['supermicro', '01.10.10', '01.01.10'],
    ['dell', '16.35.20.00', '16.35.2000'],
    ['intel', '9.20 0x8000d95e', '9.20 0x8000d95f'],
  ];
  for (const [vendor, one, other] of different) {
    assert.equal(isSameVersion(vendor, one, other), false, `${vendor} ${one} = ${other}`);
  }
});

test('a version without what is written around it', () => {
  assert.equal(normaliseVersion('hpe', 'U46 v2.10 (05/17/2023)'), '2.10');
  assert.equal(normaliseVersion('hpe', 'iLO 5 v2.72'), '2.72');
  assert.equal(normaliseVersion('lenovo', 'AFBT24N-2.40'), '2.40');
  assert.equal(normaliseVersion('lenovo', 'AFBT24N'), 'afbt24n');
  assert.equal(normaliseVersion('supermicro', 'BIOS Date: 02/02/2023 Ver 1.4b'), '1.4b');
});

test('every text is the same version as itself, in any case and with any space around', () => {
  const vendors = fc.constantFrom('dell', 'hpe', 'lenovo', 'supermicro', 'openbmc', 'ami', 'nvidia', 'generic');
  const words = fc.constantFrom(
    'U46',
    'v',
    '2.10',
    '(',
    ')',
    'iLO 5',
    'AFBT24N',
    '-',
    ' ',
    'Ver',
    '0',
    '.',
    '2022-03-28',
    'Sep 04 2022',
    'é',
  );
  const texts = fc.array(words, { maxLength: 8 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(vendors, texts, (vendor, text) => {
      const isEmpty = normaliseVersion(vendor, text) === '';
      assert.equal(isSameVersion(vendor, text, ` ${text.toUpperCase()} `), !isEmpty);
    }),
    { numRuns: 3000 },
  );
});
