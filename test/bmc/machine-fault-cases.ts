import assert from 'node:assert/strict';
import { type PersonalityName, personalityNames } from '../../simulator/index.ts';
import { readBmcClock, readInventory, readPower, setBmcClock, setPower, waitForPost } from '../../src/bmc/index.ts';
import type { FaultCase } from './fault-case.ts';
import { install } from './install.ts';

const minute = 60_000;
const year = 365 * 24 * 60 * minute;

const hosts: readonly FaultCase[] = [
  {
    kind: 'host-stays-down',
    title: 'a host that does not come back after a reset is told with its power state, and not sent further resets',
    ending: {
      does: 'fails',
      code: 'deadline',
      says: [/turning on \/redfish\S+ on the BMC at http:\S+ was not over after \d+ ms/, /power state is Off/],
    },
    rules: [{}],
    withinMs: 20 * minute,
    async work({ bmc, events }) {
      try {
        await setPower(bmc, { target: 'reset', deadlineMs: 10 * minute });
      } finally {
        assert.equal(events('power.reset').length, 1);
      }
      return undefined;
    },
  },
  {
    kind: 'host-stays-down',
    title: 'the self-test of a host that stays down is given up at its deadline, with what was seen last',
    ending: {
      does: 'fails',
      code: 'deadline',
      says: [/the self-test \(POST\) on the BMC at http:\S+/, /last seen: power Off/],
    },
    rules: [{}],
    withinMs: 60 * minute,
    async work({ bmc }) {
      await setPower(bmc, { target: 'off' });
      await setPower(bmc, { target: 'on', deadlineMs: 2 * minute }).catch(() => undefined);
      await waitForPost(bmc, { deadlineMs: 20 * minute });
      return undefined;
    },
  },
  {
    kind: 'host-stays-down',
    title: 'a host that comes back late is waited for',
    ending: { does: 'waits', leastMs: 5 * minute },
    rules: [{ durationMs: 5 * minute }],
    withinMs: 60 * minute,
    async work({ bmc, machine }) {
      await setPower(bmc, { target: 'reset' });
      await waitForPost(bmc);
      assert.equal(machine.power.state, 'On');
      return undefined;
    },
  },
];

const inventories: readonly FaultCase[] = [
  {
    kind: 'wrong-inventory',
    title: 'an update is not called installed while the inventory says otherwise',
    ending: {
      does: 'fails',
      code: 'not-installed',
      says: [/has \S.* and not \S+|the firmware inventory has (no|nothing)/],
    },
    rules: [{ component: 'bios', afterMs: minute }],
    withinMs: 4 * 60 * minute,
    // On OpenBMC the system itself is asked as well, and what runs is the truth.
    personalities: personalityNames.filter((name) => name !== 'openbmc'),
    async work(visit) {
      const told = await install(visit.bmc, await visit.release('bios'));
      assert.ok(['other-version', 'unreadable'].includes(told.code), JSON.stringify(told));
      return { ...told, code: 'not-installed' };
    },
  },
  {
    kind: 'wrong-inventory',
    title: 'an inventory that is wrong at times is read until it is right several times in a row',
    ending: { does: 'verifies' },
    rules: [{ component: 'bios', afterMs: minute, rate: 0.02 }],
    withinMs: 4 * 60 * minute,
    personalities: ['supermicro-x12'],
    async work(visit) {
      return install(visit.bmc, await visit.release('bios'));
    },
  },
  {
    kind: 'wrong-inventory',
    title: 'an inventory is completed, or its contradiction told, by what the system says that it runs',
    ending: { does: 'verifies' },
    rules: [{ component: 'bios' }],
    async work({ machine, bmc }) {
      const real = machine.firmware.find(({ component }) => component === 'bios')?.version ?? '';
      const { firmware, gaps } = await readInventory(bmc);
      const seen = firmware.filter(({ component, isBackup }) => component === 'bios' && isBackup !== true);
      const isTold = gaps.some(({ reason }) => reason.startsWith(`it says bios ${real}, the firmware inventory says`));
      assert.ok(isTold || seen.some(({ version }) => version === real), JSON.stringify({ seen, gaps }));
      assert.ok(firmware.length >= machine.firmware.length - 1, 'the rest is unharmed');
      return undefined;
    },
  },
];

/** BMCs that let their clock be set. */
const settable: readonly PersonalityName[] = ['hpe-ilo5', 'hpe-ilo6', 'lenovo-xcc', 'supermicro-x12', 'openbmc'];

const clocks: readonly FaultCase[] = [
  {
    kind: 'clock-off',
    title: 'a BMC that thinks it is 2006 is trusted by its authority, read in full, and its clock is shown to be off',
    ending: { does: 'bears' },
    rules: [{}],
    room: { isPlain: false, trustOf: async (_, { caPem = '' }) => ({ kind: 'ca', caPem }) },
    async work({ bmc }) {
      const { manager, gaps } = await readInventory(bmc);
      assert.deepEqual(gaps, []);
      assert.ok((manager?.clockOffsetMs ?? 0) < -19 * year, `${manager?.clockOffsetMs}`);
      return undefined;
    },
  },
  {
    kind: 'clock-off',
    title: 'a BMC that is years ahead is trusted by its fingerprint, and its clock is shown to be off',
    ending: { does: 'bears' },
    rules: [{ durationMs: 15 * year }],
    room: {
      isPlain: false,
      trustOf: async (running) => ({ kind: 'fingerprint', sha256: (await running.fingerprint()) ?? '' }),
    },
    async work({ bmc }) {
      const { manager } = await readInventory(bmc);
      assert.ok((manager?.clockOffsetMs ?? 0) > 14 * year, `${manager?.clockOffsetMs}`);
      return undefined;
    },
  },
  {
    kind: 'clock-off',
    title: 'the clock is set right',
    ending: { does: 'bears' },
    rules: [{}],
    personalities: settable,
    async work({ bmc }) {
      await setBmcClock(bmc);
      const { offsetMs } = await readBmcClock(bmc);
      assert.ok(Math.abs(offsetMs ?? year) < minute, `${offsetMs}`);
      return undefined;
    },
  },
  {
    kind: 'clock-off',
    title: 'an update whose answer was lost is found although its task is dated 2006, and is not sent again',
    ending: { does: 'verifies' },
    rules: [
      {},
      ...['*pdate*', '/cgi-bin/*'].map((path) => ({
        kind: 'connection-reset' as const,
        method: 'POST',
        path,
        moment: 'after-acting' as const,
        times: 1,
      })),
    ],
    async work(visit) {
      return install(visit.bmc, await visit.release('bios'));
    },
  },
];

const certificates: readonly FaultCase[] = [
  {
    kind: 'certificate-changed',
    title: 'a new certificate of the same authority is as good as the old one',
    ending: { does: 'bears' },
    rules: [{}],
    room: { isPlain: false, trustOf: async (_, { caPem = '' }) => ({ kind: 'ca', caPem }) },
    async work({ bmc }) {
      await readPower(bmc);
      return undefined;
    },
  },
];

/** Faults of the host, the inventory, the BMC's clock and its certificate. */
export const machineFaultCases: readonly FaultCase[] = [...hosts, ...inventories, ...clocks, ...certificates];
