import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personalityNames, personalityOf, startDataCentre } from '../../../simulator/index.ts';
import { connectBmc, createGates, setPower, waitForPost } from '../../bmc/index.ts';
import { defaultInstallSettings } from '../../flasher/index.ts';
import { systemClock } from '../../kube/index.ts';
import { embeddedImages, inFastTime } from './embedded-flashers.ts';

const settings = { dataDir: '/data', allowUnverifiedFirmware: false, egressHosts: undefined, egressSchemes: [] };

test('the flashers of "up" take images below the folder that was named, and no other files', () => {
  assert.deepEqual(embeddedImages({ ...settings, imageFolder: '/srv/firmware' }).fileFolders, ['/srv/firmware']);
  assert.equal(embeddedImages({ ...settings, imageFolder: undefined }).fileFolders, undefined);
});

for (const speed of [60, 200, 300, 2000]) {
  test(`a queued update is seen to wait for its host long before its time is over, ${speed} times as fast`, () => {
    const { startPatienceMs = 0, followMs = 0 } = inFastTime(speed);
    assert.ok(startPatienceMs * 10 <= followMs, `${startPatienceMs} of ${followMs} ms`);
  });
}

for (const speed of [1, 5, 60, 200, 300, 2000]) {
  test(`a self-test that its BMC shows nothing of is waited for until it is over and not much longer, ${speed} times as fast`, () => {
    const { post } = { ...defaultInstallSettings, ...inFastTime(speed) };
    assert.ok(post.assumedMs < post.deadlineMs && post.lastStepMs < post.deadlineMs, JSON.stringify(post));
    assert.ok(post.assumedMs <= Math.max(2000, (10 * 60_000) / speed), JSON.stringify(post));
    for (const { name, timings } of personalityNames.map(personalityOf)) {
      assert.ok((1.5 * (timings.powerOnMs + timings.postMs)) / speed < post.assumedMs, name);
    }
  });
}

test('a Supermicro of a rack in fast time is through its self-test when that is taken to be over', async (context) => {
  const speed = 300;
  const dataCentre = await startDataCentre({
    ...{ seed: 1, servers: 1, personalities: ['supermicro-x12'], isPlain: true, addressing: 'port', speed },
    arePoweredOn: true,
  });
  context.after(() => dataCentre.close());
  const gates = createGates({ clock: systemClock });
  context.after(() => gates.close());
  const [simulated] = dataCentre.bmcs;
  assert.ok(simulated);
  const { machine, url: origin, username, password } = simulated;
  const bmc = connectBmc({
    ...{ gates, clock: systemClock, random: Math.random },
    endpoint: {
      ...{ origin, trust: { kind: 'system', allowsHttp: true } },
      credentials: async () => ({ username, password }),
    },
  });
  const { signMs, post } = { ...defaultInstallSettings, ...inFastTime(speed) };
  const began = performance.now();
  await setPower(bmc, { target: 'reset', signMs });
  assert.equal((await waitForPost(bmc, post)).by, 'assumed');
  const tookMs = performance.now() - began;
  assert.ok(tookMs < 12_000, `${tookMs} ms`);
  const events = machine.log.events.map(({ event }) => event);
  assert.ok(events.lastIndexOf('post.done') > events.lastIndexOf('post.begin'), machine.log.text());
});
