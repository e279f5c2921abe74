import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Strategy, StrategyTools } from '../../jobs/index.ts';
import {
  noTracer,
  openTracer,
  pathOfSpan,
  startOtlpReceiver,
  type Tracer,
  traced,
  traceparentHere,
} from '../../telemetry/index.ts';
import { createEmbeddedLauncher } from '../launchers/embedded-launcher.ts';
import { jobFileOf } from '../launchers/job-access.ts';
import type { Launcher } from '../launchers/launcher.ts';
import { createOutsideJobs, runnerParts } from '../testing/outside-jobs.ts';
import { setUpUpdates, type UpdateRig, until } from '../testing/update-rig.ts';
import { startJobRunner } from './job-runner.ts';

async function collected(t: TestContext) {
  const receiver = await startOtlpReceiver();
  t.after(() => receiver.close());
  const tracer = await openTracer({ endpoint: receiver.url, service: 'test' });
  const spans = async () => {
    await tracer.close();
    return receiver.spans;
  };
  return { tracer, spans };
}

/** Asks for a scan as a call would, and runs it. */
async function scan(rig: UpdateRig, tracer: Tracer, launcher: Launcher, isDone: () => boolean) {
  const { job } = await tracer.trace({ name: 'call', kind: 'server' }, () =>
    rig.desks.requests.scan({ server: 'alpha', client: 'c' }),
  );
  const runner = startJobRunner(runnerParts(rig, { launcher }, { id: 'life-1', tracer }));
  await until(rig.clock, isDone);
  await runner.stop();
  return job;
}

function insideLauncher(rig: UpdateRig, scanOnce: Strategy['scan']): Launcher {
  const strategy = { name: 'test', update: scanOnce, scan: scanOnce };
  return createEmbeddedLauncher({
    servers: { strategy, tools: {} as StrategyTools },
    discovery: { reader: { read: async () => ({ entries: [], seen: 0, held: 0 }) }, sources: [] },
    catalogue: rig.service.firmware,
    clock: rig.clock,
  });
}

const fileParts = { updateService: { url: 'http://127.0.0.1:1' }, bmcOf: async () => undefined };

/** Jobs outside, and the files that they would be launched with. */
function filesOf(tracesEndpoint: string | undefined) {
  const jobs = createOutsideJobs();
  const files: Awaited<ReturnType<typeof jobFileOf>>[] = [];
  const launcher: Launcher = {
    ...jobs.launcher,
    async launch(order) {
      files.push(await jobFileOf(order, { ...fileParts, tracesEndpoint }));
      return await jobs.launcher.launch(order);
    },
  };
  return { launcher, files };
}

test('a job inside works as part of the trace of its call', async (t) => {
  const rig = await setUpUpdates(t);
  const { tracer, spans } = await collected(t);
  let isDone = false;
  const launcher = insideLauncher(rig, async () => {
    await traced({ name: 'GET /redfish/v1/', kind: 'client' }, async () => undefined);
    isDone = true;
    return { outcome: 'succeeded' };
  });
  await scan(rig, tracer, launcher, () => isDone);
  const sent = await spans();
  const last = sent.find(({ name }) => name === 'GET /redfish/v1/') ?? assert.fail();
  assert.deepEqual(pathOfSpan(sent, last), ['call', 'order inventoryOOB', 'work inventoryOOB', last.name]);
});

test('a job outside is told the trace that it is launched in, and where its spans go', async (t) => {
  const rig = await setUpUpdates(t);
  const { tracer, spans } = await collected(t);
  const { launcher, files } = filesOf('http://collector.test:4318');
  await scan(rig, tracer, launcher, () => files.length === 1);
  const sent = await spans();
  const launch = sent.find(({ name }) => name === 'launch inventoryOOB') ?? assert.fail();
  assert.deepEqual(pathOfSpan(sent, launch), ['call', 'order inventoryOOB', 'launch inventoryOOB']);
  const parent = `00-${launch.traceId}-${launch.spanId}-01`;
  assert.deepEqual(files[0]?.traces, { endpoint: 'http://collector.test:4318', parent });
});

test('a job that cannot be launched ends its span as failed', async (t) => {
  const rig = await setUpUpdates(t);
  const { tracer, spans } = await collected(t);
  let tries = 0;
  const launcher: Launcher = {
    ...createOutsideJobs().launcher,
    async launch() {
      tries += 1;
      throw new Error('no room');
    },
  };
  await scan(rig, tracer, launcher, () => tries === 1);
  const launch = (await spans()).find(({ name }) => name === 'launch inventoryOOB') ?? assert.fail();
  assert.equal(launch.status?.message, 'Error');
});

test('without traces nothing of them is stored, told to a job or seen by it', async (t) => {
  const rig = await setUpUpdates(t);
  const { launcher, files } = filesOf(undefined);
  const job = await scan(rig, noTracer, launcher, () => files.length === 1);
  assert.equal('traceparent' in ((await rig.engine.get(job.id)) ?? assert.fail()), false);
  assert.deepEqual(Object.keys(files[0] ?? {}).sort(), ['jobId', 'token', 'updateService']);
  const seen: unknown[] = [];
  const other = await setUpUpdates(t);
  const inside = insideLauncher(other, async ({ condition }) => {
    seen.push(traceparentHere(), condition.traceparent);
    return { outcome: 'succeeded' };
  });
  await scan(other, noTracer, inside, () => seen.length > 0);
  assert.deepEqual(seen, [undefined, undefined]);
});
