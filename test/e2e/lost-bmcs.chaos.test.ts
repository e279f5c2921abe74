import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createScaledClock } from '../../simulator/index.ts';
import { until } from '../../src/hosts/testing/rig.ts';
import { allSay, spoilEach, startLostBmcs } from './lost-bmcs-fleet.ts';

const [servers, faulty, limitSeconds] = [200, 12, 120];

test('of 200 servers with 6 % of their BMCs lost exactly these are in trouble within two minutes, by all that tells', async (t) => {
  // As shipped, and in real time.
  const fleet = await startLostBmcs({ servers, clock: createScaledClock({ speed: 1 }) });
  t.after(() => fleet.close());
  await fleet.whenAvailable();
  const names = fleet.centre.bmcs.map(({ name }) => name);
  const broken = spoilEach(names, Math.floor(servers / faulty), faulty);
  assert.equal(broken.size, faulty);
  const begun = performance.now();
  await fleet.spoil(broken);
  const seconds = new Map<string, number>();
  await Promise.all(
    [...broken].map(async ([name, kind]) => {
      await until(fleet.api.hosts, name, ({ status }) => status?.operationalStatus === 'error');
      seconds.set(`${name} ${kind}`, Math.round((performance.now() - begun) / 1000));
    }),
  );
  console.error([...seconds].map(([name, after]) => `${name}: ${after} s`).join('\n'));
  assert.deepEqual(await fleet.told(), allSay(broken.keys()));
  for (const [name, after] of seconds) assert.ok(after <= limitSeconds, `${name}: ${after} s`);
});
