import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { buildConsole } from './build-console.mjs';

/** Counts its runs. */
const builder = `
const { appendFileSync, mkdirSync, writeFileSync } = require('node:fs');
const out = process.argv[process.argv.indexOf('--outDir') + 1];
mkdirSync(out, { recursive: true });
writeFileSync(out + '/index.html', 'built');
appendFileSync(__dirname + '/runs', 'x');
`;
const failing = `${builder} console.error('a module is missing'); process.exit(1);`;

function packageFor(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'rackwright-build-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const bin = join(root, 'node_modules', 'vite', 'bin');
  mkdirSync(bin, { recursive: true });
  mkdirSync(join(root, 'console', 'src'), { recursive: true });
  writeFileSync(join(root, 'package-lock.json'), '{}');
  writeFileSync(join(root, 'console', 'src', 'main.tsx'), 'one');
  const setBuilder = (text: string) => writeFileSync(join(bin, 'vite.js'), text);
  setBuilder(builder);
  const runs = () => (existsSync(join(bin, 'runs')) ? readFileSync(join(bin, 'runs'), 'utf8').length : 0);
  return { root, runs, setBuilder };
}

test('the same sources are built once, changed sources and tools anew', (t) => {
  const { root, runs } = packageFor(t);
  const dist = buildConsole(root);
  assert.equal(dist, join(root, 'console', 'dist'));
  assert.equal(readFileSync(join(dist, 'index.html'), 'utf8'), 'built');
  buildConsole(root);
  assert.equal(runs(), 1);
  writeFileSync(join(root, 'console', 'src', 'main.tsx'), 'two');
  buildConsole(root);
  assert.equal(runs(), 2);
  writeFileSync(join(root, 'package-lock.json'), '{"lockfileVersion":3}');
  buildConsole(root);
  assert.equal(runs(), 3);
  mkdirSync(join(root, 'src', 'parts'), { recursive: true });
  writeFileSync(join(root, 'src', 'parts', 'select-parts.ts'), 'the rules that the pages share');
  buildConsole(root);
  assert.equal(runs(), 4);
});

test('a build that fails keeps the pages of before, leaves nothing behind and says why', (t) => {
  const { root, setBuilder } = packageFor(t);
  buildConsole(root);
  writeFileSync(join(root, 'console', 'src', 'main.tsx'), 'two');
  setBuilder(failing);
  assert.throws(() => buildConsole(root), /vite ended with 1: a module is missing/);
  assert.deepEqual(readdirSync(join(root, 'console')).sort(), ['dist', 'src']);
  assert.ok(existsSync(join(root, 'console', 'dist', 'index.html')));
});
