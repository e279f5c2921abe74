import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { catalogLogins } from '../../catalogs/index.ts';
import type { CliError } from '../errors.ts';
import { parseCatalogs } from './parse-places.ts';
import { readCatalogs } from './read-catalogs.ts';

function keep(t: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-catalogs-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'catalogs.yaml');
  writeFileSync(file, text);
  return file;
}

test('catalogues of a file come after those of the command line, with all that can be said of them', async (t) => {
  const file = keep(
    t,
    `catalogs:
  - format: dell
    location: https://copies.example/Catalog.xml.gz
    baseUrl: https://images.example/dell/
    trustedHosts: [images.example]
  - {format: hpe, location: 'https://hpe.example/fwrepo.json', username: token@example.com, password: 'p/w: 1'}
  - {format: plain, location: mine}
`,
  );
  const typed = { format: 'plain', location: '/typed' } as const;
  const found = readCatalogs({ catalog: [typed], catalogFile: file });
  assert.deepEqual(
    found.map(({ format }) => format),
    ['plain', 'dell', 'hpe', 'plain'],
  );
  assert.equal(found[0], typed);
  const { baseUrl, trustedHosts } = found[1] ?? {};
  assert.deepEqual(
    { baseUrl, trustedHosts },
    { baseUrl: 'https://images.example/dell/', trustedHosts: ['images.example'] },
  );
  assert.deepEqual(await catalogLogins(found)('https://hpe.example'), {
    username: 'token@example.com',
    password: 'p/w: 1',
  });
  assert.equal(found[3]?.location, join(file, '..', 'mine'), 'beside the file');
});

const wrong = {
  'holds no object': '- a',
  'catalogs.0.format must': 'catalogs: [{format: acme, location: /x}]',
  'catalogs.0.pasword is no setting that is known': 'catalogs: [{format: plain, location: /x, pasword: secret}]',
  'catalogs must': 'catalogs: []',
  'a log-in is both': "catalogs: [{format: plain, location: 'https://a.example', password: secret}]",
  'only an http or https address takes': 'catalogs: [{format: plain, location: /x, username: me, password: secret}]',
  'ftp is not supported': "catalogs: [{format: plain, location: 'ftp://a.example'}]",
  'has credentials in it': "catalogs: [{format: plain, location: /x, baseUrl: 'https://me:secret@a.example'}]",
};

for (const [says, text] of Object.entries(wrong)) {
  test(`a file of catalogues that is wrong is refused, with where and without what is secret: ${says}`, (t) => {
    const catalogFile = keep(t, text);
    assert.throws(
      () => readCatalogs({ catalog: undefined, catalogFile }),
      ({ message, outcome }: CliError) =>
        outcome === 'usage' &&
        message.startsWith(`--catalog-file: ${catalogFile}`) &&
        message.includes(says) &&
        !message.includes('secret'),
    );
  });
}

test('a catalogue with a password is not taken from a command line, and taken from the environment', () => {
  const location = 'https://me:secret@hpe.example/fwrepo.json';
  const text = `hpe=${location}`;
  const typed = { as: `--catalog ${text}`, cwd: '/', variable: 'RACKWRIGHT_CATALOG' };
  assert.throws(
    () => parseCatalogs(text, typed),
    ({ message }: CliError) =>
      /--catalog-file, or set RACKWRIGHT_CATALOG$/.test(message) && !message.includes('secret'),
  );
  assert.deepEqual(parseCatalogs(text, { as: 'RACKWRIGHT_CATALOG', cwd: '/' }), [{ format: 'hpe', location }]);
});
