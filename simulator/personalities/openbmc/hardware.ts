import type { Hardware } from '../../machine/hardware.ts';
import { codeOf, labelAlphabet, type Random, uuidOf } from '../parts/fleet-numbers.ts';
import { type AdapterPlan, assembleHardware, type HardwarePlan } from '../parts/hardware-plan.ts';
import { dimmChoices, driveChoices, processorChoices } from '../parts/part-lines.ts';

/** The Open Compute boards that are simulated. */
export const openbmcModels = ['Mt. Jade', 'Tioga Pass'] as const;

const wiwynnOui = 'B4:05:5D';
const mellanoxOui = '0C:42:A1';

const adapter = (slot: string, firstPort: number, model: string): AdapterPlan => ({
  slot,
  model,
  manufacturer: 'Mellanox Technologies',
  oui: mellanoxOui,
  portIds: [`eth${firstPort}`, `eth${firstPort + 1}`],
  speedMbps: 50_000,
});

const shared = {
  processorSlots: ['cpu0', 'cpu1'],
  dimmSlots: Array.from({ length: 16 }, (_, place) => `dimm${place}`),
  driveSlots: Array.from({ length: 8 }, (_, place) => `nvme${place}`),
  drives: [driveChoices.samsungPm9a3, driveChoices.kioxiaCd6],
  psuSlots: ['powersupply0', 'powersupply1'],
  bmcOui: wiwynnOui,
} as const;

const plans: Readonly<Record<(typeof openbmcModels)[number], HardwarePlan>> = {
  'Mt. Jade': {
    ...shared,
    processors: [processorChoices.altraQ80, processorChoices.altraM128],
    dimms: [dimmChoices.samsungDdr4, dimmChoices.micronDdr4],
    adapters: [adapter('nic0', 0, 'ConnectX-6 Dx OCP3.0'), adapter('nic1', 2, 'ConnectX-6 Dx OCP3.0')],
    psuModels: ['WWN-2000W-A'],
  },
  'Tioga Pass': {
    ...shared,
    processors: [processorChoices.gold6230, processorChoices.gold6248r],
    dimms: [dimmChoices.samsungDdr4Slow, dimmChoices.hynixDdr4],
    adapters: [adapter('nic0', 0, 'ConnectX-4 Lx OCP2.0'), adapter('nic1', 2, 'ConnectX-4 Lx OCP2.0')],
    psuModels: ['WWN-1100W-B'],
  },
};

/** One Open Compute server. */
export function describeOpenbmc(order: {
  readonly model: string;
  readonly index: number;
  readonly random: Random;
}): Hardware {
  const plan = plans[order.model as (typeof openbmcModels)[number]] ?? plans['Mt. Jade'];
  const code = codeOf({ index: order.index, width: 7, alphabet: labelAlphabet });
  const identity = {
    model: order.model,
    sku: order.model === 'Tioga Pass' ? 'B91.00X10.0001' : 'B81.030Z1.0007',
    serial: `B81030Z${code}`,
    uuid: uuidOf({ index: order.index, random: order.random }),
    boardSerial: `PT2B${code}`,
    bmcSerial: `PT2BMC${code}`,
  };
  return assembleHardware(plan, identity, order);
}
