import type { DiscoverySource, KnownMachine, MachineDetails } from '../../discovery-source.ts';
import { type IronicClient, isIronicError, type JsonObject, listAll } from '../client/index.ts';
import { isOwnReport, machineDetailsOf } from '../inventory/machine-details.ts';
import { outcomeOf } from '../outcome-of.ts';
import type { Timing } from '../workplace.ts';
import { knownMachines, nodeFields, portFields } from './known-machines.ts';

/** So many reports are kept between being looked through and being asked for. */
const mostKept = 1000;

/**
 * The machines of an Ironic, for whoever makes hosts of those that came by themselves. A node does not say whether it
 * did, only the report that it was made from: that one is read once for each node that nobody has claimed.
 */
export function createIronicDiscovery(options: { readonly client: IronicClient } & Timing): DiscoverySource {
  const { client } = options;
  /** Of unclaimed nodes that have told something: whether they came by themselves. */
  let origins = new Map<string, boolean>();
  const kept = new Map<string, MachineDetails>();

  const isAutoDiscovered = async (id: string): Promise<boolean> => {
    const known = origins.get(id);
    if (known !== undefined) return known;
    const report = await readReport(client, id);
    if (report === undefined) return false;
    const isOwn = isOwnReport(report);
    origins.set(id, isOwn);
    if (isOwn && kept.size < mostKept) kept.set(id, machineDetailsOf(report));
    return isOwn;
  };

  return {
    list: () =>
      outcomeOf(options, async () => {
        // Ports first: one that is added meanwhile is then of a node that is listed.
        const ports = await listAll(client, { kind: 'ports', fields: portFields });
        const machines = knownMachines(await listAll(client, { kind: 'nodes', fields: nodeFields }), ports);
        const unclaimed = new Set(machines.filter(({ isClaimed }) => isClaimed !== true).map(({ id }) => id));
        origins = new Map([...origins].filter(([id]) => unclaimed.has(id)));
        for (const id of kept.keys()) if (!unclaimed.has(id)) kept.delete(id);
        const value = await Promise.all(
          machines.map(
            async (machine): Promise<KnownMachine> => ({
              ...machine,
              isAutoDiscovered: machine.isClaimed !== true && (await isAutoDiscovered(machine.id)),
            }),
          ),
        );
        return { kind: 'done', value };
      }),
    read: (id) =>
      outcomeOf(options, async () => {
        const details = kept.get(id);
        kept.delete(id);
        if (details !== undefined) return { kind: 'done', value: details };
        const report = await readReport(client, id);
        return { kind: 'done', value: report === undefined ? undefined : machineDetailsOf(report) };
      }),
  };
}

/** What Ironic keeps of what a machine told; undefined where there is nothing, or no such machine. */
async function readReport(client: IronicClient, id: string): Promise<JsonObject | undefined> {
  try {
    return await client.call({ method: 'GET', path: `/nodes/${encodeURIComponent(id)}/inventory` });
  } catch (error) {
    if (isIronicError(error, 'absent')) return undefined;
    throw error;
  }
}
