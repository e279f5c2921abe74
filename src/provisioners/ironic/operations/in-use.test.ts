import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Deployment, PowerOrder } from '../../provisioner.ts';
import { inUseStates } from '../node/index.ts';
import { createTestBench } from '../testing/index.ts';

const deployment: Deployment = { image: { url: 'http://files/image', checksum: 'x' }, bootMode: 'UEFI' };
const provision = { isForced: false, deployment, config: {} };
const off: PowerOrder = { target: 'off', mode: 'hard', isForced: true, isRetry: false };

for (const state of inUseStates) {
  test(`nothing is done to a node in ${state} that runs what nobody here deployed, and it is said why`, async (t) => {
    const bench = await createTestBench(t);
    bench.bmc.isOn = true;
    const runs = { instance_info: { image_source: 'http://files/another' }, power_state: 'power on' } as const;
    await bench.node(state, runs);
    for (const isRetry of [false, true]) {
      const outcomes = [
        await bench.at().inspect({ isRetry, isRefresh: true, isForced: true, bootMode: 'UEFI' }),
        await bench.at().prepare({ isRetry, isWanted: true, settings: { ProcTurboMode: 'Disabled' } }),
        await bench.at().provision({ ...provision, isRetry }),
        await bench.at().setPower({ ...off, isRetry, isOnlyIfUnused: true }),
        await bench.at().deprovision({ isRetry, cleaningMode: 'metadata', attempted: { image: deployment.image } }),
        await bench.at().deprovision({ isRetry, cleaningMode: 'metadata', attempted: {} }),
      ];
      // A step that stopped until somebody says go on is waited for.
      const [first, ...others] = outcomes;
      for (const outcome of state === 'service hold' ? others : [first, ...others]) {
        assert.deepEqual(outcome?.kind === 'failed' ? outcome.isInUse : outcome, true);
      }
    }
    assert.deepEqual(bench.changes(), []);
    assert.equal(bench.bmc.isOn, true);
  });
}

for (const state of ['manageable', 'available', 'clean failed', 'deploy failed', 'inspect failed'] as const) {
  test(`a node in ${state} is switched off though only unused ones may be`, async (t) => {
    const bench = await createTestBench(t);
    bench.bmc.isOn = true;
    await bench.node(state, { power_state: 'power on' });
    await bench.drive.done(() => bench.at().setPower({ ...off, isOnlyIfUnused: true }));
    assert.equal(bench.bmc.isOn, false);
  });
}

test('a node that is off already is done with, whatever is on it', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('active', { power_state: 'power off' });
  assert.equal((await bench.at().setPower({ ...off, isOnlyIfUnused: true })).kind, 'done');
});

const attempts = [
  ['an image', { instance_info: { image_source: 'http://files/image' } }, { image: deployment.image }],
  [
    'an image of a registry',
    { instance_info: { image_source: 'oci://files/image@sha256:abc' } },
    { image: { url: 'oci://files/image:v1' } },
  ],
  ['a live ISO', { instance_info: { boot_iso: 'http://files/iso' } }, { image: { url: 'http://files/iso' } }],
  ['a custom deploy', { deploy_interface: 'custom-agent' }, {}],
] as const;
for (const [name, runs, attempted] of attempts) {
  test(`what was attempted is taken off a node that came to run it: ${name}`, async (t) => {
    const bench = await createTestBench(t);
    const node = await bench.node('active', runs);
    await bench.drive.done(() => bench.at().deprovision({ isRetry: false, cleaningMode: 'metadata', attempted }));
    assert.equal(node.provision_state, 'available');
  });
}
