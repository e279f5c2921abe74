import { personalityNames, personalityOf, startDataCentre } from '../../simulator/index.ts';
import { connectBmc, createGates, type Inventory, readInventory } from '../../src/bmc/index.ts';
import { systemClock } from '../../src/kube/index.ts';
import type { FirmwareComponentSeen } from '../../src/provisioners/index.ts';
import { readComponents } from '../../src/provisioners/redfish/reading/read-firmware.ts';

/** What the BMC of one server of a model says. */
export interface SimulatedInventory {
  readonly model: string;
  readonly inventory: Inventory;
  /** What the Redfish provisioner reads for a HostFirmwareComponents. */
  readonly components: readonly FirmwareComponentSeen[];
}

const random = () => 0.5;
/** So many that every model of a personality is among them. */
const servers = 6;

/** Reads one server of every simulated model. */
export async function readSimulatedModels(): Promise<readonly SimulatedInventory[]> {
  const found: SimulatedInventory[] = [];
  for (const personality of personalityNames) {
    const order = { seed: 11, servers, personalities: [personality], addressing: 'port' as const };
    const dataCentre = await startDataCentre({ ...order, arePoweredOn: true });
    const trust = { kind: 'ca' as const, caPem: dataCentre.caPem ?? '' };
    const gates = createGates({ clock: systemClock, random });
    try {
      const models = Map.groupBy(dataCentre.bmcs, ({ machine }) => machine.hardware.model);
      const missing = personalityOf(personality).models.filter((model) => !models.has(model));
      if (missing.length > 0) throw new Error(`no server of ${missing.join(', ')}: take another seed`);
      for (const [model, [bmc]] of models) {
        if (bmc === undefined) continue;
        const { url: origin, username, password } = bmc;
        const endpoint = { origin, credentials: async () => ({ username, password }), trust };
        const connected = connectBmc({ gates, endpoint, clock: systemClock, random });
        const inventory = await readInventory(connected);
        found.push({ model, inventory, components: await readComponents(connected) });
      }
    } finally {
      await gates.close();
      await dataCentre.close();
    }
  }
  return found;
}
