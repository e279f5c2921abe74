/**
 * Runs the checks and the tests, prints progress, and ends with one line `N passed, N failed`.
 *   node scripts/test.ts            checks, unit and end-to-end tests
 *   node scripts/test.ts --real     the suites that bring up real components (*.real.test.ts)
 *   node scripts/test.ts --chaos    the long failure runs (*.chaos.test.ts)
 * Words after the options keep only the test files whose path contains one of them.
 */
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { join, relative } from 'node:path';
import { run } from 'node:test';

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

const root = join(import.meta.dirname, '..');
const options = process.argv.slice(2).filter((a) => a.startsWith('--'));
const words = process.argv.slice(2).filter((a) => !a.startsWith('--'));
const kind = options.includes('--real') ? 'real' : options.includes('--chaos') ? 'chaos' : 'unit';
const tally: Tally = { passed: 0, failed: 0, skipped: 0 };
const failures: string[] = [];

if (kind === 'unit' && words.length === 0) await runChecks();
await runTests();
report();

async function runChecks(): Promise<void> {
  const bin = join(root, 'node_modules', '.bin');
  const checks: [string, string, string[]][] = [
    ['format and lint', join(bin, 'biome'), ['ci', '--colors=off', '.']],
    ['types', join(bin, 'tsc'), ['--noEmit']],
    ['generated files', process.execPath, [join(root, 'scripts', 'generate.ts'), '--check']],
  ];
  for (const [name, command, args] of checks) {
    const { code, output } = await execute(command, args);
    if (code === 0) tally.passed++;
    else {
      tally.failed++;
      failures.push(`${name}\n${output}`);
    }
    console.log(`${code === 0 ? 'ok' : 'FAILED'}  ${name}`);
    if (code !== 0) console.log(output);
  }
}

function execute(command: string, args: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += String(chunk)));
    child.stderr.on('data', (chunk) => (output += String(chunk)));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

function testFiles(): string[] {
  const suffix = kind === 'unit' ? '.test.ts' : `.${kind}.test.ts`;
  const special = /\.(real|chaos)\.test\.ts$/;
  return globSync(`{src,test,simulator,examples,bench,console}/**/*${suffix}`, {
    cwd: root,
    exclude: (p) => String(p).includes('node_modules'),
  })
    .filter((file) => kind !== 'unit' || !special.test(file))
    .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
    .sort()
    .map((file) => join(root, file));
}

async function runTests(): Promise<void> {
  const files = testFiles();
  // Real components share ports and two cores: one suite at a time.
  const stream = run({ files, concurrency: kind === 'unit' ? 2 : 1, isolation: 'process' });
  const perFile = new Map<string, Tally>();
  stream.on('test:pass', (event) => {
    if (isLeaf(event)) count(perFile, event.file, event.skip === undefined ? 'passed' : 'skipped', event.name);
  });
  stream.on('test:fail', (event) => {
    if (!isLeaf(event) && !isOwnFailure(event)) return;
    count(perFile, event.file, 'failed', event.name);
    const where = relative(root, event.file ?? '');
    failures.push(`${where}: ${event.name}\n${describe(event.details.error)}`);
    console.log(`FAILED  ${where}: ${event.name}\n${describe(event.details.error)}`);
  });
  stream.on('test:stderr', (event) => process.stderr.write(event.message));
  stream.on('test:summary', (event) => {
    if (event.file !== undefined) finish(event.file);
  });
  const seen = new Set<string>();
  const finish = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const own = perFile.get(file) ?? { passed: 0, failed: 0, skipped: 0 };
    const verdict = own.failed === 0 ? 'ok' : 'FAILED';
    console.log(
      `${verdict}  ${relative(root, file)} (${own.passed} passed${own.failed === 0 ? '' : `, ${own.failed} failed`})`,
    );
  };
  stream.resume();
  await new Promise((resolve) => stream.on('end', resolve));
  for (const file of files) if (!seen.has(file)) finish(file);
}

interface TestEvent {
  readonly name: string;
  readonly nesting: number;
  readonly file?: string;
  readonly skip?: string | boolean;
  readonly details: { readonly type?: string; readonly error?: Error };
}

function isLeaf(event: TestEvent): boolean {
  return event.details.type !== 'suite' && event.name !== event.file;
}

/** A file that fails as a whole (it does not load, or a process ends early) counts too. */
function isOwnFailure(event: TestEvent): boolean {
  const cause = (event.details.error as { failureType?: string } | undefined)?.failureType;
  return cause !== 'subtestsFailed';
}

function count(perFile: Map<string, Tally>, file: string | undefined, as: keyof Tally, name: string): void {
  const key = file ?? '';
  const own = perFile.get(key) ?? { passed: 0, failed: 0, skipped: 0 };
  perFile.set(key, own);
  own[as]++;
  tally[as]++;
  if (as !== 'skipped') return;
  console.log(`skipped  ${relative(root, key)}: ${name}`);
  if (process.env.CI === 'true') {
    tally.failed++;
    failures.push(`${relative(root, key)}: ${name}\nskipped, which CI does not allow`);
  }
}

function describe(error: Error | undefined): string {
  const cause = error?.cause instanceof Error ? error.cause : error;
  return cause?.stack ?? String(cause);
}

function report(): void {
  if (failures.length > 0) console.log(`\nWhat failed:\n\n${failures.join('\n\n')}\n`);
  console.log(`${tally.passed} passed, ${tally.failed} failed`);
  process.exitCode = tally.failed === 0 && tally.passed > 0 ? 0 : 1;
}
