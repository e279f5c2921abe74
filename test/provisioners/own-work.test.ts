import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { isFinal, openSqliteDatabase, targetOf } from '../../src/engine/index.ts';
import { systemClock } from '../../src/kube/index.ts';
import { createDrive } from '../../src/provisioners/contract/index.ts';
import { fixedBootTokens, openAgents, type Provisioners, type ReachedHost } from '../../src/provisioners/index.ts';
import { type RedfishRig, startRedfishRig } from './redfish-rig.ts';

const reason = 'the machine is worked on past its provisioner';
const registration = {
  isRetry: false,
  haveCredentialsChanged: true,
  isExternallyProvisioned: true,
  bootMode: 'UEFI',
  cleaningMode: 'disabled',
} as const;

/** Hosts of one rig, by the provisioner that knows its BMC alone, and by one that has agents write the disks beside it. */
const kinds: Readonly<Record<string, (rig: RedfishRig) => Promise<{ provisioners: Provisioners; close(): unknown }>>> =
  {
    'its BMC alone': async ({ provisioners }) => ({ provisioners, close: () => {} }),
    'its BMC and an agent': async ({ provisioners: beside }) => {
      const database = await openSqliteDatabase({ path: ':memory:', clock: systemClock });
      const agents = await openAgents({ database, bootTokens: fixedBootTokens('a-boot-token-of-the-tests'), beside });
      const close = async (): Promise<void> => {
        agents.close();
        await database.close();
      };
      return { provisioners: agents.allHosts, close };
    },
  };

for (const [name, open] of Object.entries(kinds)) {
  describe(`a host in use whose firmware is changed by the engine, looked after by ${name}`, () => {
    const drive = createDrive(() => delay(20));
    let rig: RedfishRig;
    let opened: Awaited<ReturnType<typeof open>>;
    let host: ReachedHost;
    const at = () => opened.provisioners.of(host);
    before(async () => {
      rig = await startRedfishRig('dell-idrac9');
      opened = await open(rig);
      host = { ...rig.host, uid: 'uid-1' };
      const { id } = await drive.done(() => at().register(registration));
      host = { ...host, id };
      await drive.done(() => at().adopt({ isRetry: false }));
    });
    after(async () => {
      await opened.close();
      await rig.close();
    });

    const service = { ticket: 'one', isSpecified: true, settings: { ProcTurboMode: 'Disabled' } };
    const machine = (): string => rig.bmc.machine.hardware.uuid.toLowerCase();
    const openConditions = async (): Promise<number> =>
      (await rig.engine.list({ target: targetOf(machine()) })).conditions.filter(({ state }) => !isFinal(state)).length;

    it('says how far that is, and that its machine is worked on', async () => {
      // No worker begins it.
      await rig.engine.machines.setHold(machine(), { code: 'Held', message: 'until it was looked at' });
      assert.equal((await drive.taken(() => at().service(service))).kind, 'continue');
      await drive.done(() => at().setMaintenance(reason));
      const followed = await at().service(service);
      assert.equal(followed.kind, 'continue', JSON.stringify(followed));
      assert.match(followed.kind === 'continue' ? (followed.progress ?? '') : '', /^BIOS settings: /);
      const seen = await drive.done(() => at().look());
      assert.equal(seen.maintenance, reason);
      rig.setFaults([{ kind: 'connection-reset', moment: 'before-reading' }]);
      const lost = await drive.done(() => at().look());
      assert.equal(lost.bmcProblem?.kind, 'expected', 'work on a BMC restarts it');
      rig.setFaults([]);
    });

    it('gives it up', async () => {
      assert.equal(await openConditions(), 1);
      const { left } = await drive.done(() => at().service({ ticket: 'one', isSpecified: false }));
      assert.deepEqual(left?.settings, service.settings);
      assert.equal(await openConditions(), 0);
      await drive.done(() => at().setMaintenance(undefined));
      assert.equal((await drive.done(() => at().look())).maintenance, undefined);
    });
  });
}
