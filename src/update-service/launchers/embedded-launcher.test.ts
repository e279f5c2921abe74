import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { CatalogSource } from '../../catalogs/index.ts';
import type { WorkOutcome } from '../../engine/index.ts';
import { type FirmwareStore, StoreError } from '../../firmware-store/index.ts';
import type { JobImplementation, Strategy, StrategyTools } from '../../jobs/index.ts';
import { startJobRunner } from '../runner/job-runner.ts';
import { toLeasedWork } from '../runner/leased-work.ts';
import { runnerParts } from '../testing/outside-jobs.ts';
import { setUpUpdates, sha, until } from '../testing/update-rig.ts';
import { tryLauncher } from './contract/launcher-contract.ts';
import { createEmbeddedLauncher } from './embedded-launcher.ts';

const entry = {
  component: 'bios',
  name: 'BIOS',
  manufacturer: 'Dell Inc.',
  version: '2.11.0',
  models: ['PowerEdge R640'],
  softwareIds: [],
  line: 'bios',
  fileName: 'bios.exe',
  url: 'https://images.test/bios.exe',
  sizeBytes: undefined,
  digests: [{ algorithm: 'sha256', hex: sha.slice('sha256:'.length) } as const],
  releaseDate: undefined,
  isRebootNeeded: undefined,
};
const discovery = {
  reader: { read: async () => ({ entries: [entry], seen: 1, held: 1 }) },
  sources: [{ format: 'plain', location: 'https://catalogue.test/' }] as readonly CatalogSource[],
};
const tools = {} as StrategyTools;

tryLauncher('embedded', async (t) => {
  const rig = await setUpUpdates(t);
  const ends = new Map<string, (outcome: WorkOutcome) => void>();
  const work: Strategy['scan'] = ({ condition }) => new Promise((resolve) => ends.set(condition.id, resolve));
  const strategy = { name: 'test', update: work, scan: work };
  const catalogue = rig.service.firmware;
  const launcher = createEmbeddedLauncher({ servers: { strategy, tools }, discovery, catalogue, clock: rig.clock });
  return {
    launcher,
    async order() {
      await rig.desks.requests.scan({ server: 'alpha', client: 'c' });
      const [lease] = await rig.lease('w1');
      assert.ok(lease);
      const held = { conditionId: lease.condition.id, token: lease.token };
      return {
        jobId: held.conditionId,
        type: 'scan',
        manufacturer: 'Dell',
        model: 'R640',
        strategy: 'test',
        token: rig.desks.tokens.issue(held),
        work: toLeasedWork(lease, rig.engine.worker, new AbortController().signal),
      };
    },
    count: async () => ends.size,
    async crash({ jobId }) {
      ends.get(jobId)?.({ outcome: 'released', why: 'it crashed' });
      ends.delete(jobId);
    },
    until: (isSo) => until(rig.clock, isSo),
  };
});

test('jobs inside run by the strategy of the instance, and discoveries fill the catalogue', async (t) => {
  const rig = await setUpUpdates(t);
  await rig.addFirmware('2.10.0');
  rig.discovered.set('r640', { manufacturer: 'Dell Inc.', model: 'PowerEdge R640', versionsToStore: 3 });
  const done: string[] = [];
  const note =
    (what: string): Strategy['scan'] =>
    async () => {
      done.push(what);
      return { outcome: 'succeeded' };
    };
  const strategy = { name: 'test', update: note('update'), scan: note('scan') };
  const catalogue = rig.service.firmware;
  const launcher = createEmbeddedLauncher({ servers: { strategy, tools }, discovery, catalogue, clock: rig.clock });
  const firmwares = [{ name: 'bios', manufacturer: '', version: '2.10.0' }];
  const asked = [
    await rig.desks.requests.scan({ server: 'alpha', client: 'c' }),
    await rig.desks.requests.update({ server: 'beta', firmwares, client: 'c' }),
    await rig.desks.requests.discover({ name: 'r640', client: 'c' }),
  ];
  const runner = startJobRunner(runnerParts(rig, { launcher }, { id: 'inside' }));
  const stateOf = async (id: string) => (await rig.engine.get(id))?.state;
  for (const { job } of asked) await until(rig.clock, async () => (await stateOf(job.id)) === 'succeeded');
  assert.deepEqual(done.toSorted(), ['scan', 'update']);
  const found = await rig.service.firmware.resolve({
    vendor: 'dell',
    model: 'PowerEdge R640',
    component: 'bios',
    version: '2.11.0',
  });
  assert.equal(found.length, 1);
  await runner.stop({ graceMs: 0 });
});

interface VendorRig {
  readonly implementations: readonly JobImplementation[];
  readonly sources?: readonly CatalogSource[];
}

/** Runs a scan, an update and a discovery for the same maker, with what somebody added. */
async function runVendorJobs(t: TestContext, { implementations, sources = discovery.sources }: VendorRig) {
  const rig = await setUpUpdates(t);
  await rig.addFirmware('2.10.0');
  rig.discovered.set('r640', { manufacturer: 'Dell Inc.', model: 'PowerEdge R640', versionsToStore: 3 });
  const byStrategy: string[] = [];
  const strategy: Strategy = {
    name: 'test',
    async update() {
      byStrategy.push('update');
      return { outcome: 'succeeded' };
    },
    async scan() {
      byStrategy.push('scan');
      return { outcome: 'succeeded' };
    },
  };
  const written: string[] = [];
  const sink = { write: async ({ target }: { target: string }) => void written.push(target) };
  const launcher = createEmbeddedLauncher({
    servers: { strategy, tools: { ...tools, inventorySink: sink } },
    discovery: { ...discovery, sources },
    implementations,
    ...{ catalogue: rig.service.firmware, clock: rig.clock },
  });
  const firmwares = [{ name: 'bios', manufacturer: '', version: '2.10.0' }];
  const asked = [
    await rig.desks.requests.scan({ server: 'alpha', client: 'c' }),
    await rig.desks.requests.update({ server: 'beta', firmwares, client: 'c' }),
    await rig.desks.requests.discover({ name: 'r640', client: 'c' }),
  ];
  const runner = startJobRunner(runnerParts(rig, { launcher }, { id: 'inside' }));
  const ended = async (id: string) => (await rig.engine.get(id))?.finalizedAt !== undefined;
  for (const { job } of asked) await until(rig.clock, () => ended(job.id));
  await runner.stop({ graceMs: 0 });
  const [scan, update, discovered] = await Promise.all(asked.map(({ job }) => rig.engine.get(job.id)));
  return { rig, byStrategy, written, scan, update, discovered };
}

const read: Extract<JobImplementation, { type: 'scan' | 'update' }>['run'] = async (
  work,
  { tools: { inventorySink } },
) => {
  await inventorySink.write({
    target: work.condition.target,
    inventory: { firmware: [], system: {} } as never,
    biosSettings: undefined,
    readAt: 1,
    lease: { conditionId: work.condition.id, token: work.lease.token },
  });
  return { outcome: 'succeeded' };
};

test('jobs of a manufacturer or of its model are done inside by what was added for them', async (t) => {
  const done: string[] = [];
  const noted =
    (name: string): typeof read =>
    async (work, given) => {
      done.push(`${name} ${given.job.manufacturer} ${given.job.model} ${(await given.strategy()).name}`);
      return await read(work, given);
    };
  const implementations: JobImplementation[] = [
    { type: 'scan', manufacturer: 'DELL', model: 'poweredge r640', run: noted('model') },
    { type: 'scan', manufacturer: 'Dell', run: noted('maker') },
    { type: 'update', manufacturer: 'Dell', run: noted('update') },
    { type: 'update', manufacturer: 'HPE', run: () => assert.fail('it is for others') },
    {
      type: 'discovery',
      manufacturer: 'Dell',
      async run(work, { job, harvest, keepImages }) {
        assert.equal(job.discovery?.versionsToStore, 3);
        const image = {
          component: 'bios',
          manufacturer: 'Dell',
          version: '9.0',
          models: [job.model],
          fileName: 'b.bin',
        };
        const place = { url: 'https://vendor.test/b.bin', checksum: sha, sizeBytes: undefined, softwareIds: [] };
        const kept = await keepImages(work, [{ ...image, ...place }]);
        harvest.keepDiscovered({
          firmwares: [{ name: 'bios', manufacturer: 'Dell', versions: ['9.0'] }],
          ...kept,
          observedAt: 1,
        });
        return { outcome: 'succeeded' };
      },
    },
  ];
  // It needs no catalogue.
  const ran = await runVendorJobs(t, { implementations, sources: [] });
  assert.deepEqual(ran.byStrategy, []);
  assert.deepEqual(done.toSorted(), ['model Dell Inc. PowerEdge R640 test', 'update Dell Inc. PowerEdge R640 test']);
  assert.deepEqual(
    [ran.scan, ran.update, ran.discovered].map((one) => one?.state),
    Array(3).fill('succeeded'),
  );
  assert.equal(ran.written.length, 2);
  assert.deepEqual(ran.discovered?.status.available, [{ name: 'bios', manufacturer: 'Dell', versions: ['9.0'] }]);
  const asked = { vendor: 'dell', model: 'PowerEdge R640', component: 'bios', version: '9.0' };
  assert.equal((await ran.rig.service.firmware.resolve(asked)).length, 1);
});

test('what was added and does not say what it read or found fails, and so does what cannot be told', async (t) => {
  const nothing = async () => ({ outcome: 'succeeded' }) as const;
  const silent = await runVendorJobs(t, {
    implementations: [
      { type: 'scan', manufacturer: 'Dell', run: nothing },
      { type: 'discovery', manufacturer: 'Dell', run: nothing },
    ],
  });
  assert.deepEqual([silent.scan?.reason?.code, silent.byStrategy], ['NothingRead', ['update']]);
  assert.equal(silent.discovered?.reason?.code, 'NothingFound');
  const odd = await runVendorJobs(t, {
    implementations: [
      {
        type: 'discovery',
        manufacturer: 'Dell',
        async run(_work, { harvest }) {
          const firmwares = [{ name: '', manufacturer: 'Dell', versions: ['1'] }];
          harvest.keepDiscovered({ firmwares, images: [], observedAt: 1 });
          return { outcome: 'succeeded' };
        },
      },
    ],
  });
  assert.match(odd.discovered?.reason?.message ?? '', /an empty name/);
});

test('a discovery that comes along says when no catalogue is set', async (t) => {
  const { discovered } = await runVendorJobs(t, { implementations: [], sources: [] });
  assert.deepEqual([discovered?.state, discovered?.reason?.code], ['failed', 'NoCatalog']);
});

test('a discovery inside tells how many images have no room in the store', async (t) => {
  const rig = await setUpUpdates(t);
  rig.discovered.set('r640', { manufacturer: 'Dell Inc.', model: 'PowerEdge R640', versionsToStore: 3 });
  const fetch = async () =>
    Promise.reject(new StoreError('noRoom', { bytes: 1, source: 'bios.exe', limit: 1, used: 1 }));
  const store = { fetch } as unknown as FirmwareStore;
  const launcher = createEmbeddedLauncher({ discovery, store, catalogue: rig.service.firmware, clock: rig.clock });
  const { job } = await rig.desks.requests.discover({ name: 'r640', client: 'c' });
  const runner = startJobRunner(runnerParts(rig, { launcher }, { id: 'inside' }));
  await until(rig.clock, async () => (await rig.engine.get(job.id))?.state === 'succeeded');
  const { status } = (await rig.engine.get(job.id)) ?? {};
  assert.deepEqual([status?.images, status?.images_not_kept], [1, 1]);
  await runner.stop({ graceMs: 0 });
});
