import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { personalityOf, startAdminServer, startDataCentre } from '../../simulator/index.ts';
import { compareVersions } from '../versions/index.ts';
import { readCatalog } from './read-catalog.ts';

test("the simulator's catalogue is one of ours: sorted, with images that are what it says", async (context) => {
  const dataCentre = await startDataCentre({ seed: 7, servers: 12, speed: 1000, isPlain: true });
  context.after(() => dataCentre.close());
  const admin = await startAdminServer(dataCentre);
  context.after(() => admin.close());
  const source = { format: 'plain', location: `${admin.url}/v1/catalog` } as const;
  for (const { machine } of dataCentre.bmcs) {
    const { manufacturer } = personalityOf(machine.personality.name);
    const query = { manufacturer, model: machine.hardware.model, versionsToStore: 2 };
    const { entries } = await readCatalog(source, query);
    const bios = entries.filter(({ component }) => component === 'bios').map(({ version }) => version);
    assert.equal(bios.length, 2, `${manufacturer}: ${bios.join()}`);
    const [version = '', than = ''] = bios;
    const order = compareVersions({ vendor: manufacturer, component: 'bios', version, than });
    assert.ok(order === 'newer' || order === 'unknown', `${version} is ${order} than ${than}`);
    const files = new Set(entries.map(({ component, version, fileName }) => `${component} ${version} ${fileName}`));
    assert.equal(files.size, entries.length, 'parts of one kind and version have files of different names');
    const [entry] = entries;
    const image = Buffer.from(await (await fetch(entry?.url ?? '')).arrayBuffer());
    assert.equal(image.length, entry?.sizeBytes);
    assert.equal(createHash('sha256').update(image).digest('hex'), entry?.digests[0]?.hex);
  }
});
