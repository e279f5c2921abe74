import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkOutcome } from '../../engine/index.ts';
import type { Strategy, StrategyTools } from '../../jobs/index.ts';
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
  sources: [{ format: 'plain', location: 'https://catalogue.test/' } as const],
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
