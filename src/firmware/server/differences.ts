import {
  type DiscoveredFirmware,
  type Firmware,
  ironcoreReasons,
  type PartFirmware,
  type ResolvedFirmware,
  type ServerFirmwareStatus,
} from '../../api/index.ts';
import { describePart, getProductsOf, isPartOfServer, selectorKey, selectParts } from '../../parts/index.ts';
import { isSameVendor } from '../../versions/index.ts';
import type { CompareVersions, VersionRelation } from '../ports.ts';
import { type AvailableProduct, productsOf } from './available-products.ts';
import { biosName, classOf, type DesiredFirmware, describeEntry, desiredOf, type OwnedSpec } from './desired.ts';

/** One entry of spec that the server does not satisfy. */
export interface Difference extends Firmware {
  /** The versions on the parts that are not as they should be; undefined where there is no such part. */
  readonly installed: string | undefined;
  /**
   * `missing`: the entry applies to no installed part. `contradictory`: another entry means one of the parts and wants
   * another version.
   */
  readonly relation: VersionRelation | 'missing' | 'contradictory';
  /** True when the entry came from a group. */
  readonly isFromGroup: boolean;
  /** The parts that have another version than they should. */
  readonly parts: readonly PartFirmware[];
  /** Why it cannot be installed, as the update service last answered. */
  readonly unavailable?: { readonly code: string; readonly message: string } | undefined;
  /** True where discovery lists the version, but only for products that none of the parts is. */
  readonly isListedForOthers?: boolean;
  /** What there is of the class, for the message. */
  readonly others: readonly PartFirmware[];
  /** Slots that the entry means and must not change: an entry of the server's own decides there. */
  readonly excludedSlots: readonly string[];
}

/** What desired and installed versions are compared by. */
export interface ComparedServer {
  readonly firmware: OwnedSpec;
  readonly serverManufacturer: string | undefined;
  readonly discovered: DiscoveredFirmware | undefined;
  readonly compare: CompareVersions;
}

/** The parts of a server; a scan that tells only the version of the BIOS tells of a part, too. */
export function partsOf(
  status: ServerFirmwareStatus | undefined,
  serverManufacturer: string | undefined,
): readonly PartFirmware[] {
  const { bios, firmwares = [] } = status ?? {};
  if (bios === undefined || firmwares.some((part) => classOf(part) === biosName)) return firmwares;
  return [{ name: biosName, manufacturer: serverManufacturer ?? '', version: bios.version }, ...firmwares];
}

/** What differs between what is wanted and what was last seen installed. */
export function differencesOf(server: ComparedServer): readonly Difference[] {
  const { firmware, serverManufacturer, compare } = server;
  const installed = partsOf(firmware.status, serverManufacturer);
  const wishes = desiredOf(firmware, serverManufacturer);
  if (wishes.length === 0) return [];
  const catalogue = { products: productsOf(server.discovered), installed };
  const targets = wishes.map((entry) => findTarget(server, entry, catalogue));
  const contradictory = findContradictions(targets, compare);
  const kept = firstOfEach(withoutOverridden(targets, server));
  return kept.flatMap((target): Difference[] => {
    const { entry, parts, unavailable, isListedForOthers, excludedSlots } = target;
    const others = installed.filter((part) => classOf(part) === classOf(entry));
    const relations = parts.map((part) => relationOf(entry, part.version, compare));
    const behind = parts.filter((_, at) => relations[at] !== 'same');
    const shared = { ...entry, parts: behind, others, unavailable, isListedForOthers, excludedSlots };
    const versions = [...new Set((behind.length > 0 ? behind : parts).map(({ version }) => version))].join(', ');
    if (contradictory.has(wishKey(entry))) {
      return [{ ...shared, installed: versions === '' ? undefined : versions, relation: 'contradictory' }];
    }
    if (parts.length === 0)
      return excludedSlots.length > 0 ? [] : [{ ...shared, installed: undefined, relation: 'missing' }];
    const relation = relations.find((each) => each !== 'same');
    return relation === undefined ? [] : [{ ...shared, installed: versions, relation }];
  });
}

/** An entry and the parts that its version applies to. */
interface Target {
  readonly entry: DesiredFirmware;
  readonly parts: readonly PartFirmware[];
  readonly unavailable: Difference['unavailable'];
  /** True when the version is known to be for these parts: discovery lists it, or the update service answered so. */
  readonly isResolved: boolean;
  readonly isListedForOthers: boolean;
  /** Slots of the parts that an entry of the server's own has taken. */
  readonly excludedSlots: readonly string[];
}

function findTarget(
  { firmware, serverManufacturer = '', compare }: ComparedServer,
  entry: DesiredFirmware,
  known: { readonly products: readonly AvailableProduct[]; readonly installed: readonly PartFirmware[] },
): Target {
  const resolved = findResolved(firmware.status, entry);
  const slots = new Set(resolved?.slots);
  const products = known.products.filter((product) => classOf(product) === classOf(entry));
  const selected = selectParts(entry, { parts: known.installed, products, serverManufacturer });
  const listing = new Set(
    products.filter(({ versions }) => versions.some((version) => relationOf(entry, version, compare) === 'same')),
  );
  const named = selected.filter(
    (part) =>
      slots.has(part.slot ?? '') ||
      (listing.size > 0 && getProductsOf(products, part, serverManufacturer).some((product) => listing.has(product))),
  );
  const isResolved = named.length > 0;
  // Where the catalogue is not known to have the version, all parts count until the update service has answered.
  const parts = isResolved ? named : selected;
  const isListedForOthers = !isResolved && listing.size > 0;
  return { entry, parts, unavailable: unavailableBy(resolved), isResolved, isListedForOthers, excludedSlots: [] };
}

function unavailableBy(resolved: ResolvedFirmware | undefined): Difference['unavailable'] {
  const { reason: code, message = '' } = resolved ?? {};
  // What contradicts another entry is available once one of the two is gone.
  return code === undefined || code === ironcoreReasons.contradictoryEntries ? undefined : { code, message };
}

/** What the update service last answered to an entry. */
function findResolved(status: ServerFirmwareStatus | undefined, entry: Firmware): ResolvedFirmware | undefined {
  const entries = status?.resolved?.entries;
  if (entries === undefined || entries.length === 0) return undefined;
  const key = selectorKey(entry);
  return entries.find((each) => each.version === entry.version && selectorKey(each) === key);
}

function relationOf(entry: Firmware, installed: string, compare: CompareVersions): VersionRelation {
  return compare({ manufacturer: entry.manufacturer, component: classOf(entry), wanted: entry.version, installed });
}

/** Entries that want different versions of one part. What a server wants for itself wins over what its group wants. */
function findContradictions(targets: readonly Target[], compare: CompareVersions): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [one, other] of rivals(targets, compare)) {
    if (one.entry.isFromGroup !== other.entry.isFromGroup) continue;
    // An entry whose parts are not known yet may turn out to be for others: the update service tells.
    if (!isSameSelector(one, other) && !(one.isResolved && other.isResolved)) continue;
    found.add(wishKey(one.entry)).add(wishKey(other.entry));
  }
  return found;
}

function withoutOverridden(
  targets: readonly Target[],
  { compare, serverManufacturer = '' }: Pick<ComparedServer, 'compare' | 'serverManufacturer'>,
): readonly Target[] {
  const taken = new Map<Target, Set<PartFirmware>>();
  for (const [one, other] of rivals(targets, compare)) {
    if (one.entry.isFromGroup === other.entry.isFromGroup) continue;
    const [loser, winner] = one.entry.isFromGroup ? [one, other] : [other, one];
    if (!isSameSelector(one, other) && isVague(winner, serverManufacturer)) continue;
    taken.set(loser, (taken.get(loser) ?? new Set()).union(new Set(winner.parts)));
  }
  return targets.map((target) => {
    const lost = taken.get(target);
    if (lost === undefined) return target;
    const excluded = target.parts.filter((part) => lost.has(part));
    const excludedSlots = excluded.map(({ slot = '' }) => slot);
    return { ...target, parts: target.parts.filter((part) => !lost.has(part)), excludedSlots };
  });
}

/**
 * True for an entry that means some parts of a class, and nobody knows which: the maker of the server stands for those
 * that its version is published for.
 */
function isVague({ entry, isResolved }: Target, serverManufacturer: string): boolean {
  const { manufacturer, model = '', softwareId = '', slot = '' } = entry;
  const isNarrowed = [model, softwareId, slot].some((text) => text !== '');
  if (isResolved || isNarrowed || isPartOfServer(classOf(entry))) return false;
  return isSameVendor(manufacturer, serverManufacturer);
}

/** Pairs of entries that want different versions of one part, or of what nobody has seen. */
function* rivals(targets: readonly Target[], compare: CompareVersions): Generator<readonly [Target, Target]> {
  for (const [at, one] of targets.entries()) {
    for (const other of targets.slice(at + 1)) {
      if (classOf(one.entry) !== classOf(other.entry)) continue;
      if (!isSameSelector(one, other) && !one.parts.some((part) => other.parts.includes(part))) continue;
      if (relationOf(one.entry, other.entry.version, compare) !== 'same') yield [one, other];
    }
  }
}

function isSameSelector(one: Target, other: Target): boolean {
  return selectorKey(one.entry) === selectorKey(other.entry);
}

/** Entries that are written differently and mean the same are one. */
function firstOfEach(targets: readonly Target[]): readonly Target[] {
  return [...Map.groupBy(targets, ({ entry }) => wishKey(entry)).values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const isFromGroup = first.entry.isFromGroup && others.every(({ entry }) => entry.isFromGroup);
    return others.length === 0 ? [first] : [{ ...first, entry: { ...first.entry, isFromGroup } }];
  });
}

/** Equal for entries that want the same of the same parts. */
export function wishKey(entry: Firmware): string {
  return JSON.stringify([selectorKey(entry), entry.version]);
}

/** True for a difference that an update can be asked for. */
export function isInstallable({ relation }: Pick<Difference, 'relation'>): boolean {
  return relation !== 'missing' && relation !== 'contradictory';
}

/** Why a difference is not asked for, where no group holds it; undefined for one that is. */
export function obstacleOf({ relation, unavailable }: Difference): string | undefined {
  if (relation === 'contradictory') return ironcoreReasons.contradictoryEntries;
  if (relation === 'missing') return ironcoreReasons.notApplicable;
  return unavailable?.code;
}

const mostShown = 4;

/** A difference in words. */
export function describeDifference(difference: Difference): string {
  const { version, installed, relation, unavailable, others, name } = difference;
  const entry = describeEntry(difference);
  if (relation === 'contradictory') {
    return `${entry} should be ${version}, and another entry for the same firmware says otherwise; keep one of them`;
  }
  if (relation === 'missing') {
    const parts = others.slice(0, mostShown).map(describePart);
    const there = parts.length === 0 ? `the server shows no ${name} with a version` : `installed: ${parts.join('; ')}`;
    return `${entry} should be ${version}, and no installed part matches (${there}); correct the entry or remove it`;
  }
  const why = unavailable === undefined ? '' : `, and cannot be: ${unavailable.message}`;
  return `${entry} should be ${version} and is ${installed}${why}`;
}
