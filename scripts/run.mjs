// Sets up, then runs a program of this package on Node 24: node scripts/run.mjs [--production] [FILE [WORD ...]]
import { join } from 'node:path';
import { launch } from '../bin/launch.mjs';
import { nodeOptions } from '../bin/node-options.mjs';
import { root, setUp } from './setup.mjs';

const words = process.argv.slice(2);
const isProduction = words[0] === '--production';
const [file, ...rest] = isProduction ? words.slice(1) : words;

setUp({ isProduction });
if (file !== undefined) run(file, rest);

function run(program, args) {
  const isNew = Number(process.versions.node.split('.')[0]) >= 24;
  const node = isNew ? process.execPath : join(root, 'node_modules', 'node', 'bin', 'node');
  // They keep a server small that runs for months; a test that runs for seconds would collect garbage a quarter of its time.
  const options = program.startsWith('scripts/') ? [] : nodeOptions;
  launch(node, [...options, join(root, program), ...args]);
}
