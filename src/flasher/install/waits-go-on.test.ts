import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSteppedClock } from '../../../simulator/index.ts';
import { createGates } from '../../bmc/index.ts';
import { sleep } from '../../kube/index.ts';
import { noMetrics, silentLogger } from '../../telemetry/index.ts';
import { createFlasherMetrics } from '../flasher-metrics.ts';
import type { Firmware } from '../plan/firmware.ts';
import { leaseWork, storeWork } from '../testing/fake-work.ts';
import { type ProcessEnd, plainParameters, startFlasherRig } from '../testing/flasher-rig.ts';
import { createMortal } from '../testing/mortal.ts';
import type { InstallContext } from './ports.ts';
import { beginProgress } from './progress.ts';
import { runInstall } from './run-install.ts';
import { defaultInstallSettings } from './settings.ts';

const minute = 60_000;

test('a wait of ten minutes for a self-test that shows no progress ends though no worker lives for seven', async (context) => {
  const rig = await startFlasherRig(context, 'supermicro-x12');
  const firmware = await rig.release('bios');
  const order = rig.order({ firmwares: [firmware] });
  const lives: string[] = [];
  let end: ProcessEnd = { outcome: 'killed' };
  for (let life = 1; life <= 10 && end.outcome === 'killed'; life += 1) {
    end = await rig.process(order, { diesAfterMs: 7 * minute });
    lives.push(`${String(order.progress.state)} ${end.outcome}`);
    await rig.within(({ clock }) => sleep(clock, minute));
  }
  const story = `${lives.join('\n')}\n${JSON.stringify(end, null, 1)}\n${rig.machine.log.text()}`;
  assert.equal(end.outcome, 'succeeded', story);
  assert.equal(rig.versionOf('bios'), firmware.version, story);
  assert.deepEqual(rig.flashes().length, 1, story);
  assert.ok(lives.length <= 4, story);
});

test('a worker that resumes after the time to follow an update sees what came of it, also where the BMC is away at first', async (context) => {
  const rig = await startFlasherRig(context, 'lenovo-xcc');
  const firmware = await rig.release('bios');
  const order = rig.order({ firmwares: [firmware] });
  const first = await rig.process(order, { mortal: createMortal((what) => what === 'stored following') });
  assert.equal(first.outcome, 'killed', JSON.stringify(first));
  await rig.within(({ clock }) => sleep(clock, defaultInstallSettings.followMs + 5 * minute));
  rig.setFaults([{ kind: 'connection-reset', moment: 'before-reading', untilMs: 3 * minute }]);
  const end = await rig.process(order);
  assert.equal(end.outcome, 'succeeded', JSON.stringify(end, null, 1));
});

test('a worker that resumes after the time to restore the power of a cancelled install still restores it', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9', { arePoweredOn: false });
  const order = rig.order({ firmwares: [await rig.release('bios')] });
  let isCancelled = false;
  const mortal = createMortal((what) => {
    if (what === 'stored fetching' && !isCancelled) {
      isCancelled = true;
      order.cancel = { at: Date.UTC(2026, 0, 1), isForced: false, by: 'operator' };
    }
    return what === 'stored restoring-power';
  });
  const first = await rig.process(order, { mortal });
  assert.equal(first.outcome, 'killed', JSON.stringify(first));
  await rig.within(({ clock }) => sleep(clock, 20 * minute));
  assert.equal(rig.machine.power.state, 'On');
  const end = await rig.process(order);
  assert.ok(end.outcome === 'failed', JSON.stringify(end));
  assert.equal(rig.machine.power.state, 'Off', rig.machine.log.text());
});

test('an update that its BMC keeps and never starts is given up, however often it is asked for', async (context) => {
  const rig = await startFlasherRig(context, 'supermicro-x12');
  const order = rig.order({ firmwares: [await rig.release('bios')] });
  rig.setFaults([{ kind: 'busy', method: 'POST', path: '*StartUpdate*' }]);
  const end = await rig.process(order);
  assert.ok(end.outcome === 'failed', JSON.stringify(end));
  assert.equal(end.reason.code, 'NoProgress');
  assert.match(end.reason.message, /may still be writing it until/);
  assert.deepEqual(rig.flashes(), []);
});

test('work whose inventory never says where the BMC is goes back to the engine', async () => {
  const clock = createSteppedClock();
  const stored = storeWork({ kind: 'firmwareInstall', parameters: {} });
  const servers = { find: () => new Promise<never>(() => {}) };
  const context = { servers, clock } as unknown as InstallContext;
  const done = runInstall(leaseWork(stored, { mortal: createMortal(), clock }), plainParameters, context);
  const ended = assert.rejects(done, { code: 'inventorySilent', retry: 'transient' });
  await clock.advance(5 * minute);
  await ended;
  clock.close();
});

test('a step that never ends is left behind with its time, and changes nothing when it wakes up', async () => {
  const clock = createSteppedClock();
  const woken = Promise.withResolvers<readonly Firmware[]>();
  const context: InstallContext = {
    gates: createGates({ clock, random: () => 0.5 }),
    servers: {
      find: async () => ({
        endpoint: {
          origin: 'http://127.0.0.1:9',
          credentials: async () => ({ username: 'u', password: 'p' }),
          trust: { kind: 'system', allowsHttp: true },
        },
      }),
    },
    catalogue: { readSet: () => woken.promise },
    artifacts: {
      bytesUsed: async () => 0,
      close: async () => {},
      open: () => Promise.reject(new Error('no images here')),
    },
    imageAddress: () => undefined,
    clock,
    random: () => 0.5,
    logger: silentLogger,
    metrics: createFlasherMetrics(noMetrics),
    settings: defaultInstallSettings,
  };
  const stored = storeWork({ kind: 'firmwareInstall', parameters: {} });
  const began = { ...beginProgress(clock.now()), state: 'planning', records: [{ ts: '', msg: 'a worker died' }] };
  stored.progress = structuredClone(began) as never;
  stored.leases = 1;
  const work = leaseWork(stored, { mortal: createMortal(), clock });
  const done = runInstall(work, { ...plainParameters, firmwareSetId: 'set' }, context);
  await clock.advance(31 * minute);
  const end = await done;
  assert.ok(end.outcome === 'failed', JSON.stringify(end));
  assert.equal(end.reason.code, 'Timeout');
  assert.match(end.reason.message, /^planning was not over after \d+ minutes/);
  const before = structuredClone(stored);
  woken.resolve([]);
  await clock.advance(90 * minute);
  assert.deepEqual(stored, before);
  await context.gates.close();
  clock.close();
});
