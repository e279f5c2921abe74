import type { Hardware } from '../../machine/hardware.ts';
import { describeHpe, type HpeModel, hpeAdapter, hpeOui, hpePlaces, mellanoxOui } from '../hpe/hardware.ts';
import type { Random } from '../parts/fleet-numbers.ts';
import { dimmChoices, driveChoices, processorChoices } from '../parts/part-lines.ts';

const ocp = hpeAdapter(
  { model: 'BCM5719 1Gb 4p BASE-T OCP Adptr', manufacturer: 'Broadcom', oui: hpeOui, speedMbps: 1000 },
  { slot: 'DE081000', firstPort: 1, ports: 4 },
);
const fast = hpeAdapter(
  { model: 'MCX631102AS-ADAT 10/25GbE 2p', manufacturer: 'Mellanox', oui: mellanoxOui, speedMbps: 25_000 },
  { slot: 'DA000000', firstPort: 5, ports: 2 },
);

const shared = {
  ...hpePlaces,
  processors: [processorChoices.gold6430, processorChoices.platinum8480],
  dimms: [dimmChoices.hynixDdr5, dimmChoices.samsungDdr5],
  drives: [driveChoices.samsungPm9a3, driveChoices.kioxiaCd6],
  adapters: [ocp, fast],
  psuModels: ['P38995-B21', 'P44412-B21'],
} as const;

const models: Readonly<Record<string, HpeModel>> = {
  'ProLiant DL360 Gen11': { sku: 'P52499-B21', plan: shared },
  'ProLiant DL380 Gen11': { sku: 'P52534-B21', plan: shared },
};

/** The servers with iLO 6 that are simulated. */
export const ilo6Models = Object.keys(models);

/** One ProLiant Gen11. */
export function describeIlo6(order: {
  readonly model: string;
  readonly index: number;
  readonly random: Random;
}): Hardware {
  return describeHpe(models, order);
}
