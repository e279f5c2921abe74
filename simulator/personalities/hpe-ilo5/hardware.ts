import type { Hardware } from '../../machine/hardware.ts';
import { describeHpe, type HpeModel, hpeAdapter, hpeOui, hpePlaces, mellanoxOui } from '../hpe/hardware.ts';
import type { Random } from '../parts/fleet-numbers.ts';
import { dimmChoices, driveChoices, processorChoices } from '../parts/part-lines.ts';

const flexLom = hpeAdapter(
  { model: 'HPE Ethernet 1Gb 4-port 366FLR Adapter', manufacturer: 'HPE', oui: hpeOui, speedMbps: 1000 },
  { slot: 'DE07A000', firstPort: 1, ports: 4 },
);
const fast = hpeAdapter(
  { model: 'HPE Eth 10/25Gb 2p 640SFP28 Adptr', manufacturer: 'HPE', oui: mellanoxOui, speedMbps: 25_000 },
  { slot: 'DC080000', firstPort: 5, ports: 2 },
);

const models: Readonly<Record<string, HpeModel>> = {
  'ProLiant DL360 Gen10': {
    sku: '867959-B21',
    plan: {
      ...hpePlaces,
      processors: [processorChoices.gold6230, processorChoices.gold6248r],
      dimms: [dimmChoices.samsungDdr4Slow, dimmChoices.hynixDdr4],
      drives: [driveChoices.micron5300, driveChoices.seagateExos],
      adapters: [flexLom, fast],
      psuModels: ['865414-B21', '865408-B21'],
    },
  },
};

/** The servers with iLO 5 that are simulated. */
export const ilo5Models = Object.keys(models);

/** One ProLiant Gen10. */
export function describeIlo5(order: {
  readonly model: string;
  readonly index: number;
  readonly random: Random;
}): Hardware {
  return describeHpe(models, order);
}
