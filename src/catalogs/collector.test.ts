import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCollector } from './collector.ts';
import { defaultCatalogLimits } from './limits.ts';
import { readCatalog } from './read-catalog.ts';
import { lenovoIndex } from './testing/fixtures.ts';
import { folderWith } from './testing/read-text.ts';

test('a list of models that many entries share is looked at once', () => {
  let reads = 0;
  const models = new Proxy(['7D75', '7D76'], {
    get(list, name, self) {
      if (name === '0') reads += 1;
      return Reflect.get(list, name, self);
    },
  });
  const collector = createCollector(['7D76']);
  const context = { shown: 'test', format: 'lenovo', limits: defaultCatalogLimits };
  const draft = {
    ...{ component: 'bmc', name: 'XCC', manufacturer: 'Lenovo', models, softwareIds: [], line: 'xcc', digests: [] },
    ...{ sizeBytes: undefined, releaseDate: undefined, isRebootNeeded: undefined },
    image: { path: 'a.uxz', base: new URL('https://images.example/') },
  };
  collector.add({ ...draft, version: '1.0' }, context);
  const once = reads;
  for (let at = 2; at < 100; at += 1) collector.add({ ...draft, version: `${at}.0` }, context);
  assert.equal(reads, once);
  assert.equal(collector.entries.length, 99);
});

test('all versions of one update share the list of its machine types', async (context) => {
  const [first] = lenovoIndex.Updates;
  const Oem = { Inventory: [{ Version: '1.0' }, { Version: '2.0' }], ApplicableMachineTypes: ['7D75'] };
  const location = await folderWith(context, {
    'x_index.json': JSON.stringify({ ...lenovoIndex, Updates: [{ ...first, Oem }] }),
  });
  const { entries } = await readCatalog({ format: 'lenovo', location }, { manufacturer: 'Lenovo', model: '7D75' });
  assert.deepEqual(
    entries.map(({ version }) => version),
    ['2.0', '1.0'],
  );
  assert.equal(entries[0]?.models, entries[1]?.models);
});
