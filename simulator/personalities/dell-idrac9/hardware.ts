import type { Hardware } from '../../machine/hardware.ts';
import { codeOf, labelAlphabet, type Random, uuidOf } from '../parts/fleet-numbers.ts';
import { type AdapterPlan, assembleHardware, type HardwarePlan, slotsOf } from '../parts/hardware-plan.ts';
import { dimmChoices, driveChoices, processorChoices } from '../parts/part-lines.ts';

/** The Dell servers that are simulated. */
export const dellModels = ['PowerEdge R640', 'PowerEdge R750'] as const;

const dellOui = 'D0:94:66';
const mellanoxOui = 'B8:CE:F6';

const broadcomQuad: AdapterPlan = {
  slot: 'NIC.Integrated.1',
  model: 'Broadcom NetXtreme Gigabit Ethernet (BCM5720)',
  manufacturer: 'Broadcom Inc. and subsidiaries',
  oui: dellOui,
  portIds: ['NIC.Integrated.1-1-1', 'NIC.Integrated.1-2-1'],
  speedMbps: 1000,
};

const broadcom25G: AdapterPlan = {
  slot: 'NIC.Integrated.1',
  model: 'Broadcom Adv. Dual 25Gb Ethernet',
  manufacturer: 'Broadcom Inc. and subsidiaries',
  oui: dellOui,
  portIds: ['NIC.Integrated.1-1-1', 'NIC.Integrated.1-2-1'],
  speedMbps: 25_000,
};

const connectX = (model: string, slot: string, speedMbps: number): AdapterPlan => ({
  slot,
  model,
  manufacturer: 'Mellanox Technologies',
  oui: mellanoxOui,
  portIds: [`${slot}-1-1`, `${slot}-2-1`],
  speedMbps,
});

const shared = {
  processorSlots: ['CPU.Socket.1', 'CPU.Socket.2'],
  dimmSlots: slotsOf(['DIMM.Socket.A', 'DIMM.Socket.B'], 8),
  psuSlots: ['PSU.Slot.1', 'PSU.Slot.2'],
  bmcOui: dellOui,
} as const;

const plans: Record<(typeof dellModels)[number], HardwarePlan> = {
  'PowerEdge R640': {
    ...shared,
    processors: [processorChoices.gold6230, processorChoices.gold6248r],
    dimms: [dimmChoices.samsungDdr4Slow, dimmChoices.hynixDdr4],
    driveSlots: bays('Disk.Bay.', ':Enclosure.Internal.0-1:RAID.Integrated.1-1'),
    drives: [driveChoices.micron5300, driveChoices.seagateExos],
    adapters: [broadcomQuad, connectX('Mellanox ConnectX-5 EN 25GbE Dual-port SFP28 Adapter', 'NIC.Slot.2', 25_000)],
    psuModels: ['PWR SPLY,750WP,RDNT,DELTA', 'PWR SPLY,750WP,RDNT,LTON'],
  },
  'PowerEdge R750': {
    ...shared,
    processors: [processorChoices.gold6330, processorChoices.platinum8380],
    dimms: [dimmChoices.samsungDdr4, dimmChoices.micronDdr4],
    driveSlots: bays('Disk.Bay.', ':Enclosure.Internal.0-1'),
    drives: [driveChoices.samsungPm9a3, driveChoices.kioxiaCd6],
    adapters: [broadcom25G, connectX('Nvidia ConnectX-6 Lx 2x 25G SFP28', 'NIC.Slot.3', 25_000)],
    psuModels: ['PWR SPLY,1400W,RDNT,ARTESYN', 'PWR SPLY,1400W,RDNT,DELTA'],
  },
};

function bays(prefix: string, suffix: string): string[] {
  return Array.from({ length: 8 }, (_, bay) => `${prefix}${bay}${suffix}`);
}

/** One PowerEdge. Its serial number and SKU are the seven characters of the service tag, as on the real ones. */
export function describeDell(order: {
  readonly model: string;
  readonly index: number;
  readonly random: Random;
}): Hardware {
  const plan = plans[order.model as (typeof dellModels)[number]] ?? plans['PowerEdge R750'];
  const serviceTag = codeOf({ index: order.index, width: 7, alphabet: labelAlphabet });
  const board = `CNFCP00${codeOf({ index: order.index, width: 7, alphabet: labelAlphabet })}`;
  const identity = {
    model: order.model,
    sku: serviceTag,
    serial: serviceTag,
    // Real ones begin with the letters DELL, byte by byte.
    uuid: uuidOf({ index: order.index, random: order.random, prefix: '4c4c4544' }),
    boardSerial: board,
    bmcSerial: board,
  };
  return assembleHardware(plan, identity, order);
}
