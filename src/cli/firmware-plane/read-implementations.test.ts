import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readDiscoveries, readImplementations } from './read-implementations.ts';

test('where nothing but discoveries is done, other jobs are refused', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'read-implementations-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const write = async (type: string): Promise<string> => {
    const path = join(folder, `${type}.mjs`);
    await writeFile(path, `export const jobImplementations = [{ type: '${type}', async run() {} }];`);
    return path;
  };
  const [discovery, scan] = [await write('discovery'), await write('scan')];
  assert.equal((await readDiscoveries([discovery])).length, 1);
  assert.equal((await readImplementations([discovery, scan])).length, 2);
  await assert.rejects(readDiscoveries([discovery, scan]), /one is for scan jobs, .*run rackwright update-service/);
});
