import { fleetManifests } from '../../../simulator/index.ts';
import { type AnyKubeObject, createResourceMapper, isAlreadyExists, type KubeClient } from '../../kube/index.ts';
import type { Settings } from '../settings.ts';
import { fleetNamespace } from '../simulate/fleet-namespace.ts';
import { type RunningSimulator, startSimulator } from '../simulate/run-simulator.ts';
import type { Terminal } from '../terminal.ts';

/** BMCs of the rack listen this far above the port of the API. */
const bmcPortOffset = 10;
/** Minutes of a real flash become seconds. */
const rackSpeed = 60;
const rackSeed = 1;

/** A simulated rack whose servers and switches the API server knows. */
export interface SimulatedRack extends RunningSimulator {
  /** How many objects had to be made; the others were there from last time. */
  readonly created: number;
}

/** Starts the rack of `rackwright up` and makes the objects that describe it, leaving those that are there alone. */
export async function startSimulatedRack(
  settings: Settings<'dataDir' | 'port' | 'simulate'>,
  client: KubeClient,
  terminal: Terminal,
): Promise<SimulatedRack> {
  const simulator = await startSimulator(
    {
      dataDir: settings.dataDir,
      servers: settings.simulate,
      seed: rackSeed,
      speed: rackSpeed,
      simulatorPort: settings.port === 0 ? 0 : settings.port + bmcPortOffset,
      plain: false,
      racks: undefined,
      faults: undefined,
      export: undefined,
      simulatorHost: undefined,
      personalities: undefined,
    },
    terminal,
  );
  try {
    return { ...simulator, created: await createMissing(simulator, client) };
  } catch (error) {
    await simulator.close();
    throw error;
  }
}

async function createMissing({ dataCentre }: RunningSimulator, client: KubeClient): Promise<number> {
  const mapper = createResourceMapper(client);
  const { bmcs, fabric } = dataCentre;
  let created = 0;
  for (const documents of fleetManifests({ namespace: fleetNamespace, bmcs, fabric }).values()) {
    for (const document of documents) {
      const object = document as unknown as AnyKubeObject;
      const resource = client.resource<AnyKubeObject>(await mapper.byKind(document.apiVersion, document.kind));
      try {
        await resource.create(object);
        created++;
      } catch (error) {
        // Whoever changed the object since it was made knows better.
        if (!isAlreadyExists(error)) throw error;
      }
    }
  }
  return created;
}
