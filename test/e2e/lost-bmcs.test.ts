import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createScaledClock } from '../../simulator/index.ts';
import { until } from '../../src/hosts/testing/rig.ts';
import { allSay, lostBmcFaults, spoilEach, startLostBmcs } from './lost-bmcs-fleet.ts';

const second = 1000;

describe('a fleet of which some BMCs cannot be reached', () => {
  let fleet: Awaited<ReturnType<typeof startLostBmcs>>;
  let broken: ReadonlyMap<string, string>;
  const power = (): number =>
    fleet.centre.bmcs.flatMap(({ machine }) => machine.log.events.filter(({ event }) => event.startsWith('power.')))
      .length;
  let switched = 0;

  before(async () => {
    // Ten times as fast; where everything waits for the processor, time does too.
    const clock = createScaledClock({ speed: 10, mostAtOnceMs: 20 });
    fleet = await startLostBmcs({ servers: 16, clock, lookMs: 40 * second, settings: { powerPollMs: 20 * second } });
    await fleet.whenAvailable();
    broken = spoilEach(
      fleet.centre.bmcs.map(({ name }) => name),
      3,
      lostBmcFaults.size,
    );
    switched = power();
  });
  after(() => fleet.close());

  it('says of exactly these that they are in trouble, and why', async () => {
    await fleet.spoil(broken);
    for (const [name, kind] of broken) {
      const host = await until(fleet.api.hosts, name, ({ status }) => status?.operationalStatus === 'error');
      assert.match(host.status?.errorMessage ?? '', lostBmcFaults.get(kind) ?? assert.fail());
    }
    assert.deepEqual(await fleet.told(), allSay(broken.keys()));
  });

  it('says of none that it is once they answer, and has not disturbed one', async () => {
    await fleet.spoil(new Map());
    for (const [name, kind] of broken) {
      if (kind === 'password') await fleet.setPassword(name, fleet.centre.bmc(name).password);
    }
    for (const [name] of broken) {
      const host = await until(
        fleet.api.hosts,
        name,
        ({ status }) => status?.operationalStatus === 'OK' && status.errorType === undefined,
      );
      assert.equal(host.status?.provisioning.state, 'available');
    }
    assert.deepEqual(await fleet.told(), allSay([]));
    assert.equal(power(), switched);
  });
});
