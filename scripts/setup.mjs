// Installs what the package needs, once per lock file. Plain JavaScript, because it runs before Node 24 is there.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildConsole } from './build-console.mjs';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const modules = join(root, 'node_modules');
const stampFile = join(modules, '.rackwright-setup.json');

/** Installs the packages of the lock file, without those that only tests need when `isProduction`, and builds the console. */
export function setUp({ isProduction }) {
  installPackages(isProduction);
  try {
    buildConsole(root, join(modules, 'node', 'bin', 'node'));
  } catch (error) {
    // Everything but the console works without it; its page says what to do.
    console.error(error.message);
  }
}

function installPackages(isAskedForProduction) {
  // A work tree that has the tools of developers keeps them.
  const isProduction = isAskedForProduction && !existsSync(join(modules, 'typescript'));
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const stamp = readStamp();
  const isInStep = stamp.lock === lock && existsSync(join(modules, 'node', 'bin', 'node'));
  if (isInStep && (isProduction || stamp.isFull)) return;
  // What is there already fits and may be in use by a running server, so only what is missing is added.
  if (isInStep) install(['install', '--no-save'], 'what the tests need');
  else install(['ci', ...(isProduction ? ['--omit=dev'] : [])], isProduction ? 'what Rackwright needs' : 'everything');
  linkOwnCommand();
  writeFileSync(stampFile, `${JSON.stringify({ lock, isFull: !isProduction })}\n`);
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'));
  } catch {
    // Never set up, or half: done from the start.
    return {};
  }
}

function install(words, what) {
  console.log(`Installing ${what} (once; it takes seconds to a minute) ...`);
  const flags = [...words, '--no-fund', '--no-audit', '--loglevel=error'];
  const npm = process.env.npm_execpath;
  const [command, args] = npm?.endsWith('.js') ? [process.execPath, [npm, ...flags]] : ['npm', flags];
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  if (result.status === 0) return;
  console.error('The installation failed, see above; nothing was started.');
  process.exit(result.status ?? 1);
}

/** npm links the commands of dependencies, not those of the package itself, and npx looks among the links. */
function linkOwnCommand() {
  const link = join(modules, '.bin', 'rackwright');
  if (process.platform !== 'win32' && !existsSync(link)) symlinkSync(join('..', '..', 'bin', 'rackwright.mjs'), link);
}
