import type { MachineRecord } from '../records/machine-record.ts';
import type { MachineMacs } from '../records/machine-records.ts';
import type { ReadIntroduction } from './read-introduction.ts';

/** Who somebody that introduces itself is. */
export type Judgement =
  /** Nobody who is known. `forget`: machines that its MACs belonged to, and that no host has. */
  | { readonly kind: 'new'; readonly forget: readonly string[] }
  /** A machine that is known, and came back. */
  | { readonly kind: 'again'; readonly machine: MachineRecord; readonly forget: readonly string[] }
  /** One that has a MAC of a machine that a host has, or boots from that of another one whose agent speaks. */
  | { readonly kind: 'refused'; readonly mac: string; readonly machine: MachineRecord; readonly reason: string };

/** What is judged by. */
export interface Circumstances {
  /** The machine whose last token came along. */
  readonly proven: string | undefined;
  /** Whether the agent of a machine was heard of lately. */
  isHeard(machine: MachineRecord): boolean;
}

/** Whether two may be one machine: one of them boots from a MAC that the other has too. */
function isAlike(one: MachineMacs, other: MachineMacs): boolean {
  return one.macs.includes(other.bootMac) || other.macs.includes(one.bootMac);
}

/**
 * Tells who introduces itself, by its MACs. A machine that runs what was deployed on it is given to nobody. One that a
 * host has otherwise is given to nobody without proof, but where it stands idle: then it is enough that it is the same hardware, since a ramdisk forgets its token with each start.
 */
export function judgeIntroduction(
  introduction: ReadIntroduction,
  all: readonly MachineRecord[],
  { proven, isHeard }: Circumstances,
): Judgement {
  const known = all.filter((each) => isAlike(introduction, each));
  const held = known.filter(({ host }) => host !== undefined);
  const [first] = held;
  const former = known.find(({ id }) => id === proven);
  const only = held.length === 1 ? first : undefined;
  // Its host is no more, and another one may have its machine by now.
  const own = former?.isRemoved === true ? (only ?? former) : (former ?? only);
  const stranger = held.find((each) => each !== own);
  if (stranger !== undefined) return refuse(introduction, stranger, 'several machines with its MACs are in use');
  const rival = known.find((each) => each !== own && isThere(introduction, each, isHeard));
  if (rival !== undefined) return refuse(introduction, rival, agentIsThere);
  // Whoever names the MACs of others, which speak, pushes none of them out.
  const isPast = (each: MachineRecord): boolean => each.isRemoved === true || !isHeard(each);
  const forget = known.flatMap((each) => (each.id === own?.id || !isPast(each) ? [] : [each.id]));
  if (own?.isRemoved === true) return { kind: 'new', forget: [...forget, own.id] };
  if (own !== undefined) {
    const reason = whyInUse(own) ?? (own.id === proven ? undefined : whyNotBack(introduction, own, isHeard(own)));
    return reason === undefined ? { kind: 'again', machine: own, forget } : refuse(introduction, own, reason);
  }
  const same = known.find((each) => each.isRemoved !== true && isSameHardware(introduction, each));
  if (same === undefined) return { kind: 'new', forget };
  return { kind: 'again', machine: same, forget: forget.filter((id) => id !== same.id) };
}

const agentIsThere = 'the agent of that machine is there';

/** Whether other hardware boots from the same MAC, and its agent speaks: only one of the two can be what it says. */
function isThere(
  introduction: ReadIntroduction,
  machine: MachineRecord,
  isHeard: (machine: MachineRecord) => boolean,
): boolean {
  if (machine.isRemoved === true || machine.bootMac !== introduction.bootMac) return false;
  return isHeard(machine) && !isSameHardware(introduction, machine);
}

function refuse({ macs }: ReadIntroduction, machine: MachineRecord, reason: string): Judgement {
  const mac = macs.find((each) => machine.macs.includes(each)) ?? machine.bootMac;
  return { kind: 'refused', mac, machine, reason };
}

/** What runs there can read what an agent has left behind: no proof counts until the machine is to be given back. */
function whyInUse({ use, awaitedSinceMs }: MachineRecord): string | undefined {
  return use === 'deployed' && awaitedSinceMs === undefined ? 'that machine runs what was deployed on it' : undefined;
}

function whyNotBack(introduction: ReadIntroduction, machine: MachineRecord, isHeard: boolean): string | undefined {
  if (isHeard) return agentIsThere;
  const isIt = machine.introducedAtMs === undefined ? isAsTold : isSameHardware;
  return isIt(introduction, machine) ? undefined : 'that machine is made of something else';
}

/** Of a machine that was never here only its host has told: it boots from that MAC, and has that serial number if any. */
function isAsTold({ bootMac, details }: ReadIntroduction, machine: MachineRecord): boolean {
  const { serialNumber } = machine;
  return bootMac === machine.bootMac && (serialNumber === undefined || details.serialNumber === serialNumber);
}

function isSameHardware({ macs, details }: ReadIntroduction, machine: MachineRecord): boolean {
  const isSameSet = macs.length === machine.macs.length && macs.every((mac) => machine.macs.includes(mac));
  return isSameSet && details.serialNumber === machine.serialNumber;
}
