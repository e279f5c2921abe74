import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';

/** The rooms of src/, top to bottom. Imports go down this list, never up. */
const rooms = [
  'cli',
  'manifests',
  'discovery',
  'hosts',
  'machines',
  'network',
  'firmware',
  'update-service',
  'jobs',
  'conditionorc',
  'serverservice',
  'flasher',
  'catalogs',
  'firmware-store',
  'provisioners',
  'rest',
  'engine',
  'switches',
  'parts',
  'bmc',
  'apiserver',
  'kube',
  'api',
  'schema',
  'cel',
  'versions',
  'egress',
  'telemetry',
];

const source = resolve(import.meta.dirname, '../../src');
const simulator = resolve(import.meta.dirname, '../../simulator');
const files = globSync('**/*.ts', { cwd: source }).map((file) => join(source, file));
const simulatorFiles = globSync('**/*.ts', { cwd: simulator }).map((file) => join(simulator, file));

interface Import {
  readonly from: string;
  readonly to: string;
  readonly specifier: string;
}

const imports = files.flatMap(importsOf);

function importsOf(from: string): Import[] {
  return [...readFileSync(from, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, specifier = '']) => ({
    from,
    specifier,
    to: resolve(dirname(from), specifier),
  }));
}

/** What the simulator may use: never the code that talks to BMCs, since a shared mistake would hide. */
const roomsOfSimulator = ['kube', 'api', 'telemetry'];

/** The commands start the simulator; tests of the rooms that talk to devices run on it. */
function mayEnterSimulator(file: string): boolean {
  return roomOf(file) === 'cli' || file.endsWith('.test.ts') || /\/(testing|contract)\//.test(file);
}

function roomOf(file: string): string {
  return relative(source, file).split('/')[0] ?? '';
}

function shown(each: Import): string {
  return `${relative(source, each.from)} imports ${each.specifier}`;
}

test('every folder of src is a room of the list', () => {
  const unknown = [...new Set(files.map(roomOf))].filter((room) => !rooms.includes(room));
  assert.deepEqual(unknown, []);
});

test('imports go down the list of rooms, never up', () => {
  const upward = imports.filter(
    ({ from, to }) => to.startsWith(source) && rooms.indexOf(roomOf(to)) < rooms.indexOf(roomOf(from)),
  );
  assert.deepEqual(upward.map(shown), []);
});

test('a room is entered through its index.ts only', () => {
  const past = imports.filter(
    ({ from, to }) =>
      roomOf(from) !== roomOf(to) && to.startsWith(source) && to !== join(source, roomOf(to), 'index.ts'),
  );
  assert.deepEqual(past.map(shown), []);
});

test('nothing in src imports from outside src, but commands and tests enter the simulator through its index.ts', () => {
  const entrance = join(simulator, 'index.ts');
  const outside = imports.filter(
    ({ from, to }) => !to.startsWith(source) && !(to === entrance && mayEnterSimulator(from)),
  );
  assert.deepEqual(outside.map(shown), []);
});

test('the simulator enters only the rooms it may, through their index.ts', () => {
  const entrances = roomsOfSimulator.map((room) => join(source, room, 'index.ts'));
  const outside = simulatorFiles
    .flatMap(importsOf)
    .filter(({ to }) => !to.startsWith(simulator) && !entrances.includes(to));
  assert.deepEqual(outside.map(shown), []);
});

test('the console imports from src in one file, and only what runs in a browser', () => {
  const pages = resolve(import.meta.dirname, '../../console/src');
  const own = globSync('**/*.{ts,tsx}', { cwd: pages }).map((file) => join(pages, file));
  const entering = own.flatMap(importsOf).filter(({ to }) => to.startsWith(source));
  assert.deepEqual([...new Set(entering.map(({ from }) => relative(pages, from)))], ['firmware/parts.ts']);
  const reached = new Set(entering.map(({ to }) => to));
  for (const file of reached) for (const { to } of importsOf(file)) reached.add(to);
  const others = [...reached].filter((file) => !['parts', 'versions'].includes(roomOf(file)));
  const onNode = [...reached].filter((file) => /from '(?:node:|[@a-z])/.test(readFileSync(file, 'utf8')));
  assert.deepEqual([others, onNode], [[], []]);
});

test('properties are checked with the seed of the run: fast-check is imported in one place', () => {
  const past = [...files, ...simulatorFiles].filter((file) => readFileSync(file, 'utf8').includes("from 'fast-check'"));
  assert.deepEqual(past, []);
});
