import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { startApiServer } from '../../apiserver/index.ts';
import { backUp } from './backup.ts';
import { restore } from './restore.ts';

let folder = '';
let dataDir = '';

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rackwright-backup-'));
  dataDir = join(folder, 'data');
  const server = await startApiServer({ dataDir, port: 0 });
  await server.close();
  appendFileSync(join(dataDir, 'audit.log'), '{"half a line');
  mkdirSync(join(dataDir, 'engine'));
  writeFileSync(join(dataDir, 'engine', 'disk-reserve'), 'room');
});

after(() => rmSync(folder, { recursive: true, force: true }));

const backUpTo = (name: string) => backUp({ dataDir, target: join(folder, name), version: '0.1.0', now: new Date(0) });

test('a backup lists what it holds, and not what is made anew on every start', async () => {
  const { files, createdAt } = await backUpTo('a');
  assert.equal(createdAt, '1970-01-01T00:00:00.000Z');
  const paths = files.map(({ path }) => path);
  for (const path of ['objects.db', 'secrets.key', 'admin-token', 'pki/ca.key', 'audit.log'])
    assert.ok(paths.includes(path), path);
  for (const path of ['kubeconfig', 'lock.db', 'disk-reserve', 'engine/disk-reserve', 'objects.db-wal'])
    assert.ok(!paths.includes(path), path);
  assert.match(readFileSync(join(folder, 'a', 'audit.log'), 'utf8'), /^$|\n$/);
});

test('a backup never replaces anything, and a failed one leaves nothing behind', async () => {
  await backUpTo('b.tar');
  await assert.rejects(backUpTo('b.tar'), /exists already/);
  await assert.rejects(
    backUp({ dataDir: join(folder, 'nowhere'), target: join(folder, 'c.tar'), version: '', now: new Date() }),
    /holds no data of Rackwright/,
  );
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('.') || name.startsWith('c')),
    [],
  );
});

test('a backup is for its owner alone, as an archive and as a folder (security.md: backups)', async () => {
  const modeOf = (name: string) => statSync(join(folder, name)).mode & 0o777;
  await backUpTo('mine.tar');
  assert.equal(modeOf('mine.tar'), 0o600);
  await backUpTo('mine');
  assert.deepEqual([modeOf('mine'), modeOf('mine/secrets.key'), modeOf('mine/objects.db')], [0o700, 0o600, 0o600]);
});

test('a backup goes only into a directory that holds nothing', async () => {
  await backUpTo('d.tar');
  const occupied = join(folder, 'occupied');
  mkdirSync(occupied);
  writeFileSync(join(occupied, 'precious'), '');
  await assert.rejects(
    restore({ source: join(folder, 'd.tar'), dataDir: occupied }),
    /is not empty \(it holds precious\)/,
  );
  assert.deepEqual(readdirSync(occupied), ['precious']);
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  await restore({ source: join(folder, 'd.tar'), dataDir: empty });
  assert.deepEqual(readFileSync(join(empty, 'secrets.key')), readFileSync(join(dataDir, 'secrets.key')));
});

const damages: [string, (copy: string) => void, RegExp][] = [
  ['a byte of a key is changed', (copy) => appendFileSync(join(copy, 'pki', 'ca.key'), ' '), /damaged: pki\/ca\.key/],
  ['a file is missing', (copy) => rmSync(join(copy, 'secrets.key')), /incomplete: secrets\.key/],
  ['the manifest is missing', (copy) => rmSync(join(copy, 'backup.json')), /is no backup/],
  [
    'it is somebody else’s',
    (copy) => writeFileSync(join(copy, 'backup.json'), '{"product":"other"}'),
    /is no backup made by/,
  ],
  [
    'a newer version wrote it',
    (copy) => change(copy, { format: 2, version: '9.9.9' }),
    /Rackwright 9\.9\.9 .*restore it with that version/,
  ],
  ['it names a file outside itself', (copy) => pointOutside(copy), /names a file outside itself/],
];

function change(copy: string, fields: object): void {
  const file = join(copy, 'backup.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...fields }));
}

function pointOutside(copy: string): void {
  const manifest = JSON.parse(readFileSync(join(copy, 'backup.json'), 'utf8')) as { files: { path: string }[] };
  const key = manifest.files.find(({ path }) => path === 'secrets.key');
  writeFileSync(join(copy, '..', 'secrets.key'), readFileSync(join(copy, 'secrets.key')));
  change(copy, { files: [{ ...key, path: '../secrets.key' }] });
}

for (const [index, [what, damage, message]] of damages.entries()) {
  test(`a backup is not restored when ${what}`, async () => {
    await backUpTo(`damaged-${index}`);
    damage(join(folder, `damaged-${index}`));
    const target = join(folder, `from-damaged-${index}`);
    await assert.rejects(restore({ source: join(folder, `damaged-${index}`), dataDir: target }), message);
    assert.ok(!readdirSync(folder).some((name) => name.includes(`from-damaged-${index}`)));
  });
}

test('a database of a newer version is not restored', async () => {
  await backUpTo('newer');
  const database = join(folder, 'newer', 'objects.db');
  const db = new DatabaseSync(database);
  db.exec(`UPDATE meta SET value = 99 WHERE name = 'format'`);
  db.close();
  const { describeFile } = await import('./backup-manifest.ts');
  const manifest = JSON.parse(readFileSync(join(folder, 'newer', 'backup.json'), 'utf8')) as {
    files: { path: string }[];
  };
  const described = await describeFile(join(folder, 'newer'), 'objects.db');
  change(join(folder, 'newer'), {
    files: manifest.files.map((file) => (file.path === 'objects.db' ? described : file)),
  });
  await assert.rejects(
    restore({ source: join(folder, 'newer'), dataDir: join(folder, 'from-newer') }),
    /was written by a newer version \(format 99;/,
  );
});

test('what is neither archive nor folder is refused', async () => {
  writeFileSync(join(folder, 'text.tar'), 'not a tar file, by far, '.repeat(50));
  await assert.rejects(
    restore({ source: join(folder, 'text.tar'), dataDir: join(folder, 'x') }),
    /cannot be unpacked|is no backup/,
  );
  await assert.rejects(restore({ source: join(folder, 'missing'), dataDir: join(folder, 'x') }), /does not exist/);
});
