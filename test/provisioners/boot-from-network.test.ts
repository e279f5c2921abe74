import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
  createScaledClock,
  type DataCentre,
  personalityNames,
  type RunningBmc,
  startDataCentre,
} from '../../simulator/index.ts';
import { createGates, type Gates } from '../../src/bmc/index.ts';
import { createEngine, type Engine, openSqliteDatabase } from '../../src/engine/index.ts';
import { createDrive } from '../../src/provisioners/contract/drive.ts';
import {
  createEngineDesk,
  createRedfishProvisioners,
  openHostRecords,
  type Provisioner,
  type Provisioners,
} from '../../src/provisioners/index.ts';

const registration = {
  ...{ isRetry: false, haveCredentialsChanged: false, isExternallyProvisioned: true },
  ...({ bootMode: 'UEFI', cleaningMode: 'disabled' } as const),
};

describe('a machine whose BMC is to start it from the network', { concurrency: true }, () => {
  const clock = createScaledClock({ speed: 200, mostAtOnceMs: 100 });
  const drive = createDrive(() => delay(20));
  const ends: (() => Promise<unknown>)[] = [async () => clock.close()];
  let centre: DataCentre;
  let gates: Gates;
  let engine: Engine;
  let provisioners: Provisioners;
  before(async () => {
    centre = await startDataCentre({
      seed: 5,
      servers: personalityNames.length,
      isPlain: true,
      clock,
      addressing: 'port',
    });
    ends.push(() => centre.close());
    const database = await openSqliteDatabase({ path: ':memory:', clock });
    ends.push(() => database.close());
    engine = await createEngine({ database, kinds: [], clock });
    ends.push(() => engine.close());
    gates = createGates({ clock, settings: { deadlineMs: 1_200_000, connectMs: 1_200_000 } });
    ends.push(() => gates.close());
    provisioners = createRedfishProvisioners({
      trustOf: () => ({ kind: 'system', allowsHttp: true }),
      ...{ gates, records: await openHostRecords(database), clock, desk: createEngineDesk(engine) },
      // This machine may be slow, and its time runs fast.
      ...{ catalogue: { find: async () => undefined }, lookMs: 1_200_000 },
    });
    ends.push(() => provisioners.close());
  });
  after(async () => {
    for (const end of ends.reverse()) await end();
  });

  const at = ({ url, systemPath, username, password }: RunningBmc, name: string): Provisioner =>
    provisioners.of({
      ...{ namespace: 'fleet', name, isPowerOffDisabled: false },
      bmc: {
        address: `redfish+${url}${systemPath}`,
        isCertificateUnchecked: false,
        credentials: { username, password },
      },
    });

  /** What a machine booted from, one after the other, once it did that so many times. */
  const boots = async ({ machine }: RunningBmc, count: number): Promise<readonly (string | undefined)[]> => {
    const seen = () => machine.log.events.filter(({ event }) => event === 'boot').map(({ detail }) => detail);
    while (seen().length < count) await delay(20);
    return seen();
  };

  for (const [index, personality] of personalityNames.entries()) {
    it(`boots from there, off or on, and from its disk again after that: ${personality}`, async () => {
      const bmc = centre.bmcs[index];
      assert.ok(bmc);
      assert.equal(bmc.machine.personality.name, personality);
      const host = at(bmc, personality);
      const boot = () => drive.done(() => host.bootFromNetwork?.() ?? assert.fail('it cannot'));
      assert.deepEqual(await host.bootFromNetwork?.(), { kind: 'unregistered' });
      await drive.done(() => host.register(registration));
      assert.equal(bmc.machine.power.state, 'Off');
      await boot();
      assert.deepEqual(await boots(bmc, 1), ['from=pxe']);
      await boot();
      assert.deepEqual(await boots(bmc, 2), ['from=pxe', 'from=pxe']);
      await drive.done(() => host.setPower({ target: 'reboot', mode: 'hard', isForced: false, isRetry: false }));
      assert.deepEqual(await boots(bmc, 3), ['from=pxe', 'from=pxe', 'from=disk']);
    });
  }
});
