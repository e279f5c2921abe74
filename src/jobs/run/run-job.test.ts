import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Inventory } from '../../bmc/index.ts';
import { EngineError, type Work } from '../../engine/index.ts';
import { defaultInstallSettings } from '../../flasher/index.ts';
import { noTracer, startOtlpReceiver, traceparentHere } from '../../telemetry/index.ts';
import { createTaskClient } from '../api/task-client.ts';
import { encodeJobFile, type JobFile } from '../job-file.ts';
import type { JobWork } from '../job-work.ts';
import type { Strategy, StrategyTools } from '../strategies/strategy.ts';
import { createFakeUpdateService, type KeptJob } from '../testing/fake-update-service.ts';
import { type RunJobOptions, runJob } from './run-job.ts';

const update: JobWork = {
  kind: 'firmwareInstall',
  target: 'server/1',
  parameters: { firmwares: [] },
  server: 'rack-1',
};

function inventoryOf(...firmware: readonly Partial<Inventory['firmware'][number]>[]): Inventory {
  return {
    vendor: 'generic',
    system: { path: '/redfish/v1/Systems/1', manufacturer: 'Dell Inc.' },
    firmware,
    gaps: [],
    drives: [],
    processors: [],
    memory: [],
    ports: [],
  } as unknown as Inventory;
}

async function write(work: Work, tools: StrategyTools, inventory: Inventory): Promise<void> {
  const lease = { conditionId: work.condition.id, token: work.lease.token };
  await tools.inventorySink.write({
    target: work.condition.target,
    inventory,
    biosSettings: undefined,
    readAt: 1000,
    lease,
  });
}

const done = { outcome: 'succeeded' } as const;
const reads: Strategy['scan'] = async (work, tools) => {
  await write(work, tools, inventoryOf({ component: 'bios', version: '2.19.1' }));
  return done;
};

interface Rig {
  readonly service: ReturnType<typeof createFakeUpdateService>;
  readonly job: KeptJob;
  run(strategy: Partial<Strategy>, more?: Partial<RunJobOptions>): ReturnType<typeof runJob>;
}

function rigOf(job: Partial<KeptJob> = {}, traces?: JobFile['traces'], more: Partial<JobFile> = {}): Rig {
  const service = createFakeUpdateService();
  const kept = service.add({ id: 'job-1', work: update, ...job });
  const updateService = { url: 'http://127.0.0.1:1' };
  const jobFile: JobFile = {
    ...{ jobId: 'job-1', token: kept.token, updateService },
    ...(traces === undefined ? {} : { traces }),
    ...more,
  };
  return {
    service,
    job: kept,
    run: (strategy, more) =>
      runJob({
        jobFile,
        transport: service.transport,
        random: () => 0,
        loadStrategy: async () => ({ name: 'mine', update: async () => done, scan: reads, ...strategy }),
        ...more,
      }),
  };
}

function taskOf(job: KeptJob) {
  return createTaskClient({ url: job.address, token: job.token });
}

test('a job stands in the line of all who upload, and gives its place back', async () => {
  const { service, job, run } = rigOf({ slots: -3 });
  const asked: string[] = [];
  service.onCall = (name) => void asked.push(name);
  let held = 0;
  const end = await run({
    async update(work) {
      const giveBack = await work.acquireSlot('upload');
      held = job.slots;
      await giveBack();
      return done;
    },
  });
  assert.deepEqual([end.outcome, held, job.slots], ['succeeded', 1, 0]);
  assert.equal(asked.filter((name) => name === 'AcquireUploadSlot').length, 4);
});

test('a job that lost its lease in the line stops', async () => {
  const { service, job, run } = rigOf({ slots: -1000 });
  service.onCall = (name) => {
    if (name === 'AcquireUploadSlot') job.isLost = true;
  };
  const end = await run({
    async update(work) {
      await work.acquireSlot('upload');
      return assert.fail('it has no slot');
    },
  });
  assert.equal(end.outcome, 'lost');
});

test('a job is as patient as its file says, and as usual in all that the file does not say', async () => {
  const patience = { followMs: 77, verify: { consecutiveReads: 5, deadlineMs: 8, poll: { first: 1, most: 2 } } };
  const { run } = rigOf({}, undefined, { patience });
  let seen: StrategyTools['settings'] | undefined;
  await run({
    async update(_work, tools) {
      seen = tools.settings;
      return done;
    },
  });
  assert.deepEqual(seen, { ...defaultInstallSettings, ...patience });
});

test('an update job works, keeps what it did, and tells what is installed afterwards', async () => {
  const { job, run } = rigOf({ progress: '{"step":1}' });
  const end = await run({
    async update(work) {
      assert.deepEqual(work.condition.progress, { step: 1 });
      assert.equal(work.condition.target, 'server/1');
      await work.report({
        progress: { step: 2 },
        status: { percent: 40, message: 'half' },
        sessionUri: '/s/1',
        isCancelUnsafe: true,
      });
      await work.check();
      return { outcome: 'succeeded', status: { percent: 100, message: 'done' } };
    },
  });
  assert.deepEqual(end, { outcome: 'succeeded' });
  assert.equal(job.progress, '{"step":2}');
  assert.equal(job.status, '{"percent":100,"message":"done"}');
  assert.equal(job.sessionUri, '/s/1');
  assert.equal(job.isCancelUnsafe, false);
  assert.equal(job.server?.server?.name, 'rack-1');
  const [bios] = job.server?.firmwares ?? [];
  assert.deepEqual([bios?.name, bios?.manufacturer, bios?.version], ['bios', 'Dell Inc.', '2.19.1']);
  assert.match(job.server?.inventoryJson ?? '', /2\.19\.1/);
});

test('of several parts of one maker every version is told, and spare banks are not', async () => {
  const { job, run } = rigOf({ type: 'SCAN', work: { ...update, kind: 'inventoryOOB' } });
  await run({
    async scan(work, tools) {
      const nic = { component: 'nic', vendor: 'Intel' } as const;
      const bmc = { component: 'bmc', version: '7.0.0' } as const;
      await write(
        work,
        tools,
        inventoryOf({ ...nic, version: '22.5.7' }, { ...nic, version: '22.0.9' }, bmc, {
          ...bmc,
          version: '6.0.0',
          isBackup: true,
        }),
      );
      return done;
    },
  });
  const told = job.server?.firmwares.map(({ name, manufacturer, version }) => `${name}/${manufacturer}/${version}`);
  assert.deepEqual(told, ['bmc/Dell Inc./7.0.0', 'nic/Intel/22.5.7', 'nic/Intel/22.0.9']);
});

test('a job that fails says why, and one that fails in passing is to be done again', async () => {
  const failing = rigOf();
  const end = await failing.run({
    update: async () => ({ outcome: 'failed', reason: { code: 'BadImage', message: 'it is broken' } }),
  });
  assert.deepEqual(end, { outcome: 'failed', reason: 'BadImage', message: 'it is broken' });
  assert.deepEqual(failing.job.failure, { reason: 'BadImage', message: 'it is broken', isTransient: false });

  const passing = rigOf();
  const away = Object.assign(new Error('the BMC is away'), { code: 'unreachable', retry: 'transient' });
  assert.equal((await passing.run({ update: () => Promise.reject(away) })).outcome, 'released');
  assert.deepEqual(passing.job.failure, { reason: 'Released', message: 'the BMC is away', isTransient: true });
});

test('an update after which nothing could be read is not told as done', async () => {
  const { job, run } = rigOf();
  assert.equal((await run({ scan: async () => done })).outcome, 'failed');
  assert.equal(job.failure?.reason, 'NothingRead');
});

test('the update service may be away at any time: the job tries again and ends once', async () => {
  const { service, job, run } = rigOf();
  const calls: string[] = [];
  const isFirst = (name: string): boolean => calls.filter((each) => each === name).length === 1;
  service.onCall = (name) => {
    calls.push(name);
    service.isAway = isFirst(name);
  };
  assert.equal((await run({})).outcome, 'succeeded');
  assert.equal(job.takes, 1);
  assert.ok(calls.filter((name) => name === 'UpdateServer').length >= 2, String(calls));
});

test('a job whose lease is lost stops at once and writes nothing', async () => {
  const { job, run } = rigOf();
  let wasStopped = false;
  const end = await run({
    async update(work) {
      job.isLost = true;
      await assert.rejects(work.report(), (error) => error instanceof EngineError && error.code === 'leaseLost');
      wasStopped = work.signal.aborted;
      return done;
    },
  });
  assert.equal(end.outcome, 'lost');
  assert.equal(wasStopped, true);
  assert.equal(job.ended, undefined);
});

test('a job that nobody knows ends without work', async () => {
  const { service, run } = rigOf();
  service.jobs.clear();
  const end = await run({ update: () => assert.fail('it worked') });
  assert.deepEqual(end, { outcome: 'lost', message: 'there is no such job' });
});

test('a cancel of the update service is heard with the next report, at a safe point', async () => {
  const { job, run } = rigOf();
  const safe: string[] = [];
  await run({
    async update(work) {
      await work.report({ isCancelUnsafe: true });
      job.isCancelAsked = true;
      await work.report();
      safe.push('still at work');
      await work.report({ isCancelUnsafe: false });
      return assert.fail('it went on');
    },
  });
  assert.deepEqual(safe, ['still at work']);
  assert.equal(job.failure?.reason, 'Cancelled');
});

test('a job that goes on with a flash of its life before does not stop in the middle of it', async () => {
  const { job, run } = rigOf({ work: { ...update, isCancelUnsafe: true } });
  job.isCancelAsked = true;
  const safe: string[] = [];
  await run({
    async update(work) {
      await work.report();
      safe.push('still at work');
      await work.report({ isCancelUnsafe: false });
      return assert.fail('it went on');
    },
  });
  assert.deepEqual(safe, ['still at work']);
  assert.equal(job.failure?.reason, 'Cancelled');
});

test('a job that is let go of in the middle of a flash is given back, though somebody asked to cancel it', async () => {
  const { job, run } = rigOf();
  const end = await run({
    async update(work) {
      await work.report({ isCancelUnsafe: true });
      job.isCancelAsked = true;
      await work.report();
      return { outcome: 'released', why: 'the worker stops' };
    },
  });
  assert.equal(end.outcome, 'released');
  assert.equal(job.failure?.isTransient, true);
});

test('CancelTask wakes a job that waits, and it ends as cancelled', async () => {
  const { job, run } = rigOf();
  await run({
    async update(work) {
      await taskOf(job).cancel({ timeoutMs: 60_000, isForced: false });
      await work.pause(3_600_000);
      return assert.fail('it went on');
    },
  });
  assert.equal(job.failure?.reason, 'Cancelled');
  assert.match(job.failure?.message ?? '', /CancelTask/);
});

test('a forced CancelTask cuts off after its time what is at no safe point', async () => {
  const { job, run } = rigOf();
  const end = await run({
    async update(work) {
      await work.report({ isCancelUnsafe: true, status: { percent: 7, message: 'a flash goes on' } });
      const { percent, message, isCancelUnsafe } = await taskOf(job).get();
      assert.deepEqual([percent, message, isCancelUnsafe], [7, 'a flash goes on', true]);
      await taskOf(job).cancel({ timeoutMs: 1, isForced: true });
      await new Promise((resolve) => work.signal.addEventListener('abort', resolve));
      throw work.signal.reason;
    },
  });
  assert.equal(end.outcome, 'failed');
  assert.equal(job.failure?.reason, 'Cancelled');
});

test('the interface of a job lets nobody in without its token', async () => {
  const { job, run } = rigOf();
  await run({
    async update() {
      const stranger = createTaskClient({ url: job.address, token: 'guess' });
      await assert.rejects(stranger.cancel({ timeoutMs: 1, isForced: true }), /unauthenticated/);
      await assert.rejects(stranger.get(), /unauthenticated/);
      return done;
    },
  });
  assert.equal(job.ended, 'succeeded');
});

test('a process that is told to stop gives its job back at a safe point', async () => {
  const { job, run } = rigOf();
  const stopping = new AbortController();
  const end = await run(
    {
      async update(work) {
        stopping.abort();
        await work.pause(3_600_000);
        return assert.fail('it went on');
      },
    },
    { stopping: stopping.signal },
  );
  assert.equal(end.outcome, 'released');
  assert.equal(job.failure?.isTransient, true);
});

test('the implementation for the model is taken before that for the maker and that for all', async () => {
  const { job, run } = rigOf({ manufacturer: 'Dell Inc.', model: 'PowerEdge  R640' });
  const by: string[] = [];
  const implementation = (name: string, of: { manufacturer?: string; model?: string }) => ({
    type: 'update' as const,
    ...of,
    run: async (work: Work, { tools }: { tools: StrategyTools }) => {
      by.push(name);
      return reads(work, tools);
    },
  });
  const implementations = [
    implementation('model', { manufacturer: 'DELL', model: 'poweredge r640' }),
    implementation('maker', { manufacturer: 'Dell' }),
    implementation('other', { manufacturer: 'HPE', model: 'poweredge r640' }),
    implementation('all', {}),
  ];
  await run(
    { update: () => assert.fail('the strategy was asked') },
    { loadImplementations: async () => implementations },
  );
  assert.deepEqual(by, ['model']);
  assert.equal(job.ended, 'succeeded');
});

test('a job file that others can read, or that is none, is refused without showing what is in it', async (context: TestContext) => {
  const folder = await mkdtemp(join(tmpdir(), 'job-file-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'job.json');
  const { service, job } = rigOf();
  await writeFile(
    path,
    encodeJobFile({ jobId: 'job-1', token: job.token, updateService: { url: 'http://127.0.0.1:1' } }),
  );
  await chmod(path, 0o644);
  await assert.rejects(runJob({ jobFile: path, transport: service.transport }), /0600/);
  await writeFile(path, '{"token":"very-secret", oops');
  await chmod(path, 0o600);
  await assert.rejects(
    runJob({ jobFile: path }),
    (error: Error) => /no JSON/.test(error.message) && !/very-secret/.test(error.message),
  );
  await writeFile(path, '{"token":"very-secret","jobId":7}');
  await assert.rejects(
    runJob({ jobFile: path }),
    (error: Error) => /jobId/.test(error.message) && !/very-secret/.test(error.message),
  );
});

test('a result that the update service does not take fails the job, instead of leaving it to the end of its lease', async () => {
  const { service, job, run } = rigOf();
  service.refuses = 'UpdateServer';
  assert.equal((await run({})).outcome, 'failed');
  assert.equal(job.failure?.reason, 'ReportRefused');
});

test('of a strategy that hands on versions alone, versions alone are told', async () => {
  const { job, run } = rigOf({ type: 'SCAN', work: { ...update, kind: 'inventoryOOB' } });
  await run({
    async scan(work, tools) {
      await write(work, tools, {
        firmware: [{ component: 'bios', version: '1.0' }],
        system: {},
      } as unknown as Inventory);
      return done;
    },
  });
  assert.equal(job.server?.inventoryJson, '');
  assert.equal(job.server?.firmwares[0]?.version, '1.0');
});

const parent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

test('a job that is told a trace works as part of it, and its spans are sent before it ends', async (context) => {
  const receiver = await startOtlpReceiver();
  context.after(() => receiver.close());
  const { run } = rigOf(
    { type: 'SCAN', work: { ...update, kind: 'inventoryOOB' } },
    { endpoint: receiver.url, parent },
  );
  let here: string | undefined;
  const end = await run({
    async scan(work, tools) {
      here = traceparentHere();
      return await reads(work, tools);
    },
  });
  assert.deepEqual(end, { outcome: 'succeeded' });
  const [span, ...others] = receiver.spans;
  assert.deepEqual(
    [span?.name, span?.traceId, span?.parentSpanId],
    ['work inventoryOOB', 'a'.repeat(32), 'b'.repeat(16)],
  );
  assert.equal(here, `00-${span?.traceId}-${span?.spanId}-01`);
  assert.deepEqual(others, []);
});

test('a collector that is away is no failure of a job, and without one there are no traces', async () => {
  const scan = { type: 'SCAN', work: { ...update, kind: 'inventoryOOB' } } as const;
  const close = async () => assert.fail('the collector is away');
  const away = await rigOf(scan).run({}, { openTraces: async () => ({ ...noTracer, close }) });
  assert.deepEqual(away, { outcome: 'succeeded' });
  let here: string | undefined = 'not asked';
  const end = await rigOf(scan).run({
    async scan(work, tools) {
      here = traceparentHere();
      return await reads(work, tools);
    },
  });
  assert.deepEqual([end, here], [{ outcome: 'succeeded' }, undefined]);
});

test('a job that is asked to stop before it began does not begin', async () => {
  const { job, run } = rigOf();
  let hasBegun = false;
  const end = await run(
    {
      async update(work) {
        hasBegun = true;
        await work.report();
        return assert.fail('it was asked to stop');
      },
    },
    {
      onListening: (url) => createTaskClient({ url, token: job.token }).cancel({ timeoutMs: 60_000, isForced: false }),
    },
  );
  assert.deepEqual([end.outcome, job.failure?.reason, hasBegun], ['failed', 'Cancelled', false]);
});

test('a job whose result was taken and whose answer was lost has succeeded', async () => {
  const { service, job, run } = rigOf();
  const told: string[] = [];
  service.onAnswer = (name) => {
    told.push(name);
    if (name === 'UpdateServer' && told.filter((one) => one === name).length === 1) throw new Error('connection reset');
  };
  const end = await run({});
  assert.deepEqual([end.outcome, job.ended], ['succeeded', 'succeeded']);
});
