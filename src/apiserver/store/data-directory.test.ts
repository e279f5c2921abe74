import assert from 'node:assert/strict';
import { chmodSync, chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { lockDataDirectory } from './data-dir-lock.ts';
import { openDataDirectory } from './data-directory.ts';
import { loadOrCreateKeys } from './keys.ts';
import { prepareDatabase } from './prepare-database.ts';
import { temporaryDirectory } from './temporary-store.ts';

const posix = { skip: process.platform === 'win32' };
const nobody = 65_534;

/** Does something as a user whom file modes bind. */
function asOrdinaryUser(path: string, work: () => void): void {
  if (process.geteuid?.() !== 0) {
    work();
    return;
  }
  chmodSync(dirname(path), 0o755);
  chownSync(path, nobody, nobody);
  process.seteuid?.(nobody);
  try {
    work();
  } finally {
    process.seteuid?.(0);
  }
}

function directoryWith(t: TestContext, mode: number, ...files: readonly string[]): string {
  const directory = join(temporaryDirectory(t), 'data');
  mkdirSync(directory);
  for (const file of files) writeFileSync(join(directory, file), '');
  chmodSync(directory, mode);
  return directory;
}

test('a directory that others may enter is closed to them when it is empty or a data directory', posix, (t) => {
  for (const files of [[], ['lock.db', 'objects.db']]) {
    const directory = directoryWith(t, 0o777, ...files);
    openDataDirectory(directory);
    assert.equal(statSync(directory).mode & 0o777, 0o700);
  }
});

test('a directory that holds other files is neither closed nor used while others may enter it', posix, (t) => {
  const directory = directoryWith(t, 0o755, 'letter.txt');
  assert.throws(() => openDataDirectory(directory), {
    code: 'directory',
    message: `data directory ${directory} holds other files and is open to others (mode 0755); chmod 700 it, or use another`,
  });
  assert.equal(statSync(directory).mode & 0o777, 0o755);
  chmodSync(directory, 0o700);
  openDataDirectory(directory);
});

test('a directory of another user is not used, one of root is', posix, (t) => {
  const directory = directoryWith(t, 0o700);
  const { uid } = statSync(directory);
  const user = t.mock.method(process as { geteuid(): number }, 'geteuid', () => uid + 1);
  if (uid === 0) openDataDirectory(directory);
  else assert.throws(() => openDataDirectory(directory), /belongs to user/);
  user.mock.restore();
  if (uid !== 0) return;
  chownSync(directory, nobody, nobody);
  assert.throws(() => openDataDirectory(directory), {
    code: 'directory',
    message: `data directory ${directory} belongs to user ${nobody}, not to user 0; chown it, or use another`,
  });
});

test('a directory that cannot be written, and files that cannot be read, are told as that', posix, (t) => {
  const directory = directoryWith(t, 0o500);
  const cannot = {
    code: 'directory',
    message: /cannot be used: this process \(user \d+\) may not read and write .*: EACCES/,
  };
  asOrdinaryUser(directory, () => {
    assert.throws(() => lockDataDirectory(directory), cannot);
    chmodSync(directory, 0o700);
    for (const [name, open] of [
      ['lock.db', () => lockDataDirectory(directory)],
      ['secrets.key', () => loadOrCreateKeys(join(directory, 'secrets.key'))],
      ['objects.db', () => prepareObjects(directory)],
    ] as const) {
      writeFileSync(join(directory, name), '', { mode: 0o000 });
      assert.throws(open, cannot, name);
      chmodSync(join(directory, name), 0o600);
    }
  });
});

function prepareObjects(directory: string): unknown {
  const file = join(directory, 'objects.db');
  return prepareDatabase({ file, keys: [], quickCheck: false, isSealed: () => false });
}

test('a place where no directory can be made is told, and not tried for ever', {
  skip: process.platform !== 'linux',
}, () => {
  assert.throws(() => openDataDirectory('/proc/rackwright'), {
    code: 'directory',
    message: /^data directory \/proc\/rackwright cannot be made: ENOENT/,
  });
});
