import {
  type DiscoveredFirmware,
  ironcoreConditions,
  ironcoreReasons,
  operationAnnotation,
  retryOperation,
  retryPropagatedOperation,
  type Server,
  type ServerFirmwareGroup,
} from '../../api/index.ts';
import { selectorKey } from '../../parts/index.ts';
import { isSameVendor } from '../../versions/index.ts';
import { conditionOf } from '../conditions.ts';
import { type Fleet, fitOf, type Inertness } from '../fleet/fleet.ts';
import type { OwnedFirmware } from '../fleet/objects.ts';
import { entryKey } from '../fleet/ownership.ts';
import type { CompareVersions } from '../ports.ts';
import { desiredHash, desiredOf } from '../server/desired.ts';
import { type Difference, differencesOf, wishKey } from '../server/differences.ts';
import { duplicateOf } from '../server/read-server.ts';
import { findInertness } from '../server/server-facts.ts';
import { takenParts } from './taken-parts.ts';

const { attemptsExhausted, workerLost: _, ...others } = ironcoreReasons;
/** Reasons of a server that is not up to date which only people can change. */
const waitsForPeople: readonly string[] = Object.values(others);

/** How one server that a group selects stands. */
export interface MemberStanding {
  readonly name: string;
  readonly fit: 'same' | 'other' | 'unknown';
  /** Manufacturer, model and SKU of the server, in words; empty where they are not known. */
  readonly hardware: string;
  /** Other groups that select it too. */
  readonly contestedBy: readonly string[];
  /** Everything wanted is installed, the group's entries among it. */
  readonly isApplied: boolean;
  /** Its attempts at the group's version are used up. */
  readonly isFailed: boolean;
  /** Told to try again, and has not begun to. */
  readonly isRetrying: boolean;
  /** Why nothing more happens to it until somebody acts; undefined while something does. */
  readonly stoppedBy: string | undefined;
}

/** What standings are worked out with. */
export interface StandingContext {
  readonly fleet: Fleet;
  readonly compare: CompareVersions;
  readonly maxAttempts: number;
}

/**
 * Works out standings. Each is kept until its server, its ServerFirmware or the spec of a group changes: a group is counted
 * anew every time some of its servers changed, and of the others everything is known.
 */
export function createStandings(context: StandingContext): (group: ServerFirmwareGroup) => readonly MemberStanding[] {
  const { fleet } = context;
  const known = new WeakMap<OwnedFirmware, KnownStanding>();
  return (group) => {
    const edition = fleet.edition();
    const isOfFleet = fleet.group(group.metadata.name ?? '') === group;
    return fleet.selectedBy(group).map((firmware) => {
      const server = fleet.server(firmware.spec.serverRef.name);
      const found = known.get(firmware);
      const discovered = fleet.discoveredFor(server);
      const isKnown = found !== undefined && found.server === server && found.discovered === discovered;
      const isFresh = isKnown && found.edition === edition && found.group === group.metadata.name;
      if (isFresh && isOfFleet) return found.standing;
      const own = isKnown ? found.own : workOut(firmware, server, context);
      const standing = standingOf(group, { firmware, server, own, fleet });
      if (isOfFleet) known.set(firmware, { edition, group: group.metadata.name, server, discovered, own, standing });
      return standing;
    });
  };
}

interface KnownStanding {
  readonly edition: object;
  readonly group: string | undefined;
  readonly server: Server | undefined;
  readonly discovered: DiscoveredFirmware | undefined;
  readonly own: OwnStanding;
  readonly standing: MemberStanding;
}

/** What a server's own objects tell, whatever group it is in. */
interface OwnStanding {
  readonly isAsWanted: boolean;
  readonly isExhausted: boolean;
  readonly isRetrying: boolean;
  readonly differences: readonly Difference[];
  readonly inertness: Inertness | undefined;
  /** Why an update was refused, or waits: the version is in no catalogue, or the host is in use. */
  readonly wait: string | undefined;
}

function workOut(
  firmware: OwnedFirmware,
  server: Server | undefined,
  { fleet, compare, maxAttempts }: StandingContext,
): OwnStanding {
  const manufacturer = server?.status?.manufacturer;
  const { attempts, lastScanTime } = firmware.status ?? {};
  const operation = firmware.metadata.annotations?.[operationAnnotation];
  const discovered = fleet.discoveredFor(server);
  const differences = differencesOf({ firmware, serverManufacturer: manufacturer, discovered, compare });
  const wishes = desiredOf(firmware, manufacturer);
  const isAsWanted = lastScanTime !== undefined && wishes.length > 0 && differences.length === 0;
  const isSpent = attempts !== undefined && attempts.failed >= maxAttempts;
  return {
    isAsWanted,
    isExhausted: isSpent && !isAsWanted && attempts.desiredHash === desiredHash(wishes),
    isRetrying: operation === retryOperation || operation === retryPropagatedOperation,
    differences,
    inertness: findInertness({ firmware, server, bmc: fleet.bmcOf(server), duplicateOf: duplicateOf(fleet, firmware) }),
    wait: waitOf(firmware),
  };
}

/** Of what is wanted now: what was said of another list is not known of this one. */
function waitOf({ metadata, status }: OwnedFirmware): string | undefined {
  const told = conditionOf(status?.conditions, ironcoreConditions.upToDate);
  if (told?.status !== 'False' || told.observedGeneration !== metadata.generation) return undefined;
  return waitsForPeople.includes(told.reason) ? told.reason : undefined;
}

function standingOf(
  group: ServerFirmwareGroup,
  {
    firmware,
    server,
    own,
    fleet,
  }: {
    readonly firmware: OwnedFirmware;
    readonly server: Server | undefined;
    readonly own: OwnStanding;
    readonly fleet: Fleet;
  },
): MemberStanding {
  const groups = fleet.groupsOf(firmware.metadata.labels);
  const hasVersion = carriesVersion(firmware, { group, serverManufacturer: server?.status?.manufacturer });
  const wait = hasVersion ? own.wait : undefined;
  return {
    name: firmware.metadata.name ?? '',
    fit: fitOf(group, server),
    hardware: describeHardware(server),
    contestedBy: groups.flatMap(({ metadata }) => (metadata.name === group.metadata.name ? [] : (metadata.name ?? []))),
    isApplied: own.isAsWanted && hasVersion,
    isFailed:
      own.isExhausted && hasVersion && !hasDropped(firmware, group) && !own.isRetrying && lacksEntryOf(group, own),
    isRetrying: own.isRetrying,
    stoppedBy: own.inertness?.code ?? (own.isExhausted && !own.isRetrying ? attemptsExhausted : wait),
  };
}

function describeHardware(server: Server | undefined): string {
  const { manufacturer = '', model = '', sku = '' } = server?.status ?? {};
  const product = [manufacturer, model].filter((text) => text !== '').join(' ');
  return sku === '' || isDellServiceTag(manufacturer) ? product : `${product} (${sku})`;
}

/** Dell's SKU is the service tag: another one for each server. */
function isDellServiceTag(manufacturer: string): boolean {
  return isSameVendor(manufacturer, 'Dell');
}

/** True when there is an entry that the group has not taken back yet: the list without it was not tried. */
function hasDropped({ ownership }: OwnedFirmware, { spec }: ServerFirmwareGroup): boolean {
  const wanted = new Set((spec.firmwares ?? []).map(entryKey));
  return [...ownership.groupEntries].some((key) => !wanted.has(key) && !ownership.otherEntries.has(key));
}

/** True when something that the group wants is not installed: what fails a wish of the server's own fails no group. */
function lacksEntryOf({ spec }: ServerFirmwareGroup, { differences }: OwnStanding): boolean {
  const missing = new Set(differences.filter(({ isFromGroup }) => isFromGroup).map(wishKey));
  return (spec.firmwares ?? []).some((entry) => missing.has(wishKey(entry)));
}

/** True when every entry of the group is there: as the group wants it, or as somebody who wins over it does. */
function carriesVersion(
  { spec, ownership }: OwnedFirmware,
  {
    group,
    serverManufacturer,
  }: { readonly group: ServerFirmwareGroup; readonly serverManufacturer: string | undefined },
): boolean {
  const present = new Map((spec.firmwares ?? []).map((entry) => [entryKey(entry), entry.version]));
  const theirs = takenParts(ownership, serverManufacturer);
  return (group.spec.firmwares ?? []).every(
    (entry) => present.get(entryKey(entry)) === entry.version || theirs.has(selectorKey(entry)),
  );
}
