import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { cacheFolder, findOrBuildConsole } from './build-console.ts';

/** Writes down how often it was run. */
const builder = `
const { appendFileSync, mkdirSync, writeFileSync } = require('node:fs');
const out = process.argv[process.argv.indexOf('--outDir') + 1];
mkdirSync(out, { recursive: true });
writeFileSync(out + '/index.html', 'built');
appendFileSync(__dirname + '/runs', 'x');
if (process.env.BREAK_BUILD) { console.error('it is broken'); process.exit(1); }
`;

function placesFor(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-build-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const root = join(folder, 'package');
  const bin = join(root, 'node_modules', 'vite', 'bin');
  mkdirSync(bin, { recursive: true });
  mkdirSync(join(root, 'console', 'src'), { recursive: true });
  writeFileSync(join(root, 'package.json'), '{"devDependencies":{"vite":"1.0.0"}}');
  writeFileSync(join(root, 'console', 'src', 'main.tsx'), 'one');
  writeFileSync(join(bin, 'vite.js'), builder);
  const runs = () => (existsSync(join(bin, 'runs')) ? readFileSync(join(bin, 'runs'), 'utf8').length : 0);
  return { places: { root, cache: join(folder, 'cache') }, runs, bin };
}

const never = new AbortController().signal;

test('the same sources are built once, others anew', async (t) => {
  const { places, runs } = placesFor(t);
  const first = await findOrBuildConsole(places, never);
  assert.equal(readFileSync(join(first, 'index.html'), 'utf8'), 'built');
  assert.equal(await findOrBuildConsole(places, never), first);
  assert.equal(runs(), 1);
  writeFileSync(join(places.root, 'console', 'src', 'main.tsx'), 'two');
  assert.notEqual(await findOrBuildConsole(places, never), first);
  assert.equal(runs(), 2);
});

test('two that build at once both have it', async (t) => {
  const { places } = placesFor(t);
  const [one, other] = await Promise.all([findOrBuildConsole(places, never), findOrBuildConsole(places, never)]);
  assert.equal(one, other);
});

test('a build that fails leaves nothing that looks built, and says why', async (t) => {
  const { places, bin } = placesFor(t);
  writeFileSync(join(bin, 'vite.js'), `process.env.BREAK_BUILD = 'yes';${builder}`);
  await assert.rejects(findOrBuildConsole(places, never), /ended with 1: it is broken/);
  writeFileSync(join(bin, 'vite.js'), builder);
  assert.ok(existsSync(join(await findOrBuildConsole(places, never), 'index.html')));
});

test('a package without the sources serves the pages it came with, and says when it has none', async (t) => {
  const { places } = placesFor(t);
  rmSync(join(places.root, 'console', 'src'), { recursive: true });
  await assert.rejects(findOrBuildConsole(places, never), /neither the sources of the console nor its built pages/);
  const dist = join(places.root, 'console', 'dist');
  mkdirSync(dist);
  writeFileSync(join(dist, 'index.html'), 'shipped');
  assert.equal(await findOrBuildConsole(places, never), dist);
});

test('what was built is kept in the cache folder of the user, or where it is told to', () => {
  assert.equal(cacheFolder({ RACKWRIGHT_CACHE: '/a' }), '/a');
  assert.equal(cacheFolder({ XDG_CACHE_HOME: '/b' }), join('/b', 'rackwright'));
  assert.equal(cacheFolder({ XDG_CACHE_HOME: '', HOME: '/c' }), join('/c', '.cache', 'rackwright'));
  assert.equal(cacheFolder({ HOME: '/c' }), join('/c', '.cache', 'rackwright'));
});
