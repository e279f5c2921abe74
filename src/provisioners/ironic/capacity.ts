import type { Clock } from '../../kube/index.ts';
import { readBmcAddress } from '../bmc-address/index.ts';
import type { HostIdentity, ServicedHost } from '../provisioner.ts';
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

/** One list serves all that ask within that time. */
const listFreshMs = 5000;
/** So long a host that was let in counts, whether it is seen at work or not: it may not have begun. */
const admittedMs = 30_000;

/** Says who may begin. */
export interface Capacity {
  /** Whether one more host may begin; it counts as one that did from then on. Throws IronicError. */
  admit(host: HostIdentity, serviced?: () => readonly ServicedHost[]): Promise<boolean>;
}

/** Counts the hosts that Ironic works on, those not counted that boot from virtual media. */
export function createCapacity({ client, clock, limit }: CapacityOptions): Capacity {
  let listed: { readonly atMs: number; readonly working: Promise<ReadonlySet<string>> } | undefined;
  const admitted = new Map<string, number>();

  const readWorking = (): Promise<ReadonlySet<string>> => {
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

  return {
    async admit(host, serviced = () => []) {
      if (limit === undefined || bootsFromMedia(host.bmc?.address)) return true;
      const working = await readWorking();
      const name = nodeName(host);
      const now = clock.monotonic();
      for (const [each, atMs] of admitted) if (now - atMs > admittedMs) admitted.delete(each);
      const counted = serviced().filter(({ address }) => !bootsFromMedia(address));
      const all = new Set([...working, ...admitted.keys(), ...counted.map(nodeName)]);
      if (all.has(name)) return true;
      if (all.size >= limit) return false;
      admitted.set(name, now);
      return true;
    },
  };
}

function bootsFromMedia(address: string | undefined): boolean {
  if (address === undefined) return false;
  const reading = readBmcAddress(address);
  return reading.kind === 'known' && reading.address.canBootIso;
}

/** The nodes that count, by name where they have one. */
async function listWorking(client: IronicClient): Promise<ReadonlySet<string>> {
  const nodes = await listAll(client, { kind: 'nodes', fields: ['uuid', 'name', 'provision_state', 'boot_interface'] });
  const counted = nodes.filter(
    ({ provision_state, boot_interface }) =>
      countedStates.includes(textOf(provision_state) ?? '') &&
      !/virtual-media|redfish-https/.test(textOf(boot_interface) ?? ''),
  );
  return new Set(counted.map(({ name, uuid }) => textOf(name) ?? textOf(uuid) ?? ''));
}
