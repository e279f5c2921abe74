import type { Hardware } from '../../machine/hardware.ts';
import { codeOf, labelAlphabet, type Random, uuidOf } from '../parts/fleet-numbers.ts';
import { type AdapterPlan, assembleHardware, type HardwarePlan, slotsOf } from '../parts/hardware-plan.ts';
import { dimmChoices, driveChoices, processorChoices } from '../parts/part-lines.ts';

/** The Lenovo servers that are simulated. */
export const lenovoModels = ['ThinkSystem SR630', 'ThinkSystem SR650', 'ThinkSystem SR670'] as const;

type LenovoModel = (typeof lenovoModels)[number];

const lenovoOui = '08:94:EF';
const mellanoxOui = 'B8:59:9F';

const onBoard: AdapterPlan = {
  slot: 'ob-1',
  model: 'Intel X722 LOM',
  manufacturer: 'Intel',
  oui: lenovoOui,
  portIds: ['NIC1', 'NIC2'],
  speedMbps: 10_000,
};

const inSlot = (slot: string, firstPort: number): AdapterPlan => ({
  slot,
  model: 'Mellanox ConnectX-4 Lx 10/25GbE SFP28 2-port PCIe Ethernet Adapter',
  manufacturer: 'Mellanox',
  oui: mellanoxOui,
  portIds: [`NIC${firstPort}`, `NIC${firstPort + 1}`],
  speedMbps: 25_000,
});

const shared = {
  processorSlots: ['1', '2'],
  dimmSlots: slotsOf(['DIMM '], 16),
  driveSlots: slotsOf(['Disk'], 8),
  psuSlots: ['PSU1', 'PSU2'],
  bmcOui: lenovoOui,
} as const;

const models: Readonly<Record<LenovoModel, { readonly sku: string; readonly plan: HardwarePlan }>> = {
  'ThinkSystem SR630': {
    sku: '7X02CTO1WW',
    plan: {
      ...shared,
      processors: [processorChoices.gold6230],
      dimms: [dimmChoices.samsungDdr4Slow, dimmChoices.hynixDdr4],
      drives: [driveChoices.micron5300, driveChoices.seagateExos],
      adapters: [onBoard, inSlot('slot-1', 3)],
      psuModels: ['SP57A02023', 'SP57A02025'],
    },
  },
  'ThinkSystem SR650': {
    sku: '7X06CTO1WW',
    plan: {
      ...shared,
      processors: [processorChoices.gold6230, processorChoices.gold6248r],
      dimms: [dimmChoices.samsungDdr4Slow, dimmChoices.hynixDdr4],
      drives: [driveChoices.micron5300, driveChoices.seagateExos],
      adapters: [onBoard, inSlot('slot-1', 3)],
      psuModels: ['SP57A02023', 'SP57A02025'],
    },
  },
  'ThinkSystem SR670': {
    sku: '7Y37CTO1WW',
    plan: {
      ...shared,
      processors: [processorChoices.gold6330, processorChoices.platinum8380],
      dimms: [dimmChoices.samsungDdr4, dimmChoices.micronDdr4],
      drives: [driveChoices.samsungPm9a3, driveChoices.kioxiaCd6],
      adapters: [onBoard, inSlot('slot-1', 3), inSlot('slot-4', 5)],
      psuModels: ['SP57A14693'],
    },
  },
};

/** One ThinkSystem. */
export function describeLenovo(order: {
  readonly model: string;
  readonly index: number;
  readonly random: Random;
}): Hardware {
  const known = models[order.model as LenovoModel] ?? models['ThinkSystem SR650'];
  const code = codeOf({ index: order.index, width: 5, alphabet: labelAlphabet });
  const identity = {
    model: order.model,
    sku: known.sku,
    serial: `J30${code}`,
    uuid: uuidOf({ index: order.index, random: order.random }).toUpperCase(),
    boardSerial: `A1NN81${code}`,
    bmcSerial: `XCC81${code}`,
  };
  return assembleHardware(known.plan, identity, order);
}
