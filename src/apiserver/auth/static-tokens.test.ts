import assert from 'node:assert/strict';
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { openTokensFile, parseTokens } from './static-tokens.ts';

describe('the lines of a tokens file', () => {
  test('are token, user, uid and groups', () => {
    const text = '# operators\n\nt1,alice,1,"ops,net"\r\nt2,bob,2\nt3,"eve, the ""third""",,one\n';
    assert.deepEqual(
      [...parseTokens(text, 'f')],
      [
        ['t1', { username: 'alice', uid: '1', groups: ['ops', 'net', 'system:authenticated'] }],
        ['t2', { username: 'bob', uid: '2', groups: ['system:authenticated'] }],
        ['t3', { username: 'eve, the "third"', groups: ['one', 'system:authenticated'] }],
      ],
    );
  });

  test('need a token and a user', () => {
    assert.throws(
      () => parseTokens('t1,alice,1\n,bob,2\n', 'tokens.csv'),
      /^Error: tokens\.csv:2: expected token,user,uid/,
    );
  });
});

function fixture(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'tokens-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'tokens.csv');
  const faults: string[] = [];
  const clock = { nowMs: 0 };
  const now = () => new Date(clock.nowMs);
  const tokens = openTokensFile({ path, now, onFault: (error) => faults.push(String(error)) });
  let stamp = 1000;
  const write = (text: string, mode = 0o600) => {
    writeFileSync(path, text, { mode });
    chmodSync(path, mode);
    utimesSync(path, ++stamp, stamp); // two writes in one tick of the file system must not look alike
    clock.nowMs += 1000;
  };
  return { path, tokens, faults, clock, write };
}

describe('a tokens file', () => {
  test('may be missing', (t) => {
    const { tokens, faults } = fixture(t);
    assert.equal(tokens.find('t1'), undefined);
    assert.deepEqual(faults, []);
  });

  test('is read again when it changes, and its tokens end when it goes', (t) => {
    const { path, tokens, clock, write } = fixture(t);
    write('t1,alice,1\n');
    assert.equal(tokens.find('t1')?.username, 'alice');
    write('t2,bob,2\n');
    assert.equal(tokens.find('t1'), undefined);
    assert.equal(tokens.find('t2')?.username, 'bob');
    rmSync(path);
    clock.nowMs += 1000;
    assert.equal(tokens.find('t2'), undefined);
  });

  test('of another user is not used', (t) => {
    const { path, tokens, faults, write } = fixture(t);
    const { uid } = statSync(path.replace('/tokens.csv', ''));
    t.mock.method(process as { geteuid(): number }, 'geteuid', () => (uid === 0 ? 0 : uid + 1));
    write('t1,alice,1\n');
    if (uid === 0) chownSync(path, 65_534, 65_534);
    assert.equal(tokens.find('t1'), undefined);
    assert.match(faults[0] ?? '', /belongs to user \d+, not to user \d+/);
  });

  test('that others can read is not used', (t) => {
    const { tokens, faults, write } = fixture(t);
    write('t1,alice,1\n', 0o644);
    assert.equal(tokens.find('t1'), undefined);
    assert.match(faults[0] ?? '', /can be read by others than its owner/);
  });

  test('with a broken line is not used at all', (t) => {
    const { tokens, faults, write } = fixture(t);
    write('t1,alice,1\nbroken\n');
    assert.equal(tokens.find('t1'), undefined);
    assert.equal(faults.length, 1);
  });
});
