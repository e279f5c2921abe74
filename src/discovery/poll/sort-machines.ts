import type { BareMetalHostDiscoverySpec } from '../../api/index.ts';
import type { KnownMachine } from '../../provisioners/index.ts';
import { readMac } from '../naming/mac.ts';

/** A machine that is to become a host, with its MACs in the one way of writing them. */
export interface Candidate {
  readonly id: string;
  readonly bootMac: string;
  readonly macs: readonly string[];
  /** Which of the sources knows it. */
  readonly source: number;
  /** When it was first heard of, in milliseconds since 1970. */
  readonly arrivedMs: number;
}

/** Where a machine stands among those that came before and after it. */
export type Arrival = Pick<Candidate, 'id' | 'arrivedMs'>;

/** Who came first; of those that came at once, by id. */
export function compareArrivals(one: Arrival, other: Arrival): number {
  return one.arrivedMs - other.arrivedMs || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);
}

/** Why a machine becomes no host. */
export type RefusalReason =
  | 'MACInvalid'
  | 'MACConflict'
  | 'NameUnavailable'
  | 'NameTooLong'
  | 'NameInvalid'
  | 'NameConflict'
  | 'DetailsInvalid'
  | 'DetailsTooLarge'
  | 'HostRefused'
  /** Whoever knows of machines did not let it in. */
  | 'SourceRefused';

/** A machine that was refused. */
export interface Refusal {
  readonly id: string;
  readonly bootMac: string | undefined;
  readonly reason: RefusalReason;
  readonly message: string;
}

/** What is known of hosts. */
export interface HostLookup {
  /** Whether a host of any namespace is this machine. */
  isKnown(machine: Pick<Candidate, 'id' | 'macs'>): boolean;
  /** A host that boots from another MAC and says that it has this one too. */
  listing(mac: string): string | undefined;
}

/** Machines by what becomes of them. */
export interface SortedMachines {
  readonly known: number;
  readonly ignored: number;
  readonly refused: readonly Refusal[];
  readonly candidates: readonly Candidate[];
}

/** Sorts the machines of all sources: those that are hosts, those that may become some. Pure; in the order of arrival. */
export function sortMachines(
  listings: readonly (readonly KnownMachine[])[],
  spec: BareMetalHostDiscoverySpec,
  hosts: HostLookup,
  arrivals: ReadonlyMap<string, number> = new Map(),
): SortedMachines {
  const read = listings.flatMap((machines, source) => machines.map((machine) => readMachine(machine, source)));
  const likeness = likenessOf(read);
  const isIgnored = ignoring(spec);
  const refused: Refusal[] = [];
  const candidates: Candidate[] = [];
  let known = 0;
  let ignored = 0;
  const ordered = read
    .map((machine) => ({ ...machine, arrivedMs: arrivals.get(machine.id) ?? 0 }))
    .toSorted(compareArrivals);
  for (const machine of ordered) {
    if (hosts.isKnown(machine)) known += 1;
    else if (isIgnored(machine)) ignored += 1;
    else {
      const refusal = refusalOf(machine, likeness) ?? listedRefusal(machine, hosts);
      if (refusal !== undefined) refused.push(refusal);
      else if (machine.bootMac !== undefined && isFirst(machine, likeness)) {
        candidates.push({ ...machine, bootMac: machine.bootMac });
      }
    }
  }
  return { known, ignored, refused, candidates };
}

interface ReadMachine {
  readonly id: string;
  readonly bootMac: string | undefined;
  readonly told: string;
  readonly macs: readonly string[];
  readonly source: number;
  readonly isAutoDiscovered: boolean;
  readonly isClaimed: boolean;
}

function readMachine(machine: KnownMachine, source: number): ReadMachine {
  const { id, bootMac, macs, isAutoDiscovered, isClaimed = false } = machine;
  const all = [bootMac, ...macs].flatMap((mac) => readMac(mac) ?? []);
  const own = { id, bootMac: readMac(bootMac), told: bootMac, macs: [...new Set(all)] };
  return { ...own, source, isAutoDiscovered, isClaimed };
}

function ignoring({ ignoredMACAddresses = [], onlyAutoDiscovered = true }: BareMetalHostDiscoverySpec) {
  const macs = new Set(ignoredMACAddresses.flatMap((mac) => readMac(mac) ?? []));
  return (machine: ReadMachine): boolean =>
    machine.isClaimed || (onlyAutoDiscovered && !machine.isAutoDiscovered) || machine.macs.some((mac) => macs.has(mac));
}

/**
 * Who is like whom. Two machines are one where one boots from a MAC that the other has too; some vendors give all their
 * machines the same MAC inside, so that sharing any other one says nothing.
 */
interface Likeness {
  /** Others that are like a machine, some of them perhaps twice. */
  of(machine: ReadMachine): Iterable<ReadMachine>;
}

function likenessOf(machines: readonly ReadMachine[]): Likeness {
  const booting = Map.groupBy(machines, ({ bootMac }) => bootMac);
  const having = new Map<string, ReadMachine[]>();
  for (const machine of machines) {
    for (const mac of machine.macs) {
      const found = having.get(mac);
      if (found === undefined) having.set(mac, [machine]);
      else found.push(machine);
    }
  }
  return {
    *of(machine) {
      for (const mac of machine.macs) yield* booting.get(mac) ?? [];
      if (machine.bootMac !== undefined) yield* having.get(machine.bootMac) ?? [];
    },
  };
}

function refusalOf(machine: ReadMachine, likeness: Likeness): Refusal | undefined {
  const { id, bootMac } = machine;
  if (bootMac === undefined) {
    const told = machine.told === '' ? 'It has told no MAC address' : `"${shortened(machine.told)}" is no MAC address`;
    return { id, bootMac, reason: 'MACInvalid', message: `${told} that it boots from.` };
  }
  for (const other of likeness.of(machine)) {
    // The same machine in another source is no rival.
    if (other.id === id || other.source !== machine.source) continue;
    const mac = machine.macs.find((each) => other.macs.includes(each));
    const message = `The machine ${shortened(other.id)} says that it has ${mac} too: neither becomes a host.`;
    return { id, bootMac, reason: 'MACConflict', message };
  }
  return undefined;
}

/** A host that lists the MACs of others must not make these disappear unseen; that two know better is for people to say. */
function listedRefusal({ id, bootMac }: ReadMachine, hosts: HostLookup): Refusal | undefined {
  const host = bootMac === undefined ? undefined : hosts.listing(bootMac);
  if (host === undefined) return undefined;
  const message = `The BareMetalHost ${host} says that ${bootMac} is one of its NICs, though it boots from another, which this machine does not have.`;
  return { id, bootMac, reason: 'MACConflict', message };
}

/** Of a machine that several sources know, the first one counts. */
function isFirst(machine: ReadMachine, likeness: Likeness): boolean {
  for (const other of likeness.of(machine)) if (other.source < machine.source) return false;
  return true;
}

/** What others have told, for people: short, and in one line. */
export function shortened(text: string): string {
  const start = text.slice(0, 64).replaceAll(/[^\x20-\x7e]/g, '?');
  return text.length > 64 ? `${start}...` : start;
}
