import type { Hardware } from '../../machine/hardware.ts';
import { codeOf, labelAlphabet, type Random, uuidOf } from '../parts/fleet-numbers.ts';
import { type AdapterPlan, assembleHardware, type HardwarePlan, slotsOf } from '../parts/hardware-plan.ts';
import { dimmChoices, driveChoices, processorChoices } from '../parts/part-lines.ts';

/** The Supermicro servers that are simulated. */
export const supermicroModels = ['SYS-620U-TNR', 'SYS-120U-TNR'] as const;

const supermicroOui = '3C:EC:EF';

const onBoard: AdapterPlan = {
  slot: '1',
  model: 'AOC-UR-i4XT',
  manufacturer: 'Supermicro',
  oui: supermicroOui,
  portIds: ['1', '2', '3', '4'],
  speedMbps: 10_000,
};

const inSlot: AdapterPlan = {
  slot: '2',
  model: 'AOC-S25GC-i2S',
  manufacturer: 'Supermicro',
  oui: supermicroOui,
  portIds: ['5', '6'],
  speedMbps: 25_000,
};

const shared = {
  processorSlots: ['1', '2'],
  processors: [processorChoices.gold6330, processorChoices.platinum8380],
  dimmSlots: slotsOf(['P1-DIMM', 'P2-DIMM'], 8),
  dimms: [dimmChoices.samsungDdr4, dimmChoices.micronDdr4],
  driveSlots: Array.from({ length: 8 }, (_, bay) => `Disk.Bay.${bay}`),
  drives: [driveChoices.samsungPm9a3, driveChoices.kioxiaCd6],
  psuSlots: ['PowerSupply1', 'PowerSupply2'],
  bmcOui: supermicroOui,
} as const;

const plans: Readonly<Record<(typeof supermicroModels)[number], HardwarePlan>> = {
  'SYS-620U-TNR': { ...shared, adapters: [onBoard, inSlot], psuModels: ['PWS-1K23A-1R', 'PWS-1K22A-1R'] },
  'SYS-120U-TNR': { ...shared, adapters: [onBoard], psuModels: ['PWS-1K23A-1R'] },
};

/** One Supermicro server. */
export function describeSupermicro(order: {
  readonly model: string;
  readonly index: number;
  readonly random: Random;
}): Hardware {
  const plan = plans[order.model as (typeof supermicroModels)[number]] ?? plans['SYS-620U-TNR'];
  const code = codeOf({ index: order.index, width: 7, alphabet: labelAlphabet });
  const identity = {
    model: order.model,
    sku: '091715D9',
    serial: `S4${code}00`,
    uuid: uuidOf({ index: order.index, random: order.random, prefix: '00000000' }),
    boardSerial: `UM22${code}`,
    bmcSerial: `WM21${code}`,
  };
  return assembleHardware(plan, identity, order);
}
