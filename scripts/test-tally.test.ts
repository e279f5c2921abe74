import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

/** Runs one test file with the real script and gives what it printed and its exit code. */
function tallyOf(source: string, env: NodeJS.ProcessEnv = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-tally-'));
  const file = join(folder, 'some.test.mjs');
  writeFileSync(file, `import { test, describe, before } from 'node:test';\n${source}`);
  // A runner inside a test file would take itself for a child of the outer one.
  const { NODE_TEST_CONTEXT: _, CI: __, ...rest } = process.env;
  try {
    const script = join(import.meta.dirname, 'test.ts');
    const result = spawnSync(process.execPath, [script, file], { env: { ...rest, ...env }, encoding: 'utf8' });
    const lines = result.stdout.trimEnd().split('\n');
    return { exitCode: result.status, last: lines.at(-1), lines };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('tests in and out of suites are counted once each', () => {
  const { exitCode, last, lines } = tallyOf(
    `test('a', () => {}); describe('s', () => { test('b', () => {}); describe('t', () => { test('c', () => {}); }); });`,
  );
  assert.equal(last, '3 passed, 0 failed');
  assert.equal(exitCode, 0);
  assert.ok(lines.some((line) => /^ok .*some\.test\.mjs \(3 passed(?: in \d+ s)?\)$/.test(line)));
});

test('a failing test fails the run, and its suite is not counted again', () => {
  const { exitCode, last } = tallyOf(
    `describe('s', () => { test('a', () => { throw new Error('x'); }); test('b', () => {}); });`,
  );
  assert.equal(last, '1 passed, 1 failed');
  assert.equal(exitCode, 1);
});

test('a long failure is told in part when it happens, and whole at the end', () => {
  const { lines } = tallyOf(`test('a', () => { throw new Error('x'.repeat(5000) + 'end'); });`);
  const [atOnce = '', atEnd = ''] = lines.join('\n').split('What failed:');
  assert.match(atOnce, /x{1000} \.\.\. \(the rest is told at the end\)/);
  assert.doesNotMatch(atOnce, /xend/);
  assert.match(atEnd, /x{5000}end/);
});

test('a file that does not load fails the run', () => {
  const { exitCode, last } = tallyOf(`import 'node:nothing';`);
  assert.equal(last, '0 passed, 1 failed');
  assert.equal(exitCode, 1);
});

test('a process that dies after its tests passed fails the run', () => {
  const { exitCode, last } = tallyOf(
    `test('a', () => { setTimeout(() => process.kill(process.pid, 'SIGKILL'), 50); });`,
  );
  assert.equal(last, '1 passed, 1 failed');
  assert.equal(exitCode, 1);
});

test('a hook that throws fails the run', () => {
  const { exitCode } = tallyOf(
    `describe('s', () => { before(() => { throw new Error('x'); }); test('a', () => {}); });`,
  );
  assert.equal(exitCode, 1);
});

test('a file without tests fails the run', () => {
  const { exitCode, last } = tallyOf('');
  assert.equal(last, '0 passed, 1 failed');
  assert.equal(exitCode, 1);
});

test('a skipped test is told, and is a failure where nothing may be left out', () => {
  const source = `test('a', () => {}); test('b', { skip: 'no switch at hand' }, () => {});`;
  const lenient = tallyOf(source);
  assert.equal(lenient.last, '1 passed, 0 failed');
  assert.ok(lenient.lines.some((line) => /^skipped .*some\.test\.mjs: b \(no switch at hand\)$/.test(line)));
  const strict = tallyOf(source, { CI: 'true' });
  assert.equal(strict.last, '1 passed, 1 failed');
  assert.equal(strict.exitCode, 1);
});

test('tests that a file takes from another count as its own', () => {
  const shared = join(mkdtempSync(join(tmpdir(), 'rackwright-shared-')), 'shared.mjs');
  writeFileSync(shared, `import { test } from 'node:test';\ntest('shared', () => {});\n`);
  const { exitCode, last, lines } = tallyOf(`import ${JSON.stringify(shared)};`);
  rmSync(dirname(shared), { recursive: true });
  assert.equal(last, '1 passed, 0 failed');
  assert.equal(exitCode, 0);
  assert.ok(lines.some((line) => /^ok .*some\.test\.mjs \(1 passed\)$/.test(line)));
});
