// Installs what the package needs, once per lock file: `node scripts/setup.mjs [--production]`.
// Plain JavaScript, because it runs before Node 24 is there.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const isProduction = process.argv.includes('--production');
const stampFile = join(root, 'node_modules', '.rackwright-setup.json');
const lock = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex');

if (!isInStep()) install();

function isInStep() {
  if (!existsSync(stampFile) || !existsSync(join(root, 'node_modules', '.bin', 'node'))) return false;
  const stamp = JSON.parse(readFileSync(stampFile, 'utf8'));
  return stamp.lock === lock && (isProduction || stamp.isFull);
}

function install() {
  const what = isProduction ? 'what Rackwright needs to run' : 'what Rackwright needs to run and to be tested';
  console.log(`Installing ${what} (once, a minute or less)...`);
  const npm = process.env.npm_execpath;
  const flags = ['ci', '--no-fund', '--no-audit', '--loglevel=error', ...(isProduction ? ['--omit=dev'] : [])];
  const [command, args] = npm?.endsWith('.js') ? [process.execPath, [npm, ...flags]] : ['npm', flags];
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  if (result.status !== 0) {
    console.error('The installation failed; see above. Nothing was started.');
    process.exit(result.status ?? 1);
  }
  writeFileSync(stampFile, `${JSON.stringify({ lock, isFull: !isProduction })}\n`);
}
