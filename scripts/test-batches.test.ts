import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { batchFiles, mayShareProcess } from './test-batches.ts';

function writeFiles(t: TestContext, sources: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-batches-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return sources.map((source, index) => {
    const file = join(folder, `${String(index).padStart(2, '0')}.test.ts`);
    writeFileSync(file, source);
    return file;
  });
}

test('every file is in one process, those that need one for themselves alone', (t) => {
  const hooked = `beforeEach(() => {});\ntest('a', () => {});\n`;
  const files = writeFiles(
    t,
    Array.from({ length: 30 }, (_, at) => (at === 3 ? hooked : `test('a', () => {});\n`)),
  );
  const batches = batchFiles(files);
  assert.deepEqual(batches.all.flatMap((batch) => batch.files).toSorted(), files);
  const [own, ...shared] = batches.all;
  assert.deepEqual(own, { entry: files[3], files: [files[3]] });
  assert.deepEqual(
    shared.map((batch) => batch.files.length),
    [12, 12, 5],
  );
  for (const { entry, files } of shared) {
    const loaded = files.map((file) => `import "${pathToFileURL(file).href}";\n`).join('');
    assert.equal(readFileSync(entry, 'utf8'), loaded);
  }
  batches.remove();
  assert.deepEqual(
    shared.filter(({ entry }) => existsSync(entry)),
    [],
  );
});

test('a file that runs the whole product has a process of its own', (t) => {
  const [beside = ''] = writeFiles(t, [`test('a', () => {});\n`]);
  const whole = join(dirname(beside), 'test', 'e2e', 'whole.test.ts');
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, `test('a', () => {});\n`);
  const batches = batchFiles([beside, whole]);
  t.after(batches.remove);
  assert.deepEqual(batches.all[0], { entry: whole, files: [whole] });
  assert.equal(batches.all.length, 2);
});

test('a file shares a process unless it has hooks outside suites, looks at the process or takes its tests from others', () => {
  const tests = `test('a', () => {});\n`;
  assert.equal(mayShareProcess(tests), true);
  assert.equal(mayShareProcess(`describe('a', () => {\n  before(() => {});\n});\n`), true);
  for (const hook of ['before', 'after', 'beforeEach', 'afterEach'])
    assert.equal(mayShareProcess(`${hook}(() => {});\n${tests}`), false, hook);
  assert.equal(mayShareProcess(`${tests}const before = process.memoryUsage().rss;\n`), false);
  assert.equal(mayShareProcess(`${tests}process.on('unhandledRejection', note);\n`), false);
  assert.equal(mayShareProcess(`runContract(subject);\n`), false);
});
