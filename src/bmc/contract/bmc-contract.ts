import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isBmcError } from '../errors.ts';
import { machineIdOf, readFirmware, readInventory } from '../inventory/index.ts';
import { readPower, resetManager, setPower, waitForPost } from '../power/index.ts';
import { listSystems, readCollection, systemOf } from '../redfish/index.ts';
import { installUntilVerified } from '../update/testing/install-until-verified.ts';
import { changeBios } from './change-bios.ts';
import { type ContractTarget, lackedBy, type RunningTarget } from './target.ts';
import { tryEvents } from './try-events.ts';
import { tryLack } from './try-lacks.ts';
import {
  tryBootOverride,
  tryIndicator,
  tryLastingBootOverride,
  trySecureBoot,
  tryVirtualMedia,
} from './try-settings.ts';

/**
 * What the way to a BMC promises, tried on one: everything that src/bmc is used for, through the same doors. Run on
 * every kind of simulated BMC and on emulators that others wrote; a target names what it can be held to.
 */
export function bmcContract(target: ContractTarget): void {
  // One BMC is tried step by step, whatever else runs beside it.
  describe(`the contract of a BMC: ${target.name}`, { concurrency: false }, () => {
    const { capabilities } = target;
    let running: RunningTarget | undefined;
    const there = (): RunningTarget => {
      assert.ok(running, 'the target runs');
      return running;
    };
    before(async () => {
      running = await target.start();
    });
    after(() => running?.close());

    for (const lacked of tellWhatIsNotTried(target)) {
      test(`says that it lacks ${lacked}`, () => tryLack(there(), lacked));
    }
    tryReading(there);
    tryPower(there, target);
    if (capabilities.hasFirmware === true) tryFirmware(there);
    if (capabilities.bootOverride === 'once')
      test('boots once from the network, and takes it back', () => tryBootOverride(there()));
    if (capabilities.bootOverride === 'lasting')
      test('boots from the network from now on, and says so', () => tryLastingBootOverride(there()));
    if (capabilities.bios !== undefined) test('changes BIOS settings and changes them back', () => changeBios(there()));
    if (capabilities.hasVirtualMedia === true) test('inserts and ejects a medium', () => tryVirtualMedia(there()));
    if (capabilities.hasSecureBoot === true) test('switches secure boot', () => trySecureBoot(there()));
    if (capabilities.hasIndicator === true) test('switches the light', () => tryIndicator(there()));
    if (capabilities.hasEventStream === true) test('hears of events', () => tryEvents(there()));
    if (capabilities.hasUpdate === true) test('takes a new BIOS', () => tryUpdate(there()));
    if (capabilities.hasManagerReset === true) tryManagerReset(there);
    test('leaves no session behind', async () => {
      const count = await there().countSessions?.();
      if (count !== undefined) assert.equal(count, 0);
    });
  });
}

/** Nothing is left out silently. */
function tellWhatIsNotTried({ name, capabilities }: ContractTarget): readonly string[] {
  const lacked = lackedBy(capabilities);
  if (lacked.length > 0) process.stderr.write(`${name} is not held to ${lacked.join(', ')}\n`);
  return lacked;
}

function tryReading(there: () => RunningTarget): void {
  test('says whose it is and where things are', () =>
    there().asProcess(async (bmc) => {
      const root = await bmc.root();
      assert.equal(root.vendor, there().hardware.vendor);
      assert.match(root.redfishVersion, /^\d+\.\d+/);
      assert.ok((await readCollection(bmc, root.systems)).members.length > 0);
    }));

  test('names its system, and its machine by the UUID of it', () =>
    there().asProcess(async (bmc) => {
      const { path } = await systemOf(bmc);
      assert.ok((await listSystems(bmc)).some((system) => system.path === path));
      assert.equal(await machineIdOf(bmc), there().hardware.uuid.toLowerCase());
    }));

  test('shows all that the machine is made of, with no other gaps than it has', () =>
    there().asProcess(async (bmc) => {
      const { hardware, capabilities } = there();
      const inventory = await readInventory(bmc);
      assert.deepEqual(inventory.gaps.map(({ path }) => path).toSorted(), (hardware.missing ?? []).toSorted());
      assert.equal(inventory.vendor, hardware.vendor);
      assert.equal(inventory.system.uuid, hardware.uuid.toLowerCase());
      if (hardware.processors !== undefined) assert.equal(inventory.processors.length, hardware.processors);
      if (hardware.memory !== undefined) assert.equal(inventory.memory.length, hardware.memory);
      if (hardware.drives !== undefined) assert.equal(inventory.drives.length, hardware.drives);
      if (hardware.macs !== undefined) {
        assert.deepEqual(inventory.ports.map(({ mac }) => mac).toSorted(), hardware.macs.toSorted());
      }
      if (capabilities.hasNeighbours === true) {
        const linked = inventory.ports.filter(({ isLinkUp }) => isLinkUp === true);
        assert.ok(linked.length > 0 && linked.every(({ neighbour }) => neighbour !== undefined));
      }
    }));

  test('says clearly that a resource is not there', () =>
    there().asProcess(async (bmc) => {
      const missing = readCollection(bmc, '/redfish/v1/Systems/there-is-no-such-system/Memory');
      await assert.rejects(missing, (error) => isBmcError(error, 'notFound', 'refused'));
    }));
}

function tryFirmware(there: () => RunningTarget): void {
  test('lists its firmware, each place once, with BIOS and BMC as they run', () =>
    there().asProcess(async (bmc) => {
      const { hardware } = there();
      const { slots, gaps } = await readFirmware(bmc);
      assert.ok(
        gaps.every(({ path }) => hardware.missing?.includes(path) === true),
        JSON.stringify(gaps),
      );
      assert.equal(new Set(slots.map(({ slot }) => slot)).size, slots.length);
      const active = (component: string) =>
        slots.filter((slot) => slot.component === component && slot.isBackup !== true).map(({ version }) => version);
      if (hardware.biosVersion !== undefined) assert.deepEqual(active('bios'), [hardware.biosVersion]);
      if (hardware.bmcVersion !== undefined) assert.deepEqual(active('bmc'), [hardware.bmcVersion]);
    }));
}

function tryPower(there: () => RunningTarget, { capabilities }: ContractTarget): void {
  test('switches the host off and on, and does nothing when it is so already', () =>
    there().asProcess(async (bmc) => {
      await setPower(bmc, { target: 'on' });
      const off = await setPower(bmc, { target: 'off' });
      assert.deepEqual([off.before, off.after, off.isConfirmed], ['on', 'off', true]);
      assert.equal((await readPower(bmc)).state, 'off');
      assert.deepEqual((await setPower(bmc, { target: 'off' })).sent, []);
      const on = await setPower(bmc, { target: 'on' });
      assert.deepEqual([on.before, on.after], ['off', 'on']);
      assert.deepEqual((await setPower(bmc, { target: 'on' })).sent, []);
      if (capabilities.hasBootProgress === true) assert.notEqual((await waitForPost(bmc)).by, 'assumed');
    }));

  if (capabilities.hasGracefulShutdown === true) {
    test('shuts the host down gracefully', () =>
      there().asProcess(async (bmc) => {
        const off = await setPower(bmc, { target: 'off', isGraceful: true });
        assert.deepEqual([off.after, off.wasForced], ['off', false]);
        await setPower(bmc, { target: 'on' });
      }));
  }

  if (capabilities.hasReset === true) {
    test('restarts the host, and turns on one that is off by that', () =>
      there().asProcess(async (bmc) => {
        for (const target of ['reset', 'cycle'] as const) {
          assert.notDeepEqual((await setPower(bmc, { target })).sent, []);
          assert.equal((await readPower(bmc)).state, 'on');
        }
        await setPower(bmc, { target: 'off' });
        assert.equal((await setPower(bmc, { target: 'reset' })).after, 'on');
      }));
  }
}

async function tryUpdate(target: RunningTarget): Promise<void> {
  const goal = await target.biosUpdate?.();
  assert.ok(goal, 'the target has a newer BIOS');
  const found = await target.asProcess((bmc) => installUntilVerified(bmc, goal));
  assert.equal(found.kind, 'installed', JSON.stringify(found));
}

function tryManagerReset(there: () => RunningTarget): void {
  test('restarts, comes back, and goes on as before; the host does not notice', () =>
    there().asProcess(async (bmc) => {
      const before = await readPower(bmc);
      const { wasAway } = await resetManager(bmc);
      assert.equal(wasAway, true);
      assert.equal((await readPower(bmc)).state, before.state);
      assert.equal(bmc.gate.state.mode, 'open');
    }));
}
