import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { isJobError, type JobErrorCode } from './errors.ts';
import { defineJobImplementation, type JobImplementation } from './implementations.ts';
import { loadImplementations } from './load-implementations.ts';

const run = async () => ({ outcome: 'succeeded' }) as const;
const scan = (of: { manufacturer?: string; model?: string }) => defineJobImplementation({ type: 'scan', run, ...of });

/** Packages that need not be installed. */
function packages(all: Readonly<Record<string, unknown>>) {
  return async (name: string): Promise<unknown> => {
    if (!(name in all)) throw new Error(`Cannot find package '${name}'`);
    return { jobImplementations: all[name] };
  };
}

function refused(code: JobErrorCode, message: RegExp) {
  return (error: unknown) => {
    assert.ok(isJobError(error, code), String(error));
    assert.match(error.message, message);
    return true;
  };
}

test('jobs of packages are loaded by the names of the packages, each once', async () => {
  const [all, dell, r640] = [scan({}), scan({ manufacturer: 'Dell' }), scan({ manufacturer: 'Dell', model: 'R640' })];
  const importPackage = packages({ '@acme/jobs': [all, dell], other: [r640] });
  const found = await loadImplementations({ names: ['@acme/jobs', 'other', ' @acme/jobs'], importPackage });
  assert.deepEqual(found, [all, dell, r640]);
  assert.deepEqual(await loadImplementations({ names: [] }), []);
});

test('two that are for the same jobs are refused, however their manufacturer and model are spelt', async () => {
  const alike: [JobImplementation, JobImplementation, RegExp][] = [
    [scan({}), scan({}), /one and two both have scan jobs for all servers/],
    [scan({ manufacturer: 'Dell Inc.' }), scan({ manufacturer: 'DELL' }), /scan jobs for DELL:/],
    [
      scan({ manufacturer: 'Acme', model: 'One  X' }),
      scan({ manufacturer: 'ACME', model: 'one x' }),
      /scan jobs for ACME one x:/,
    ],
  ];
  for (const [one, two, message] of alike) {
    const importPackage = packages({ one: [one], two: [two], both: [one, two] });
    await assert.rejects(
      loadImplementations({ names: ['one', 'two'], importPackage }),
      refused('severalImplementations', message),
    );
    await assert.rejects(
      loadImplementations({ names: ['both'], importPackage }),
      refused('severalImplementations', /both/),
    );
  }
  const other = [scan({ manufacturer: 'HPE', model: 'One X' }), { ...scan({}), type: 'update' as const }];
  const importPackage = packages({ one: [scan({}), scan({ manufacturer: 'HPE' })], two: other });
  assert.equal((await loadImplementations({ names: ['one', 'two'], importPackage })).length, 4);
});

test('what cannot be loaded, and what does no jobs, says so', async () => {
  await assert.rejects(
    loadImplementations({ names: ['no-such-package-of-jobs'] }),
    refused('unknownImplementation', /jobs of no-such-package-of-jobs cannot be loaded \(Cannot find package/),
  );
  await assert.rejects(
    loadImplementations({ names: ['/no/such/module'] }),
    refused('unknownImplementation', /^jobs of \/no\/such\/module cannot be loaded \(Cannot find module [^\n]*$/),
  );
  for (const name of ['../x', 'file:///x', 'a b', 'data:text/javascript,1', 'node:fs']) {
    await assert.rejects(loadImplementations({ names: [name] }), refused('unknownImplementation', /nor a path/), name);
  }
  const wrong: [unknown, RegExp][] = [
    [undefined, /no list `jobImplementations`/],
    [[], /no list `jobImplementations`/],
    [[scan({}), null], /jobImplementations\[1\]: its type is none of update, scan, discovery/],
    [[{ type: 'dance', run }], /its type is none of/],
    [[{ type: 'scan' }], /no function run/],
    [[{ type: 'scan', run, manufacturer: ' ' }], /its manufacturer is no name/],
    [[{ type: 'scan', run, manufacturer: 'Dell', model: 7 }], /its model is no name/],
    [[{ type: 'scan', run, model: 'R640' }], /a model, and no manufacturer/],
  ];
  for (const [list, message] of wrong) {
    await assert.rejects(
      loadImplementations({ names: ['acme'], importPackage: packages({ acme: list }) }),
      refused('badImplementation', message),
    );
  }
});

test('a module and the folder of a package are loaded by their paths', async (context: TestContext) => {
  const folder = await mkdtemp(join(tmpdir(), 'implementations-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const text = (type: string) =>
    `export const jobImplementations = [{ type: '${type}', run: async () => ({ outcome: 'succeeded' }) }];`;
  await writeFile(join(folder, 'one.mjs'), text('scan'));
  await mkdir(join(folder, 'two'));
  await writeFile(join(folder, 'two', 'package.json'), '{"type":"module","main":"./jobs.js"}');
  await writeFile(join(folder, 'two', 'jobs.js'), text('update'));
  const found = await loadImplementations({ names: [join(folder, 'one.mjs'), join(folder, 'two')] });
  assert.deepEqual(
    found.map(({ type }) => type),
    ['scan', 'update'],
  );
  await assert.rejects(
    loadImplementations({ names: [join(folder, 'three')] }),
    refused('unknownImplementation', /three/),
  );
});
