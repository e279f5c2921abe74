import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openFolderStore } from '../../firmware-store/index.ts';
import { imageReference } from '../../jobs/index.ts';
import { silentLogger } from '../../telemetry/index.ts';
import type { FirmwareVersion } from '../desk/check-request.ts';
import { setUpUpdates, until } from '../testing/update-rig.ts';
import { keepStoreSmall } from './keep-store-small.ts';
import type { AvailableVersions } from './needed-images.ts';
import { releaseImages } from './release-images.ts';

const spec = { manufacturer: 'Dell Inc.', model: 'PowerEdge R640', versionsToStore: 3 };

const day = 24 * 60 * 60_000;

const asking = { client: 'c', isForced: false, doesInsist: false };

async function setUp(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'rackwright-release-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const rig = await setUpUpdates(t);
  const { clock } = rig;
  const store = await openFolderStore({ folder, maxBytes: 1_000_000, publicUrl: 'http://images.test', clock });
  t.after(() => store.close());
  const objects = new Map<string, AvailableVersions>();
  const wanted: FirmwareVersion[] = [];
  const parts = {
    ...rig,
    store,
    objects: { available: async () => [...objects.values()], wanted: async () => wanted },
  };
  const put = async (version: string, holder: string): Promise<string> => {
    const body = Buffer.from(`bios ${version}`);
    const checksum = `sha256:${createHash('sha256').update(body).digest('hex')}`;
    const { sha256 } = await store.put(pieces(body), { checksum, sizeBytes: body.length, fileName: `${version}.bin` });
    await store.hold(sha256, holder);
    return sha256;
  };
  /** A discovery that found these versions, put their images into the store, and ended. */
  const discover = async (versions: readonly string[], isOver = true, listed = versions): Promise<string> => {
    rig.discovered.set('r640', spec);
    const { job } = await rig.desks.requests.discover({ name: 'r640', client: 'c' });
    rig.clock.advance(1000);
    const images = [];
    for (const version of versions) {
      const sha256 = await put(version, imageReference(job.id));
      const image = { component: 'bios', manufacturer: 'Dell', version, models: ['PowerEdge R640'], softwareIds: [] };
      const url = await store.urlOf(sha256);
      images.push({ ...image, fileName: `${version}.bin`, url, checksum: `sha256:${sha256}` });
    }
    if (!isOver) return job.id;
    const [lease] = await rig.lease(`w-${job.id}`);
    assert.ok(lease);
    const firmwares = [{ name: 'bios', manufacturer: 'Dell', versions: listed }];
    const proof = await rig.launched(lease);
    await rig.desks.results.discovery({ proof }, { name: 'r640', firmwares, images, observedAt: 0 });
    return job.id;
  };
  const list = (versions: readonly string[]): void => {
    const available = [{ name: 'bios', manufacturer: 'Dell Inc.', versions }];
    objects.set('r640', { name: 'r640', ...spec, available });
  };
  const held = async (): Promise<string[]> => {
    const all = await store.list();
    const found = await Promise.all(
      all.map(async (one) => ((await store.references(one.sha256)).length > 0 ? one : [])),
    );
    return found.flatMap((one) => ('fileName' in one ? one.fileName.replace('.bin', '') : [])).sort();
  };
  return { rig, store, objects, wanted, parts, put, discover, list, held };
}

async function* pieces(body: Buffer): AsyncGenerator<Uint8Array> {
  yield body;
}

test('an image whose version a discovery dropped is let go of, once the discovery is over', async (t) => {
  const { parts, discover, list, held, rig, store } = await setUp(t);
  await discover(['1.0', '2.0']);
  list(['1.0', '2.0']);
  assert.equal(await releaseImages(parts), 0);
  await discover(['2.0', '3.0']);
  // The object does not know of the second discovery yet: what either says is needed.
  await releaseImages(parts);
  assert.deepEqual(await held(), ['1.0', '2.0', '3.0']);
  list(['2.0', '3.0']);
  await releaseImages(parts);
  assert.deepEqual(await held(), ['2.0', '3.0']);
  // However often it is found, one reference keeps it.
  const all = await store.list();
  const references = await Promise.all(all.map(({ sha256 }) => store.references(sha256)));
  assert.ok(references.every(({ length }) => length <= 1));
  const running = await discover(['4.0'], false);
  await releaseImages(parts);
  assert.deepEqual(await held(), ['2.0', '3.0', '4.0']);
  await rig.engine.cancel(running, asking);
  await releaseImages(parts);
  assert.deepEqual(await held(), ['2.0', '3.0']);
});

test('fewer versions to store, and an object that is deleted, let images go', async (t) => {
  const { parts, objects, discover, list, held } = await setUp(t);
  await discover(['1.0', '2.0', '3.0']);
  list(['1.0', '2.0', '3.0']);
  const object = objects.get('r640') ?? assert.fail();
  objects.set('r640', { ...object, versionsToStore: 1 });
  await releaseImages(parts);
  assert.deepEqual(await held(), ['3.0']);
  objects.clear();
  await releaseImages(parts);
  assert.deepEqual(await held(), []);
});

test('all that the last discovery fetched stays, also what no list has room for', async (t) => {
  const { parts, objects, rig, discover, list, held } = await setUp(t);
  list(['2.0', '3.0']);
  await discover(['1.0', '2.0', '3.0', '4.0'], true, ['2.0', '3.0']);
  await releaseImages(parts);
  assert.deepEqual(await held(), ['1.0', '2.0', '3.0', '4.0']);
  // One that fails later takes nothing away, neither while it runs nor after.
  const running = await discover(['1.0'], false);
  await releaseImages(parts);
  await rig.engine.cancel(running, asking);
  for (let times = 0; times < 2; times++) await releaseImages(parts);
  assert.deepEqual(await held(), ['1.0', '2.0', '3.0', '4.0']);
  await releaseImages({ ...parts, objects: undefined });
  assert.deepEqual(await held(), ['1.0', '2.0', '3.0', '4.0']);
  await discover(['2.0', '3.0', '4.0'], true, ['2.0', '3.0']);
  await releaseImages(parts);
  assert.deepEqual(await held(), ['2.0', '3.0', '4.0']);
  objects.clear();
  await releaseImages(parts);
  assert.deepEqual(await held(), []);
});

test('what a set has, what is about to be installed and what somebody else holds stays', async (t) => {
  const { parts, rig, put, discover, held } = await setUp(t);
  await discover(['1.0', '2.0', '3.0']);
  await put('9.0', 'an operator');
  const page = { limit: 10, page: 1, orderBy: undefined, isDescending: false };
  const { records } = await rig.service.firmware.list({ version: '1.0' }, page);
  const set = await rig.service.firmwareSets.create({ name: 's', firmware: records.map(({ id }) => id) });
  const firmwares = [{ name: 'bios', manufacturer: '', version: '2.0' }];
  const { job } = await rig.desks.requests.update({ server: 'alpha', firmwares, client: 'c' });
  await releaseImages(parts);
  assert.deepEqual(await held(), ['1.0', '2.0', '9.0']);
  await rig.service.firmwareSets.remove(set.id);
  await rig.engine.cancel(job.id, asking);
  await releaseImages(parts);
  assert.deepEqual(await held(), ['9.0']);
});

test('where no objects are known, the last discovery of each tells what is needed', async (t) => {
  const { parts, discover, held } = await setUp(t);
  await discover(['1.0', '2.0']);
  await discover(['2.0']);
  await releaseImages({ ...parts, objects: undefined });
  assert.deepEqual(await held(), ['2.0']);
});

const pinned = { name: 'UEFI', manufacturer: ' ', version: '1.0' };

test('what a ServerFirmware or a group wants stays and can be installed, though nobody offers it any more', async (t) => {
  const { parts, rig, store, objects, wanted, discover, list, held } = await setUp(t);
  wanted.push(pinned);
  await discover(['1.0', '2.0']);
  await discover(['3.0']);
  list(['3.0']);
  await releaseImages(parts);
  assert.deepEqual(await held(), ['1.0', '3.0']);
  objects.clear();
  await releaseImages(parts);
  assert.deepEqual(await held(), ['1.0']);
  rig.clock.advance(30 * day);
  await store.collect();
  const { job } = await rig.desks.requests.update({ server: 'alpha', firmwares: [pinned], client: 'c' });
  const [image] = await store.list();
  assert.deepEqual(
    (job.parameters.firmwares as { version: string; URL: string }[]).map(({ version, URL: url }) => [version, url]),
    [['1.0', await store.urlOf(image?.sha256 ?? '')]],
  );
  await rig.engine.cancel(job.id, asking);
  wanted.length = 0;
  await releaseImages(parts);
  assert.deepEqual(await held(), []);
});

test('what was let go of and is wanted again is held again, until it is not', async (t) => {
  const { parts, rig, store, wanted, discover, held } = await setUp(t);
  await discover(['1.0', '2.0']);
  await releaseImages(parts);
  assert.deepEqual(await held(), []);
  wanted.push(pinned);
  await releaseImages(parts);
  assert.deepEqual(await held(), ['1.0']);
  rig.clock.advance(30 * day);
  await store.collect();
  assert.deepEqual(
    (await store.list()).map(({ fileName }) => fileName),
    ['1.0.bin'],
  );
  wanted.length = 0;
  assert.equal(await releaseImages(parts), 1);
  assert.deepEqual(await held(), []);
});

test('while objects cannot be listed nothing is released, and then it is', async (t) => {
  const { parts, rig, discover, held } = await setUp(t);
  await discover(['1.0', '2.0']);
  const failing = async () => Promise.reject(new Error('the API server is away'));
  for (const what of ['available', 'wanted']) {
    const objects = { ...parts.objects, [what]: failing };
    await assert.rejects(releaseImages({ ...parts, objects }), /is away/);
    assert.deepEqual(await held(), ['1.0', '2.0'], what);
  }
  let asked = 0;
  const away = async () => (++asked === 1 ? failing() : []);
  const objects = { ...parts.objects, wanted: away };
  const keeping = keepStoreSmall({ ...parts, objects, clock: rig.clock, logger: silentLogger, everyMs: 1000 });
  await until(rig.clock, async () => (await held()).length === 0);
  await keeping.stop();
  assert.equal(asked > 1, true);
});
