import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { shellPrograms } from './programs.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const script = join(import.meta.dirname, 'complete-in-zsh.zsh');

describe('the tab key in zsh', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-zsh-'));
  let zsh = '';

  before(async () => {
    zsh = (await shellPrograms()).zsh ?? '';
    const start = `exec '${process.execPath}' '${join(root, 'bin', 'rackwright.mjs')}' "$@"`;
    writeFileSync(join(folder, 'rackwright'), `#!/bin/sh\n${start}\n`, { mode: 0o755 });
    writeFileSync(join(folder, 'rack-a1.yaml'), '');
  });
  after(() => rmSync(folder, { recursive: true }));

  /** What a line becomes when the tab key is pressed at its end. */
  async function complete(line: string): Promise<string> {
    const env = { ...process.env, HOME: folder, PATH: `${folder}:${process.env.PATH}` };
    const { stdout } = await promisify(execFile)(zsh, ['-f', script, line], { env, cwd: folder, timeout: 120_000 });
    return stdout;
  }

  test('completes a command', async () => {
    assert.equal(await complete('rackwright hist'), 'rackwright history \n');
  });

  test('completes an option and what it takes', async () => {
    assert.equal(await complete('rackwright get --outp'), 'rackwright get --output \n');
    assert.equal(await complete('rackwright get hosts -o y'), 'rackwright get hosts -o yaml \n');
  });

  test('completes the name of a file where one is asked for', async () => {
    assert.equal(await complete('rackwright apply -f rack-'), 'rackwright apply -f rack-a1.yaml \n');
  });

  test('leaves alone what could be nothing', async () => {
    assert.equal(await complete('rackwright nothing-of-this'), 'rackwright nothing-of-this\n');
  });
});
