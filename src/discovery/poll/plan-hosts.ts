import {
  type BareMetalHostDiscovery,
  type BareMetalHostDiscoverySpec,
  defaultMaxUnusedHosts,
  isControlAnnotation,
  metal3ApiVersion,
  quarantineLabel,
} from '../../api/index.ts';
import { discoveryNote, readDiscoveryNote, writeDiscoveryNote } from '../../hosts/index.ts';
import type { MachineDetails } from '../../provisioners/index.ts';
import type { NewHost } from '../claims/claim-host.ts';
import { matchHardware } from '../classification/match-hardware.ts';
import { nameHost } from '../naming/name-host.ts';
import { type Candidate, compareArrivals, type Refusal, shortened } from './sort-machines.ts';

/** A machine, and what it has told; undefined while it has told nothing. */
export interface Told {
  readonly machine: Candidate;
  readonly details: MachineDetails | undefined;
}

/** What hosts are planned with. */
export interface PlanContext {
  /** Which host of the namespace has a name, if any. */
  readonly isNameTaken: (name: string) => boolean;
  readonly allowance: Allowance;
  /** Names of machines that wait for their host, and may not be among those that are planned for now. */
  readonly names?: ReadonlyMap<string, Candidate>;
}

/** How many hosts may be created now, and what is behind it. */
export interface Allowance {
  readonly hosts: number;
  readonly by: 'rate' | 'unused';
}

/** What lets fewer hosts in: the rate limit, or how many there are that nobody uses. Pure. */
export function allowanceOf(
  { maxUnusedHosts = defaultMaxUnusedHosts }: BareMetalHostDiscoverySpec,
  now: { readonly tokens: number; readonly unused: number },
): Allowance {
  const byRate = Math.max(0, Math.floor(now.tokens));
  const byUnused = Math.max(0, maxUnusedHosts - now.unused);
  return byUnused < byRate ? { hosts: byUnused, by: 'unused' } : { hosts: byRate, by: 'rate' };
}

/** A host that is to be created. */
export interface PlannedHost {
  readonly machine: Candidate;
  readonly host: NewHost;
}

/** What becomes of machines that have no host. */
export interface HostPlan {
  readonly hosts: readonly PlannedHost[];
  readonly refused: readonly Refusal[];
  /** Those that the hardware selector leaves out. */
  readonly unselected: number;
  /** Those that have told nothing yet. */
  readonly untold: number;
  /** Those that a limit holds back. */
  readonly throttled: number;
  readonly throttledBy: Allowance['by'];
  /** Which machine has which name, whether its host may be created now or not. */
  readonly names: ReadonlyMap<string, string>;
}

/** An annotation of this length still leaves room for others. */
const longestNote = 64 * 1024;

/**
 * Plans the hosts of machines that have none: who is refused, who waits, and what is created. They are told in the order
 * in which they came, and of two that have the same name the first one gets it. Pure.
 */
export function planHosts(object: BareMetalHostDiscovery, told: readonly Told[], context: PlanContext): HostPlan {
  const hosts: PlannedHost[] = [];
  const refused: Refusal[] = [];
  const present = new Set(told.map(({ machine }) => machine.id));
  const names = new Map([...(context.names ?? [])].filter(([, { id }]) => !present.has(id)));
  let unselected = 0;
  let untold = 0;
  let throttled = 0;
  for (const { machine, details } of told) {
    if (details === undefined) {
      untold += 1;
      continue;
    }
    const { hardwareSelector } = object.spec;
    if (hardwareSelector !== undefined && matchHardware(hardwareSelector, details.hardware) !== undefined) {
      unselected += 1;
      continue;
    }
    const planned = planHost(object, { machine, details }, { names, isNameTaken: context.isNameTaken });
    if ('reason' in planned) refused.push(planned);
    else if (hosts.length >= context.allowance.hosts) throttled += 1;
    else hosts.push({ machine, host: planned });
  }
  return {
    ...{ hosts, refused, unselected, untold, throttled },
    throttledBy: context.allowance.by,
    names: new Map([...names].map(([name, { id }]) => [name, id])),
  };
}

interface Names {
  /** Names that are given out already, and to which machine. */
  readonly names: Map<string, Candidate>;
  readonly isNameTaken: (name: string) => boolean;
}

function planHost(
  object: BareMetalHostDiscovery,
  { machine, details }: { readonly machine: Candidate; readonly details: MachineDetails },
  { names, isNameTaken }: Names,
): NewHost | Refusal {
  const { id, bootMac } = machine;
  const refuse = (reason: Refusal['reason'], message: string): Refusal => ({ id, bootMac, reason, message });
  const naming = nameHost(object.spec.resourceNameTemplate, { ...machine, details });
  if ('reason' in naming) return refuse(naming.reason, naming.message);
  const { name } = naming;
  if (isNameTaken(name)) return refuse('NameConflict', conflictMessage(name));
  const other = names.get(name);
  if (other !== undefined && compareArrivals(other, machine) < 0) {
    return refuse('NameConflict', `The machine ${shortened(other.id)} is named ${name} too, and came first.`);
  }
  const host = newHost(object, { machine, details, name });
  const note = host.metadata.annotations?.[discoveryNote] ?? '';
  if (note.length > longestNote) {
    return refuse('DetailsTooLarge', `Its details are of ${note.length} characters; at most ${longestNote} are noted.`);
  }
  const reading = readDiscoveryNote(host);
  if (reading !== undefined && 'problem' in reading) {
    return refuse('DetailsInvalid', `Its details cannot be noted: ${reading.problem.slice(0, 200)}.`);
  }
  names.set(name, machine);
  return host;
}

/** What is said of a machine whose name another host has. */
export function conflictMessage(name: string): string {
  return `The BareMetalHost ${name} is there already and is another machine.`;
}

function newHost(
  { metadata, spec }: BareMetalHostDiscovery,
  told: { readonly machine: Candidate; readonly details: MachineDetails; readonly name: string },
): NewHost {
  const { machine, details, name } = told;
  const note = writeDiscoveryNote({ provisionerId: machine.id, hardware: details.hardware });
  return {
    apiVersion: metal3ApiVersion,
    kind: 'BareMetalHost',
    metadata: {
      namespace: metadata.namespace ?? '',
      name,
      labels: labelsOf(spec),
      annotations: { ...annotationsOf(spec), [discoveryNote]: note },
    },
    // It was on to be found; once its BMC is known nobody should switch it off for that.
    spec: { online: true, bootMACAddress: machine.bootMac },
  };
}

function labelsOf({ labels, quarantine }: BareMetalHostDiscoverySpec): Record<string, string> {
  return { ...labels, ...(quarantine === true ? { [quarantineLabel]: 'true' } : {}) };
}

/** Objects that were stored before their schema refused some annotations may still ask for them. */
function annotationsOf({ annotations = {} }: BareMetalHostDiscoverySpec): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => !isControlAnnotation(name)));
}
