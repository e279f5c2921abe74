#!/bin/sh
':' //; exec node --max-semi-space-size=4 --heap-growing-percent=20 "$0" "$@"
// The rackwright command. On a machine with an older Node it runs on the one that npm installed. To a shell the second
// line is the whole program, to Node it is a text and a comment: not every `env` can pass options on.
import { existsSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch } from './launch.mjs';
import { nodeOptions } from './node-options.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const wanted = 24;

if (Number(process.versions.node.split('.')[0]) >= wanted) {
  // Half of the time of a short command is reading TypeScript, so what was read is kept.
  if (existsSync(join(root, 'node_modules'))) keepCompiled(join(root, 'node_modules', '.cache', 'rackwright'));
  await import('../src/cli/main.ts');
} else {
  runOnInstalledNode();
}

/** Threads take it from the environment: without it each of them would load the TypeScript compiler for itself. */
function keepCompiled(folder) {
  module.enableCompileCache(folder);
  process.env.NODE_COMPILE_CACHE ??= folder;
}

function runOnInstalledNode() {
  const node = findNode(root);
  if (node === undefined) {
    console.error(
      `Rackwright needs Node ${wanted}. Run "npm run setup" in ${root}: it installs it beside the package.`,
    );
    process.exit(1);
  }
  // Under the name that it was called by: kubectl has another one for it.
  launch(node, [...nodeOptions, process.argv[1] ?? fileURLToPath(import.meta.url), ...process.argv.slice(2)]);
}

/** npm puts it beside this package, or beside one that depends on it. */
function findNode(folder) {
  const found = join(folder, 'node_modules', 'node', 'bin', 'node');
  if (existsSync(found)) return found;
  return dirname(folder) === folder ? undefined : findNode(dirname(folder));
}
