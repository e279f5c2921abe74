import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createEngine, openSqliteDatabase } from '../../engine/index.ts';
import { flasherKinds } from '../../flasher/index.ts';
import { systemClock } from '../../kube/index.ts';
import { createServerservice } from '../../serverservice/index.ts';
import { createImageCatalogue } from './open-redfish.ts';

test('an image is found by the address it has and by the one that is shown, and is fetched with its log-in', async (t) => {
  const database = await openSqliteDatabase({ path: ':memory:', clock: systemClock });
  const engine = await createEngine({ database, clock: systemClock, kinds: flasherKinds() });
  t.after(async () => {
    await engine.close();
    await database.close();
  });
  const { firmware } = await createServerservice({
    ...{ database, machines: engine.machines },
    credentialKeys: [{ id: 'k1', secret: randomBytes(32) }],
  });
  const about = { vendor: 'dell', component: 'bios', version: '2', checksums: [`sha256:${'a'.repeat(64)}`] };
  const more = Array.from({ length: 120 }, (_, n) => ({ ...about, filename: `${n}`, repositoryUrl: `http://h/${n}` }));
  await firmware.putAll(more);
  const repositoryUrl = 'https://user:s3cret@images/a?sig=s3cret';
  const { id } = await firmware.create({ ...about, filename: 'a', repositoryUrl });
  const catalogue = createImageCatalogue(firmware);
  const find = (url: string) => catalogue.find({ component: 'bios', url, manufacturer: 'Dell', model: 'R750' });
  for (const url of [repositoryUrl, 'https://images/a?sig=[redacted]']) {
    const found = await find(url);
    assert.deepEqual([found?.id, found?.URL], [id, repositoryUrl]);
  }
  assert.equal((await find('http://h/7'))?.filename, '7');
  assert.equal(await find('https://images/b'), undefined);
});

test('an image for other hardware is refused before it is installed, and one that is there already is not', () => {
  const { whyNot } = createImageCatalogue({} as never);
  const slot = { slot: 'BIOS', component: 'bios', name: 'BIOS', version: '1', isUpdateable: true, relatedItems: [] };
  const slots = [{ ...slot, uri: '/BIOS' }] as never;
  const server = { vendor: 'dell', manufacturer: 'Dell Inc.', model: 'PowerEdge R640', slots, gaps: [] } as const;
  const image = { id: 'a', vendor: 'dell', component: 'bios', version: '1', URL: 'http://h/a', models: ['R640'] };
  assert.deepEqual(whyNot?.([image], server), []);
  assert.deepEqual(whyNot?.([{ ...image, version: '', version_unknown: true, models: [] }], server), []);
  assert.match(whyNot?.([{ ...image, models: ['R750'] }], server)[0] ?? '', /is for R750; nothing of that/);
  assert.match(whyNot?.([{ ...image, component: 'bmc' }], server)[0] ?? '', /this server shows no bmc/);
});
