import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openFolderStore, startFileServer } from '../../firmware-store/index.ts';
import type { JobFile } from '../job-file.ts';
import { loadImplementations } from '../load-implementations.ts';
import { createFakeUpdateService, type KeptJob } from '../testing/fake-update-service.ts';
import { type RunJobOptions, runJob } from './run-job.ts';

interface Rig {
  readonly job: KeptJob;
  readonly folder: string;
  run(more?: Partial<RunJobOptions>, told?: Partial<JobFile>): ReturnType<typeof runJob>;
}

const image = Buffer.from('the newest BIOS');
const sha256 = createHash('sha256').update(image).digest('hex');

async function rigOf(context: TestContext, entries: readonly object[], location?: string): Promise<Rig> {
  const folder = await mkdtemp(join(tmpdir(), 'discovery-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const catalog = join(folder, 'catalog');
  await mkdir(catalog);
  const text = JSON.stringify({ apiVersion: 'rackwright.dev/v1', kind: 'FirmwareCatalog', firmware: entries });
  await writeFile(join(catalog, 'all.json'), text);
  const service = createFakeUpdateService();
  const job = service.add({
    id: 'job-1',
    type: 'DISCOVERY',
    work: {
      kind: 'firmwareDiscover',
      target: 'model/Acme/One',
      parameters: {},
      discovery: {
        name: 'acme-one',
        manufacturer: 'Acme',
        model: 'One',
        versionsToStore: 2,
        sources: [{ format: 'plain', location: location ?? catalog }],
      },
    },
  });
  const jobFile: JobFile = { jobId: 'job-1', token: job.token, updateService: { url: 'http://127.0.0.1:1' } };
  return {
    job,
    folder,
    run: (more, told) => runJob({ jobFile: { ...jobFile, ...told }, transport: service.transport, ...more }),
  };
}

const entry = (version: string, url = `http://127.0.0.1:1/${version}.bin`) => ({
  component: 'bios',
  manufacturer: 'Acme',
  models: ['One'],
  version,
  url,
  checksums: [`sha256:${sha256}`],
  releaseDate: `2024-01-0${version.at(0)}`,
});

test('a discovery tells the newest versions, oldest first, with their images and digests', async (context) => {
  const { job, run } = await rigOf(context, [entry('3.0'), entry('1.0'), entry('2.0')]);
  assert.deepEqual(await run(), { outcome: 'succeeded' });
  assert.equal(job.discovered?.discoveredFirmware?.name, 'acme-one');
  assert.deepEqual(
    job.discovered?.firmwares.map(({ name, versions }) => [name, versions]),
    [['bios', ['2.0', '3.0']]],
  );
  const images = job.discovered?.images.map(({ version, checksum }) => `${version} ${checksum}`).sort();
  // What is not listed can be installed as well.
  assert.deepEqual(images, [`1.0 sha256:${sha256}`, `2.0 sha256:${sha256}`, `3.0 sha256:${sha256}`]);
});

const placeIn = (folder: string) =>
  ({
    kind: 'folder',
    folder: join(folder, 'store'),
    maxBytes: 1_000_000,
    publicUrl: 'http://images.example',
  }) as const;

test('with a store the images are fetched into it, and the catalogue names them there', async (context) => {
  const files = await startFileServer(context);
  const { job, folder, run } = await rigOf(context, [entry('3.0', files.put('/bios.bin', image))]);
  const store = await openFolderStore(placeIn(folder));
  context.after(() => store.close());
  assert.deepEqual(await run({}, { store: placeIn(folder) }), { outcome: 'succeeded' });
  const [told] = job.discovered?.images ?? [];
  assert.equal(told?.url, await store.urlOf(sha256));
  assert.match(told?.url ?? '', /^http:\/\/images\.example\//);
  assert.equal(told?.sizeBytes, BigInt(image.length));
  assert.deepEqual(await store.references(sha256), ['discovery/job-1']);
  assert.equal(job.discovered?.imagesNotKept, 0);
});

test('images beside a catalogue that wants a log-in are fetched with it, and those elsewhere without', async (context) => {
  const [near, far] = [await startFileServer(context), await startFileServer(context)];
  near.put('/images/bios.bin', image);
  const other = Buffer.from('the BIOS before that');
  const checksums = [`sha256:${createHash('sha256').update(other).digest('hex')}`];
  const entries = [{ ...entry('2.0', far.put('/old.bin', other)), checksums }, entry('3.0', 'images/bios.bin')];
  const catalogue = { apiVersion: 'rackwright.dev/v1', kind: 'FirmwareCatalog', firmware: entries };
  const bare = near.put('/all.json', Buffer.from(JSON.stringify(catalogue)));
  const { job, folder, run } = await rigOf(context, [], bare.replace('//', '//me:se%63ret@'));
  const store = await openFolderStore(placeIn(folder));
  context.after(() => store.close());
  assert.deepEqual(await run({}, { store: placeIn(folder) }), { outcome: 'succeeded' });
  const authorization = `Basic ${Buffer.from('me:secret').toString('base64')}`;
  assert.deepEqual(near.requests, [
    { url: '/all.json', authorization },
    { url: '/images/bios.bin', authorization },
  ]);
  assert.deepEqual(far.requests, [{ url: '/old.bin' }]);
  assert.doesNotMatch(JSON.stringify(job.discovered?.images.map(({ url }) => url)), /secret|me:/);
});

test('an image that does not fit into the store is told of where its vendor has it', async (context) => {
  const files = await startFileServer(context);
  const url = files.put('/bios.bin', image);
  const { job, folder, run } = await rigOf(context, [entry('3.0', url)]);
  const place = { ...placeIn(folder), maxBytes: image.length - 1 };
  const store = await openFolderStore(place);
  context.after(() => store.close());
  assert.deepEqual(await run({}, { store: place }), { outcome: 'succeeded' });
  assert.deepEqual([job.discovered?.images[0]?.url, job.discovered?.imagesNotKept], [url, 1]);
});

test('a folder that is no store, as one that was not mounted, is not filled', async (context) => {
  const { job, folder, run } = await rigOf(context, [entry('3.0')]);
  assert.equal((await run({}, { store: placeIn(folder) })).outcome, 'failed');
  assert.match(job.failure?.message ?? '', /there is no image store in .*: mount the folder/);
});

for (const areUnverifiedAllowed of [false, true]) {
  const what = areUnverifiedAllowed ? 'is known by what it was when it was fetched' : 'stays where it is';
  test(`an image without a checksum ${what}`, async (context) => {
    const files = await startFileServer(context);
    const url = files.put('/bios.bin', image);
    const { job, folder, run } = await rigOf(context, [{ ...entry('3.0', url), checksums: [] }]);
    const store = await openFolderStore(placeIn(folder));
    context.after(() => store.close());
    assert.deepEqual(await run({}, { store: placeIn(folder), areUnverifiedAllowed }), { outcome: 'succeeded' });
    const [told] = job.discovered?.images ?? [];
    assert.equal(told?.checksum, areUnverifiedAllowed ? `sha256:${sha256}` : '');
    assert.equal(told?.url === url, !areUnverifiedAllowed);
  });
}

test('a broken catalogue fails the job, and nothing is told of what it has', async (context) => {
  const { job, run } = await rigOf(context, [entry('3.0'), { ...entry('2.0'), checksums: ['sha256:no'] }]);
  assert.equal((await run()).outcome, 'failed');
  assert.equal(job.discovered, undefined);
  assert.equal(job.failure?.isTransient, false);
});

test('a source that is away lets the job be done again', async (context) => {
  const { job, run } = await rigOf(context, []);
  const { discovery } = job.work;
  assert.ok(discovery);
  discovery.sources = [{ format: 'plain', location: 'http://127.0.0.1:9/catalog.json' }];
  assert.equal((await run()).outcome, 'released');
  assert.equal(job.failure?.isTransient, true);
});

test('a discovery of somebody else fails when it does not say what it found', async (context) => {
  const { job, run } = await rigOf(context, [entry('1')]);
  const silent = {
    type: 'discovery',
    manufacturer: 'ACME',
    run: async () => ({ outcome: 'succeeded' as const }),
  } as const;
  const end = await run({ loadImplementations: async () => [silent] });
  assert.equal(end.outcome, 'failed');
  assert.equal(job.failure?.reason, 'NothingFound');
});

test('a job whose implementations cannot be loaded fails and says why', async (context) => {
  const { job, run } = await rigOf(context, [entry('1')]);
  await run({ loadImplementations: () => loadImplementations({ names: ['/no/such/jobs.js'] }) });
  assert.equal(job.failure?.reason, 'UnknownImplementation');
  assert.match(job.failure?.message ?? '', /no\/such\/jobs\.js/);
  assert.equal(job.failure?.isTransient, false);
});
