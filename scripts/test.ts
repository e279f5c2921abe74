/**
 * Runs the checks and the tests, prints progress, and ends with one line `N passed, N failed`.
 *   node scripts/test.ts            checks, unit and end-to-end tests
 *   node scripts/test.ts --real     the suites that bring up real components (*.real.test.ts)
 *   node scripts/test.ts --chaos    the long failure runs (*.chaos.test.ts)
 * Words after the options keep only the test files whose path contains one of them, and leave out the checks; a word
 * that is the path of a file runs that file.
 */
import { spawn } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { run } from 'node:test';
import { cacheDirectory } from '../test/real/kube/binaries.ts';
import { alone, type Batch, batchFiles } from './test-batches.ts';
import { openDurations } from './test-durations.ts';
import { TestTally } from './test-tally.ts';

const root = join(import.meta.dirname, '..');
const options = process.argv.slice(2).filter((word) => word.startsWith('--'));
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const kinds = { '--real': 'real', '--chaos': 'chaos' } as const;
const unknown = options.filter((option) => !(option in kinds));
const kind = options.map((option) => kinds[option as keyof typeof kinds])[0] ?? 'unit';
// A file that hangs is ended. Among the long runs are all benches of the docs, one of which takes an hour by itself.
const fileTimeoutMs = { unit: 10, real: 60, chaos: 8 * 60 }[kind] * 60_000;

/** Tests wait a third of their time, for a clock or another process; long failure runs want the machine for themselves. */
const atOnce = { unit: 4, real: 3, chaos: 1 };
const durations = openDurations(join(cacheDirectory(), 'test-durations.json'));

const tally = new TestTally({
  print: (line) => console.log(line),
  isSkipFailure: process.env.CI === 'true',
  shortName: (file) => relative(root, file),
});

if (unknown.length > 0) tally.addFailure('command line', `there is no option ${unknown.join(', ')}`);
else {
  if (kind === 'unit' && words.length === 0) await runChecks();
  await runTests(testFiles());
}
process.exitCode = tally.report();

async function runChecks(): Promise<void> {
  const bin = join(root, 'node_modules', '.bin');
  const checks: [string, string, string[]][] = [
    ['format and lint', join(bin, 'biome'), ['ci', '--colors=off', '.']],
    // Its threads check much of it once each: one alone needs half of the processor time.
    ['types', join(bin, 'tsc'), ['--noEmit', '--singleThreaded']],
    ['types of the console', join(bin, 'tsc'), ['--noEmit', '--singleThreaded', '-p', 'console']],
    ['generated files', process.execPath, [join(root, 'scripts', 'generate.ts'), '--check']],
  ];
  await Promise.all(
    checks.map(async ([name, command, args]) => {
      const { code, output } = await execute(command, args);
      tally.addCheck(name, code === 0 ? undefined : output);
    }),
  );
}

function execute(command: string, args: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const add = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout.on('data', add);
    child.stderr.on('data', add);
    child.on('error', (error) => resolve({ code: 1, output: error.message }));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

function testFiles(): string[] {
  const suffix = kind === 'unit' ? '.test.ts' : `.${kind}.test.ts`;
  const special = /\.(real|chaos)\.test\.ts$/;
  const found = globSync(`{src,test,simulator,examples,bench,console,scripts}/**/*${suffix}`, {
    cwd: root,
    exclude: (path) => String(path).includes('node_modules'),
  });
  const isFile = (word: string) => statSync(word, { throwIfNoEntry: false })?.isFile() ?? false;
  const given = words.filter(isFile).map((word) => resolve(word));
  const parts = words.filter((word) => !isFile(word));
  const chosen = found
    .filter((file) => kind !== 'unit' || !special.test(file))
    .filter((file) => words.length === 0 || parts.some((part) => file.includes(part)))
    .map((file) => join(root, file));
  return [...new Set([...given, ...chosen])].sort();
}

async function runTests(files: string[]): Promise<void> {
  if (files.length === 0) {
    tally.addFailure('test files', `no ${kind} test file matches ${words.join(' ')}`);
    return;
  }
  // A quarter of the time of most processes was reading our own code.
  process.env.NODE_COMPILE_CACHE ??= join(cacheDirectory(), 'compiled');
  // Who asks for some files wants each as it is by itself.
  const batches = kind === 'unit' && words.length === 0 ? batchFiles(files) : alone(files);
  const filesOf = new Map(batches.all.map((batch) => [batch.entry, batch.files]));
  const seconds = new Map<string, number>();
  const note = ({ file, nesting, details }: { file?: string; nesting: number; details: { duration_ms: number } }) => {
    if (file !== undefined && nesting === 0) seconds.set(file, (seconds.get(file) ?? 0) + details.duration_ms / 1000);
  };
  const concurrency = atOnce[kind];
  const stream = run({ files: longestFirst(batches.all), concurrency, isolation: 'process', timeout: fileTimeoutMs });
  stream.on('test:pass', (event) => {
    note(event);
    tally.pass(event);
  });
  stream.on('test:fail', (event) => {
    note(event);
    tally.fail(event);
  });
  stream.on('test:stderr', (event) => process.stderr.write(event.message));
  // Long runs print what they measured.
  if (kind === 'chaos') stream.on('test:stdout', (event) => process.stdout.write(event.message));
  stream.on('test:summary', (event) => {
    const own = filesOf.get(event.file ?? '') ?? [];
    for (const file of own) {
      const isAlone = own.length === 1;
      const took = isAlone ? event.duration_ms / 1000 : (seconds.get(file) ?? 0);
      durations.note(relative(root, file), took);
      tally.endFile(file, { ...(isAlone ? event.counts : { passed: 0, tests: 0 }), seconds: took });
    }
  });
  stream.resume();
  await new Promise((resolve, reject) => stream.on('end', resolve).on('error', reject)).finally(batches.remove);
  for (const file of files) tally.endFile(file);
  durations.save();
}

/** What takes long is begun with: at the end of a run everybody would wait for it. */
function longestFirst(batches: readonly Batch[]): string[] {
  const length = ({ files }: Batch) => files.reduce((sum, file) => sum + durations.of(relative(root, file)), 0);
  return batches.toSorted((a, b) => length(b) - length(a)).map(({ entry }) => entry);
}
