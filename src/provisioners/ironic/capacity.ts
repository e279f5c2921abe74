import type { Clock } from '../../kube/index.ts';
import { readBmcAddress } from '../bmc-address/index.ts';
import type { CapacityOrder, HostIdentity } from '../provisioner.ts';
import { type IronicClient, listAll, textOf } from './client/index.ts';
import { nodeName } from './node/index.ts';

/** How many hosts Ironic works on at once. */
export interface CapacityOptions {
  readonly client: IronicClient;
  readonly clock: Clock;
  /** Without a limit where it is undefined. */
  readonly limit: number | undefined;
}

/** States in which a host loads the network and the conductor. */
const countedStates = [
  'cleaning',
  'clean wait',
  'inspecting',
  'inspect wait',
  'deploying',
  'wait call-back',
  'deleting',
  'servicing',
  'service wait',
];

/** States in which a host is serviced. */
const servicedStates = ['servicing', 'service wait'];

/** One list serves all that ask within that time. */
const listFreshMs = 5000;
/** So long a host that was let in counts, whether it is seen at work or not: it may not have begun. */
const admittedMs = 30_000;

/** Says who may begin. */
export interface Capacity {
  /** Whether one more host may begin; it counts as one that did from then on. Throws IronicError. */
  admit(host: HostIdentity, order?: CapacityOrder): Promise<boolean>;
}

/** The nodes that Ironic works on, by name where they have one. */
interface Working {
  /** Without those that boot from virtual media. */
  readonly loading: ReadonlySet<string>;
  /** With them: their reboots disturb whoever uses them as much. */
  readonly serviced: ReadonlySet<string>;
}

interface Admitted {
  readonly atMs: number;
  readonly isLoading: boolean;
  readonly isServiced: boolean;
}

/**
 * Counts the hosts that Ironic works on. Those that boot from virtual media are not counted, and never wait, but for being
 * serviced.
 */
export function createCapacity({ client, clock, limit }: CapacityOptions): Capacity {
  let listed: { readonly atMs: number; readonly working: Promise<Working> } | undefined;
  const admitted = new Map<string, Admitted>();

  const readWorking = (): Promise<Working> => {
    const now = clock.monotonic();
    if (listed === undefined || now - listed.atMs > listFreshMs) {
      const working = listWorking(client);
      listed = { atMs: now, working };
      // A list that failed serves nobody else.
      working.catch(() => {
        listed = undefined;
      });
    }
    return listed.working;
  };

  const admittedFor = (what: 'isLoading' | 'isServiced'): string[] =>
    [...admitted].flatMap(([name, each]) => (each[what] ? [name] : []));

  return {
    async admit(host, { what, serviced = () => [] }: Partial<CapacityOrder> = {}) {
      const isLoading = !bootsFromMedia(host.bmc?.address);
      const isServiced = what === 'service';
      if (limit === undefined || (!isLoading && !isServiced)) return true;
      const working = await readWorking();
      const name = nodeName(host);
      const now = clock.monotonic();
      for (const [each, { atMs }] of admitted) if (now - atMs > admittedMs) admitted.delete(each);
      const all = serviced();
      const loads = all.filter(({ address }) => !bootsFromMedia(address));
      const counts = [
        ...(isLoading ? [new Set([...working.loading, ...admittedFor('isLoading'), ...loads.map(nodeName)])] : []),
        ...(isServiced ? [new Set([...working.serviced, ...admittedFor('isServiced'), ...all.map(nodeName)])] : []),
      ];
      // Who is counted already has begun, or was let in.
      const isNew = counts.filter((counted) => !counted.has(name));
      if (isNew.some((counted) => counted.size >= limit)) return false;
      if (isNew.length > 0) admitted.set(name, { atMs: now, isLoading, isServiced });
      return true;
    },
  };
}

function bootsFromMedia(address: string | undefined): boolean {
  if (address === undefined) return false;
  const reading = readBmcAddress(address);
  return reading.kind === 'known' && reading.address.canBootIso;
}

async function listWorking(client: IronicClient): Promise<Working> {
  const nodes = await listAll(client, { kind: 'nodes', fields: ['uuid', 'name', 'provision_state', 'boot_interface'] });
  const namesIn = (all: typeof nodes, states: readonly string[]): ReadonlySet<string> => {
    const found = all.filter(({ provision_state }) => states.includes(textOf(provision_state) ?? ''));
    return new Set(found.map(({ name, uuid }) => textOf(name) ?? textOf(uuid) ?? ''));
  };
  const loading = nodes.filter(
    ({ boot_interface }) => !/virtual-media|redfish-https/.test(textOf(boot_interface) ?? ''),
  );
  return { loading: namesIn(loading, countedStates), serviced: namesIn(nodes, servicedStates) };
}
