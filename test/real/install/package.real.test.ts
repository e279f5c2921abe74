import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  accessSync,
  constants,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';

const execute = promisify(execFile);
const root = join(import.meta.dirname, '..', '..', '..');

describe('the package as it is published', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-package-'));
  const modules = join(folder, 'elsewhere', 'node_modules');
  const installed = join(modules, 'rackwright');
  before(async () => {
    await execute(process.execPath, [join(root, 'scripts', 'build.ts'), join(folder, 'built')]);
    const { stdout } = await execute('npm', ['pack', '--silent', join(folder, 'built')], { cwd: folder });
    mkdirSync(installed, { recursive: true });
    await execute('tar', ['-xzf', join(folder, stdout.trim()), '--strip-components=1', '-C', installed]);
    // What npm would fetch is here already.
    for (const name of readdirSync(join(root, 'node_modules'))) {
      if (!name.startsWith('.')) symlinkSync(join(root, 'node_modules', name), join(modules, name));
    }
  });
  after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

  const run = (...words: string[]) =>
    execute(process.execPath, [join(installed, 'bin', 'rackwright.mjs'), ...words], {
      cwd: join(folder, 'elsewhere'),
      maxBuffer: 64 * 1024 * 1024,
    });

  const checkTypes = (place: string, ...files: string[]) => {
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2024'];
    const types = ['--types', 'node', '--lib', 'es2024,esnext', '--allowImportingTsExtensions'];
    return execute(process.execPath, [join(modules, 'typescript', 'bin', 'tsc'), ...options, ...types, ...files], {
      cwd: place,
    });
  };

  test('it has no test, no TypeScript to compile, and nothing that only developers need', () => {
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
    assert.deepEqual(
      files.filter((file) => /\.test\.|fast-check/.test(file) || /(?<!\.d)\.ts$/.test(file)),
      [],
    );
    const { devDependencies, optionalDependencies, scripts, imports } = JSON.parse(
      readFileSync(join(installed, 'package.json'), 'utf8'),
    );
    assert.deepEqual([devDependencies, optionalDependencies, scripts, imports].filter(Boolean), []);
    assert.ok(files.includes(join('console', 'dist', 'index.html')));
  });

  test('every command that it names is there, and may be run', () => {
    const { bin } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
      bin: Record<string, string>;
    };
    assert.deepEqual(Object.keys(bin).toSorted(), ['kubectl-rackwright', 'kubectl_complete-rackwright', 'rackwright']);
    // npm says nothing of one that is missing.
    for (const file of Object.values(bin)) accessSync(join(installed, file), constants.X_OK);
  });

  test('its command runs from another folder', async () => {
    const { stdout } = await run('install', '--dry-run', '--set', 'tenancy.model=none');
    assert.ok(parseAllDocuments(stdout).length > 100);
  });

  test('its server runs with all its threads', async () => {
    const main = join(installed, 'bin', 'rackwright.mjs');
    const child = execFile(process.execPath, [
      ...[main, 'up', '--data-dir', join(folder, 'data')],
      ...['--port', '0', '--simulate', '1'],
    ]);
    try {
      await new Promise<void>((resolve, reject) => {
        let printed = '';
        child.stdout?.on('data', (text: string) => {
          printed += text;
          if (printed.includes('Ctrl-C stops it')) resolve();
        });
        child.stderr?.on('data', (text: string) => {
          printed += text;
        });
        child.once('close', () => reject(new Error(`it ended:\n${printed}`)));
      });
    } finally {
      child.kill('SIGKILL');
    }
  });

  test('others can import it with types', async () => {
    const place = join(folder, 'elsewhere');
    writeFileSync(
      join(place, 'use.mts'),
      `import { allKinds } from 'rackwright/api';\nimport { objectsOf, readValues, type Values } from 'rackwright/manifests';\nconst values: Values = readValues({}, '1');\nconsole.log(objectsOf(values).length, allKinds.length satisfies number);\n`,
    );
    await checkTypes(place, 'use.mts');
    const { stdout } = await execute(process.execPath, ['use.mts'], { cwd: place });
    assert.match(stdout, /^\d+ \d+\n$/);
  });

  test('strategies and jobs of others are written and tried with it, and loaded by the names of their packages', async () => {
    const place = join(folder, 'elsewhere');
    const examples = { 'strategy-plugin': 'rackwright-strategy-agent', 'vendor-jobs': 'rackwright-jobs-acme' };
    const tests = Object.keys(examples).map((name) => `${name}.test.ts`);
    writeFileSync(join(place, 'package.json'), '{ "type": "module" }');
    for (const [name, called] of Object.entries(examples)) {
      for (const each of [name, `${name}.test.ts`])
        cpSync(join(root, 'examples', each), join(place, each), { recursive: true });
      symlinkSync(join(place, name), join(modules, called));
    }
    await checkTypes(place, ...tests);
    const environment = { ...process.env };
    // Set, it makes the process a part of this test, which prints for programs.
    delete environment.NODE_TEST_CONTEXT;
    const options = { cwd: place, env: environment };
    const tried = await execute(process.execPath, ['--test', '--test-reporter', 'spec', ...tests], options);
    assert.match(tried.stdout, /pass 14\n/);
    writeFileSync(
      join(place, 'load.mjs'),
      `import { loadImplementations, loadStrategy } from 'rackwright/jobs';
const settings = { agentUrl: 'http://{id}.agents.example' };
const { name } = await loadStrategy({ enabled: ['rackwright-strategy-agent'], settings });
const [found] = await loadImplementations({ names: ['rackwright-jobs-acme'] });
console.log(name, found.type, found.manufacturer);
`,
    );
    const { stdout } = await execute(process.execPath, ['load.mjs'], options);
    assert.equal(stdout, 'rackwright-strategy-agent discovery Acme\n');
  });
});
