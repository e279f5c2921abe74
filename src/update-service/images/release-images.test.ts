import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openFolderStore } from '../../firmware-store/index.ts';
import { imageReference } from '../../jobs/index.ts';
import { setUpUpdates } from '../testing/update-rig.ts';
import type { WantedVersions } from './needed-images.ts';
import { releaseImages } from './release-images.ts';

const spec = { manufacturer: 'Dell Inc.', model: 'PowerEdge R640', versionsToStore: 3 };

const asking = { client: 'c', isForced: false, doesInsist: false };

async function setUp(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'rackwright-release-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const store = await openFolderStore({ folder, maxBytes: 1_000_000, publicUrl: 'http://images.test' });
  t.after(() => store.close());
  const rig = await setUpUpdates(t);
  const objects = new Map<string, WantedVersions>();
  const parts = { ...rig, store, discovered: async () => [...objects.values()] };
  const put = async (version: string, holder: string): Promise<string> => {
    const body = Buffer.from(`bios ${version}`);
    const checksum = `sha256:${createHash('sha256').update(body).digest('hex')}`;
    const { sha256 } = await store.put(pieces(body), { checksum, sizeBytes: body.length, fileName: `${version}.bin` });
    await store.hold(sha256, holder);
    return sha256;
  };
  /** A discovery that found these versions, put their images into the store, and ended. */
  const discover = async (versions: readonly string[], isOver = true): Promise<string> => {
    rig.discovered.set('r640', spec);
    const { job } = await rig.desks.requests.discover({ name: 'r640', client: 'c' });
    rig.clock.advance(1000);
    const images = [];
    for (const version of versions) {
      const sha256 = await put(version, imageReference(job.id));
      const image = { component: 'bios', manufacturer: 'Dell', version, models: ['PowerEdge R640'] };
      const url = await store.urlOf(sha256);
      images.push({ ...image, fileName: `${version}.bin`, url, checksum: `sha256:${sha256}` });
    }
    if (!isOver) return job.id;
    const [lease] = await rig.lease(`w-${job.id}`);
    assert.ok(lease);
    const firmwares = [{ name: 'bios', manufacturer: 'Dell', versions }];
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
  return { rig, store, objects, parts, put, discover, list, held };
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
  await releaseImages({ ...parts, discovered: async () => undefined });
  assert.deepEqual(await held(), ['2.0']);
});
