import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PageFleet } from '../../examples/page-fleet.ts';
import type { CommandBlock } from './page-blocks.ts';

const main = join(import.meta.dirname, '..', '..', 'bin', 'rackwright.mjs');

/** Runs a block as a shell does, with our command on its path; fails when any line of it fails. */
export async function runShell(fleet: PageFleet, { where, text }: CommandBlock): Promise<void> {
  const bin = join(fleet.folder, 'bin');
  mkdirSync(bin, { recursive: true });
  writeScript(join(bin, 'rackwright'), `exec "${process.execPath}" "${main}" "$@"`);
  writeScript(join(bin, 'npx'), `test "$1" = rackwright && exec "$@"`);
  const env = { PATH: `${bin}:${process.env.PATH ?? ''}`, HOME: fleet.folder };
  const { code, printed } = await new Promise<{ code: number; printed: string }>((resolve) => {
    execFile('sh', ['-eu', '-c', text], { cwd: fleet.folder, env }, (error, out, err) =>
      resolve({ code: error === null ? 0 : 1, printed: out + err }),
    );
  });
  assert.equal(code, 0, `${where}:\n${text}\n${fleet.alike(printed)}`);
}

function writeScript(file: string, text: string): void {
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
}
