import assert from 'node:assert/strict';
import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { stringify } from 'yaml';
import { fc } from '#fast-check';
import { type CatalogErrorCode, isCatalogError } from './errors.ts';
import { addressBelow, pathFault } from './formats/image-address.ts';
import { defaultCatalogLimits } from './limits.ts';
import { type CatalogReaderOptions, readCatalog } from './read-catalog.ts';
import type { CatalogFormat } from './source.ts';
import { dellCatalog, dellPackages, hpeIndex, lenovoIndex, lenovoXml, plainCatalog } from './testing/fixtures.ts';
import { folderWith, utf16 } from './testing/read-text.ts';

const queries = {
  dell: { manufacturer: 'Dell', model: 'R640' },
  hpe: { manufacturer: 'HPE', model: 'ProLiant DL360 Gen10' },
  lenovo: { manufacturer: 'Lenovo', model: '7D75' },
  plain: { manufacturer: 'Dell', model: 'PowerEdge R640' },
} as const satisfies Record<CatalogFormat, { manufacturer: string; model: string }>;

const text = dellCatalog(dellPackages);
const [bios] = dellPackages;
assert.ok(bios);
const dell = (change: Partial<typeof bios>): string => dellCatalog([...dellPackages, { ...bios, ...change }]);
const hpe = (name: string): string => JSON.stringify({ ...hpeIndex, [name]: hpeIndex['ilo5_299.fwpkg'] });
const lenovo = (Payload: unknown): string =>
  JSON.stringify({ ...lenovoIndex, Updates: [{ ...lenovoIndex.Updates[0], Payload }] });
const lenovoOf = (own: object, ofAll: object): string => {
  const [first] = lenovoIndex.Updates;
  const Updates = [{ ...first, Oem: { ...first?.Oem, ...own } }];
  return JSON.stringify({ Updates, Oem: { ...lenovoIndex.Oem, ...ofAll } });
};
const many = Array.from({ length: defaultCatalogLimits.maxNames + 1 }, (_, at) => `T${at}`);
const plain = (change: object): string =>
  JSON.stringify({ ...plainCatalog, firmware: [...plainCatalog.firmware, { ...plainCatalog.firmware[0], ...change }] });

const bomb = `<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>
<Manifest>&c;</Manifest>`;
const long = '1'.repeat(254);
const outside = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY xxe SYSTEM "file:///etc/passwd">]><Manifest>&xxe;</Manifest>`;

type Row = readonly [
  why: string,
  format: CatalogFormat,
  file: string,
  content: string | Uint8Array,
  code: CatalogErrorCode,
  options?: CatalogReaderOptions,
];

const rows: readonly Row[] = [
  ['is cut off', 'dell', 'Catalog.xml', text.slice(0, text.length - 20), 'truncated'],
  ['is cut off in a tag', 'dell', 'Catalog.xml', text.slice(0, text.indexOf('vendorVersion')), 'truncated'],
  ['is cut off in a character', 'dell', 'Catalog.xml', utf16(text).subarray(0, 1001), 'truncated'],
  ['is cut off while packed', 'dell', 'Catalog.xml.gz', gzipSync(text).subarray(0, 400), 'truncated'],
  [
    'is damaged while packed',
    'dell',
    'Catalog.xml.gz',
    Buffer.concat([gzipSync(text).subarray(0, 60), Buffer.alloc(900, 7)]),
    'malformed',
  ],
  ['is empty', 'dell', 'Catalog.xml', '', 'truncated'],
  ['is something else', 'dell', 'Catalog.xml', '<html><body>Please log in</body></html>', 'malformed'],
  ['is an index of catalogues', 'dell', 'Catalog.xml', '<ManifestIndex></ManifestIndex>', 'malformed'],
  ['declares entities that grow', 'dell', 'Catalog.xml', bomb, 'hostile'],
  ['declares an entity outside', 'dell', 'Catalog.xml', outside, 'hostile'],
  ['uses an entity that nobody declared', 'dell', 'Catalog.xml', text.replace('System Bundle', '&lol;'), 'malformed'],
  ['has two roots', 'dell', 'Catalog.xml', text + text.slice(text.indexOf('<Manifest')), 'malformed'],
  ['has a zero byte', 'dell', 'Catalog.xml', text.replace('System Bundle', 'a\u0000b'), 'malformed'],
  [
    'is no UTF-16',
    'dell',
    'Catalog.xml',
    Buffer.concat([utf16('<Manifest a="'), Buffer.from([0x00, 0xd8, 0x20, 0x00])]),
    'malformed',
  ],
  [
    'is no UTF-8',
    'dell',
    'Catalog.xml',
    Buffer.concat([Buffer.from('<Manifest a="'), Buffer.from([0xc3, 0x28, 0x22])]),
    'malformed',
  ],
  ['is nested too deep', 'dell', 'Catalog.xml', `<Manifest>${'<a>'.repeat(100)}`, 'tooLarge'],
  [
    'has a tag without end',
    'dell',
    'Catalog.xml',
    `<Manifest a="${'x'.repeat(600_000)}`,
    'tooLarge',
    { limits: { maxPieceBytes: 100_000 } },
  ],
  [
    'has a text without end',
    'dell',
    'Catalog.xml',
    `<Manifest>${'x'.repeat(600_000)}`,
    'tooLarge',
    { limits: { maxPieceBytes: 100_000 } },
  ],
  [
    'has a comment without end',
    'dell',
    'Catalog.xml',
    `<Manifest><!-- ${'x'.repeat(600_000)}`,
    'tooLarge',
    { limits: { maxPieceBytes: 100_000 } },
  ],
  ['is larger than allowed', 'dell', 'Catalog.xml', text, 'tooLarge', { limits: { maxBytes: 1000 } }],
  [
    'unpacks to more than allowed',
    'dell',
    'Catalog.xml.gz',
    gzipSync(`<Manifest>${' '.repeat(1_000_000)}</Manifest>`),
    'tooLarge',
    { limits: { maxUnpackedBytes: 100_000 } },
  ],
  ['has more entries than allowed', 'dell', 'Catalog.xml', text, 'tooLarge', { limits: { maxEntries: 3 } }],
  ['has more for one model than allowed', 'dell', 'Catalog.xml', text, 'tooLarge', { limits: { maxMatches: 3 } }],
  ['leads up', 'dell', 'Catalog.xml', dell({ path: '../../etc/passwd' }), 'hostile'],
  ['leads up in the middle', 'dell', 'Catalog.xml', dell({ path: 'a/../../b.exe' }), 'hostile'],
  ['leads up with backslashes', 'dell', 'Catalog.xml', dell({ path: '..\\..\\b.exe' }), 'hostile'],
  ['leads up in disguise', 'dell', 'Catalog.xml', dell({ path: '%2e%2e/b.exe' }), 'hostile'],
  ['names a place on the disk', 'dell', 'Catalog.xml', dell({ path: '/etc/passwd' }), 'hostile'],
  ['names a drive', 'dell', 'Catalog.xml', dell({ path: 'C:/b.exe' }), 'hostile'],
  ['sends to another host', 'dell', 'Catalog.xml', dell({ path: 'https://evil.example/b.exe' }), 'hostile'],
  ['sends to another host in short', 'dell', 'Catalog.xml', dell({ path: '//evil.example/b.exe' }), 'hostile'],
  [
    'has its base elsewhere',
    'dell',
    'Catalog.xml',
    dellCatalog(dellPackages, 'baseLocation="evil.example"'),
    'hostile',
  ],
  ['has a name with a zero', 'dell', 'Catalog.xml', dell({ path: 'a%00.exe' }), 'hostile'],
  ['has a checksum that is none', 'dell', 'Catalog.xml', dell({ md5: 'abc123' }), 'badEntry'],
  ['has a checksum of another length', 'dell', 'Catalog.xml', dell({ sha256: 'ab'.repeat(20) }), 'badEntry'],
  ['is for another model but wrong', 'dell', 'Catalog.xml', dell({ model: 'R999', md5: 'zz' }), 'badEntry'],
  ['has no version', 'dell', 'Catalog.xml', dell({ version: '' }).replaceAll('dellVersion="A00"', ''), 'badEntry'],
  ['is cut off', 'hpe', 'fwrepo.json', JSON.stringify(hpeIndex).slice(0, -30), 'truncated'],
  ['is a list', 'hpe', 'fwrepo.json', '[1, 2]', 'malformed'],
  ['has a member that is no object', 'hpe', 'fwrepo.json', '{"a.fwpkg": 5}', 'malformed'],
  ['has something after its end', 'hpe', 'fwrepo.json', `${JSON.stringify(hpeIndex)} {}`, 'malformed'],
  ['is a web page', 'hpe', 'fwrepo.json', '<html>', 'malformed'],
  ['leads up', 'hpe', 'fwrepo.json', hpe('../../x.fwpkg'), 'hostile'],
  ['sends to another host', 'hpe', 'fwrepo.json', hpe('https://evil.example/x.fwpkg'), 'hostile'],
  ['has a name with a zero', 'hpe', 'fwrepo.json', hpe('a\u0000b.fwpkg'), 'hostile'],
  ['has no version', 'hpe', 'fwrepo.json', '{"a.fwpkg": {"version": null}}', 'badEntry'],
  ['has a version that no object holds', 'hpe', 'fwrepo.json', `{"a.fwpkg": {"version": "${long}"}}`, 'badEntry'],
  ['has a version that no object holds', 'plain', 'a.json', plain({ version: long }), 'badEntry'],
  ['has a version with a zero', 'hpe', 'fwrepo.json', '{"a.fwpkg": {"version": "1\\u00002"}}', 'badEntry'],
  ['is nested too deep', 'hpe', 'fwrepo.json', `{"a": ${'['.repeat(1000)}`, 'tooLarge'],
  [
    'has a value without end',
    'hpe',
    'fwrepo.json',
    `{"a": {"version": "${'x'.repeat(600_000)}`,
    'tooLarge',
    { limits: { maxPieceBytes: 100_000 } },
  ],
  [
    'has an entry without end',
    'hpe',
    'fwrepo.json',
    `{"a": {"target": [${'"x",'.repeat(150_000)}`,
    'tooLarge',
    { limits: { maxPieceBytes: 100_000 } },
  ],
  ['has a prototype', 'hpe', 'fwrepo.json', '{"__proto__": {"version": "1"}, "a.fwpkg": 5}', 'malformed'],
  [
    'names too many targets',
    'hpe',
    'fwrepo.json',
    JSON.stringify({ 'a.fwpkg': { ...hpeIndex['ilo5_299.fwpkg'], target: many } }),
    'tooLarge',
  ],
  [
    'names too many models in words',
    'hpe',
    'fwrepo.json',
    JSON.stringify({
      'a.fwpkg': { ...hpeIndex['ilo5_299.fwpkg'], description: many.map((_, at) => `DL${at + 10} Gen10`).join('/') },
    }),
    'tooLarge',
  ],
  ['leads up', 'lenovo', 'x_index.json', lenovo('../payload.uxz'), 'hostile'],
  ['has no payload', 'lenovo', 'x_index.json', lenovo(7), 'hostile'],
  ['is cut off', 'lenovo', 'x_index.json', JSON.stringify(lenovoIndex).slice(0, -5), 'truncated'],
  ['leads up', 'lenovo', 'lnvgy_fw_a.xml', lenovoXml('../lnvgy_fw_xcc_afbt58b-5.90_anyos_noarch.uxz'), 'hostile'],
  ['declares entities', 'lenovo', 'lnvgy_fw_a.xml', bomb, 'hostile'],
  [
    'names too many machine types',
    'lenovo',
    'x_index.json',
    lenovoOf({}, { ApplicableMachineTypes: many }),
    'tooLarge',
  ],
  [
    'names too many machine types for one update',
    'lenovo',
    'x_index.json',
    lenovoOf({ ApplicableMachineTypes: many }, {}),
    'tooLarge',
  ],
  [
    'names too many ids',
    'lenovo',
    'x_index.json',
    lenovoOf({ Inventory: many.map((SoftwareId) => ({ SoftwareId, Version: '1.0' })) }, {}),
    'tooLarge',
  ],
  [
    'names too many ids at once',
    'lenovo',
    'x_index.json',
    lenovoOf({ Inventory: [{ SoftwareId: many, Version: '1.0' }] }, {}),
    'tooLarge',
  ],
  [
    'names too many versions of one update',
    'lenovo',
    'x_index.json',
    lenovoOf({ Inventory: many.map((Version) => ({ Version })) }, {}),
    'tooLarge',
  ],
  [
    'opens brackets without end',
    'lenovo',
    'lnvgy_fw_a.xml',
    lenovoXml().replace('[7X05, 7X06]', '['.repeat(1_000_000)),
    'badEntry',
  ],
  [
    'has a version without end',
    'lenovo',
    'lnvgy_fw_a.xml',
    lenovoXml('x.uxz').replace('Version 5.90', '1'.repeat(1_000_000)),
    'badEntry',
  ],
  ['has a payload without end', 'lenovo', 'x_index.json', lenovo(`lnvgy_fw_xcc_${'1_'.repeat(400_000)}`), 'hostile'],
  ['leads up', 'plain', 'a.json', plain({ url: '../x.bin' }), 'hostile'],
  ['names a file', 'plain', 'a.json', plain({ url: 'file:///etc/passwd' }), 'hostile'],
  [
    'has credentials in an address',
    'plain',
    'a.json',
    plain({ url: 'https://user:secret@images.example/x' }),
    'hostile',
  ],
  ['has a field that does not exist', 'plain', 'a.json', plain({ chekcsums: [] }), 'badEntry'],
  ['has a size below zero', 'plain', 'a.json', plain({ size: -1 }), 'badEntry'],
  ['has a checksum that is none', 'plain', 'a.json', plain({ checksums: ['sha256:xyz'] }), 'badEntry'],
  [
    'has two checksums that differ',
    'plain',
    'a.json',
    plain({ checksums: ['a'.repeat(64), 'b'.repeat(64)] }),
    'badEntry',
  ],
  ['has no head', 'plain', 'a.json', JSON.stringify({ firmware: plainCatalog.firmware }), 'malformed'],
  ['has nothing for a list', 'plain', 'a.json', JSON.stringify({ ...plainCatalog, firmware: null }), 'malformed'],
  ['has a text for a list', 'plain', 'a.json', JSON.stringify({ ...plainCatalog, firmware: 'none' }), 'malformed'],
  ['has its list under another name', 'plain', 'a.json', misnamed(JSON.stringify), 'malformed'],
  ['has its list under another name', 'plain', 'a.yaml', misnamed(stringify), 'malformed'],
  ['has no list', 'plain', 'a.json', JSON.stringify({ ...plainCatalog, firmware: undefined }), 'malformed'],
  ['has more than it may', 'plain', 'a.json', JSON.stringify({ ...plainCatalog, more: [] }), 'malformed'],
  ['has more than it may', 'plain', 'a.yaml', stringify({ ...plainCatalog, more: [] }), 'malformed'],
  ['has no list of updates', 'lenovo', 'x_index.json', JSON.stringify({ error: 'please log in' }), 'malformed'],
  ['has an object for a list', 'lenovo', 'x_index.json', JSON.stringify({ Updates: { a: {} } }), 'malformed'],
  ['has an object for a list', 'plain', 'a.json', JSON.stringify({ ...plainCatalog, firmware: { a: 1 } }), 'malformed'],
  ['has a second half that nobody reads', 'plain', 'a.yaml', `${stringify(plainCatalog)}---\nmore: 1\n`, 'malformed'],
  ['has names for everything in YAML', 'plain', 'a.yaml', aliasBomb(), 'malformed'],
  ['has a field twice in YAML', 'plain', 'a.yaml', `${stringify(plainCatalog)}kind: FirmwareCatalog\n`, 'malformed'],
  ['is too large for YAML', 'plain', 'a.yaml', stringify(plainCatalog), 'tooLarge', { limits: { maxYamlBytes: 100 } }],
  ['is not there', 'plain', 'a.txt', '', 'badSource'],
];

function misnamed(write: (catalog: object) => string): string {
  const { firmware: firmwares, ...head } = plainCatalog;
  return write({ ...head, firmwares });
}

function aliasBomb(): string {
  const lines = Array.from({ length: 12 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at},`.repeat(9)}]`);
  return ['a0: &a0 [lol]', ...lines, stringify(plainCatalog)].join('\n');
}

for (const [why, format, file, content, code, options] of rows) {
  test(`${format}: a catalogue that ${why} is refused (${file}, ${code}) (security.md: attacker-with-catalogue)`, async (context) => {
    const location = await folderWith(context, { [file]: content });
    await assert.rejects(readCatalog({ format, location }, queries[format], options), (error) => {
      assert.ok(isCatalogError(error), String(error));
      assert.equal(error.code, code, error.message);
      assert.doesNotMatch(error.message, /secret|\{\w+\}|\?\?/);
      assert.ok(error.message.length < 900);
      return true;
    });
  });
}

test('a link in a folder is followed within it, and refused where it leads out of it or nowhere', async (context) => {
  const outside = await folderWith(context, { 'a.yaml': stringify(plainCatalog) });
  const location = await folderWith(context, { '..2026/a.yaml': stringify(plainCatalog) });
  await symlink('..2026', join(location, '..data'));
  // As Kubernetes mounts a ConfigMap.
  await symlink('..data/a.yaml', join(location, 'a.yaml'));
  const source = { format: 'plain', location } as const;
  const { entries } = await readCatalog(source, queries.plain);
  assert.ok(entries.length > 0);
  await symlink(join(outside, 'a.yaml'), join(location, 'b.yaml'));
  await assert.rejects(
    readCatalog(source, queries.plain),
    (error) => isCatalogError(error, 'hostile') && /"b\.yaml" leads out/.test(error.message),
  );
  await rm(join(location, 'b.yaml'));
  await symlink('gone.yaml', join(location, 'c.yaml'));
  await assert.rejects(readCatalog(source, queries.plain), (error) => isCatalogError(error, 'badSource'));
});

test('questions that make no sense are refused before anything is read', async () => {
  const source = { format: 'dell', location: '/nowhere' } as const;
  for (const query of [
    { manufacturer: '', model: 'R640' },
    { manufacturer: 'Dell', model: ' ' },
    { manufacturer: 'Dell', model: 'x'.repeat(600) },
    { manufacturer: 'Dell', model: 'R640', versionsToStore: -1 },
    { manufacturer: 'Dell', model: 'R640', versionsToStore: 1.5 },
    { manufacturer: 'Dell', model: 'R640', versionsToStore: Number.NaN },
  ]) {
    await assert.rejects(readCatalog(source, query), (error) => isCatalogError(error, 'badQuery'));
  }
  for (const location of ['relative/path', 'ftp://host/x', 'https://', '']) {
    await assert.rejects(readCatalog({ format: 'dell', location }, queries.dell), (error) =>
      isCatalogError(error, 'badSource'),
    );
  }
  await assert.rejects(readCatalog(source, queries.dell), (error) => isCatalogError(error, 'badSource'));
});

test('a path that is taken stays below its folder, whatever it is', () => {
  const context = { shown: 'test', format: 'plain', limits: defaultCatalogLimits };
  const pieces = fc.constantFrom(
    '..',
    '.',
    '/',
    '\\',
    '%2e',
    '%2F',
    'a',
    'b.exe',
    '~',
    ':',
    '//',
    '%',
    ' ',
    '\u0000',
    '@',
    '?',
    '#',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
      const path = parts.join('');
      if (pathFault(path) !== undefined) return;
      const { host, pathname } = addressBelow(new URL('https://host.example/base/'), path, context);
      assert.equal(host, 'host.example');
      assert.ok(pathname.startsWith('/base/') && !pathname.includes('/../'), pathname);
      assert.ok(!/\/\.\.?(?:\/|$)/.test(decodeURIComponent(pathname)), pathname);
    }),
    { numRuns: 3000 },
  );
});

const fixtures: readonly (readonly [CatalogFormat, string, Uint8Array])[] = [
  ['dell', 'Catalog.xml', Buffer.from(text)],
  ['dell', 'Catalog.xml', utf16(dellCatalog(dellPackages.slice(0, 2)))],
  ['dell', 'Catalog.xml.gz', gzipSync(text)],
  ['hpe', 'fwrepo.json', Buffer.from(JSON.stringify(hpeIndex))],
  ['lenovo', 'b_index.json', Buffer.from(JSON.stringify(lenovoIndex))],
  ['lenovo', 'lnvgy_fw_a.xml', Buffer.from(lenovoXml())],
  ['plain', 'a.json', Buffer.from(JSON.stringify(plainCatalog))],
  ['plain', 'a.yaml', Buffer.from(stringify(plainCatalog))],
];

for (const [at, [format, file, bytes]] of fixtures.entries()) {
  test(`${format}: whatever is changed in ${file} (${at}), it is read or refused with a reason`, async (context) => {
    const location = await folderWith(context, { [file]: bytes });
    const path = `${location}/${file}`;
    await fc.assert(
      fc.asyncProperty(mutations(bytes.length), async (changes) => {
        await writeFile(path, mutate(bytes, changes));
        try {
          const { entries } = await readCatalog({ format, location }, queries[format]);
          for (const { url, version } of entries) {
            assert.ok(URL.canParse(url));
            assert.ok(version.trim() !== '');
          }
        } catch (error) {
          if (!isCatalogError(error)) throw error;
        }
      }),
      { numRuns: 60 },
    );
  });
}

type Change =
  | { readonly kind: 'byte'; readonly at: number; readonly value: number }
  | { readonly kind: 'cut'; readonly at: number; readonly length: number }
  | { readonly kind: 'put'; readonly at: number; readonly text: string };

function mutations(length: number): fc.Arbitrary<readonly Change[]> {
  const at = fc.nat(Math.max(0, length - 1));
  const scraps = [
    '<',
    '>',
    '&',
    '"',
    '\\',
    '{',
    '}',
    '[',
    ']',
    '../',
    '\u0000',
    '<!DOCTYPE a>',
    '&lol;',
    '\uFFFF',
    ':',
    '- ',
    '&a ',
    '*a',
  ];
  return fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant('byte' as const), at, value: fc.nat(255) }),
      fc.record({ kind: fc.constant('cut' as const), at, length: fc.nat(200) }),
      fc.record({ kind: fc.constant('put' as const), at, text: fc.constantFrom(...scraps) }),
    ),
    { minLength: 1, maxLength: 4 },
  );
}

function mutate(bytes: Uint8Array, changes: readonly Change[]): Uint8Array {
  let now = Buffer.from(bytes);
  for (const change of changes) {
    const [before, after] = [now.subarray(0, change.at), now.subarray(change.at)];
    if (change.kind === 'byte' && after.length > 0) after[0] = change.value;
    if (change.kind === 'cut') now = Buffer.concat([before, after.subarray(change.length)]);
    if (change.kind === 'put') now = Buffer.concat([before, Buffer.from(change.text), after]);
  }
  return now;
}
