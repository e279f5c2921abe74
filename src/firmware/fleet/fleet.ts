import {
  type BMC,
  type DiscoveredFirmware,
  excludeLabel,
  groupAnnotation,
  ironcoreConditions,
  operationAnnotation,
  parkedAnnotation,
  type Server,
  type ServerFirmwareGroup,
} from '../../api/index.ts';
import { hardwareKeys, isHardwareOf } from '../../parts/index.ts';
import { conditionOf, isTrue } from '../conditions.ts';
import { hardwareOf } from '../hardware.ts';
import { createGroupBook } from './group-book.ts';
import type { FleetObjects, OwnedFirmware, OwnedServer } from './objects.ts';
import type { CompiledSelector, ObjectLabels } from './selector.ts';
import type { ObjectTable } from './table.ts';

/** The tables a fleet is read from. */
export type FleetTables = {
  readonly [K in 'servers' | 'firmwares' | 'groups']: ObjectTable<FleetObjects[K]>;
} & {
  /** Only for who decides whether servers are left alone. */
  readonly bmcs?: Pick<ObjectTable<BMC>, 'get'>;
  /** Only for what depends on which versions are available. */
  readonly discovered?: Pick<ObjectTable<DiscoveredFirmware>, 'byIndex'>;
};

/** How the servers, their firmware and the groups belong together; the same over caches and over listings. */
export interface Fleet {
  firmware(name: string): OwnedFirmware | undefined;
  server(name: string): OwnedServer | undefined;
  /** The BMC that a server is behind. */
  bmcOf(server: Server | undefined): BMC | undefined;
  /** The versions that discovery found for the hardware of a server: its SKU, else its machine type, else its model. */
  discoveredFor(server: Server | undefined): DiscoveredFirmware | undefined;
  group(name: string): ServerFirmwareGroup | undefined;
  groups(): readonly ServerFirmwareGroup[];
  /** The ServerFirmware objects that refer to a server; the first one counts. */
  firmwaresOf(server: string): readonly OwnedFirmware[];
  /** What the selector of a group selects, whatever hardware that is. */
  selectedBy(group: ServerFirmwareGroup): readonly OwnedFirmware[];
  /** Objects that have entries of a group of that name. */
  writtenBy(group: string): readonly OwnedFirmware[];
  /** The groups whose selectors select these labels, by name. */
  groupsOf(labels: ObjectLabels | undefined): readonly ServerFirmwareGroup[];
  /** One object for as long as no group comes, goes or changes its spec. */
  edition(): object;
}

/** A fleet over tables. */
export function createFleet(tables: FleetTables): Fleet {
  const book = createGroupBook(tables.groups);
  const candidates = ({ pairs }: CompiledSelector): readonly OwnedFirmware[] => {
    if (pairs === undefined) return tables.firmwares.list();
    const [pair] = pairs;
    // Pairs are of one label, of which an object has one value: nothing is found twice.
    if (pairs.length === 1 && pair !== undefined) return tables.firmwares.byIndex('label', pair);
    return pairs.flatMap((each) => tables.firmwares.byIndex('label', each));
  };
  return {
    firmware: (name) => tables.firmwares.get(name),
    server: (name) => tables.servers.get(name),
    bmcOf: (server) => (server?.spec.bmcRef === undefined ? undefined : tables.bmcs?.get(server.spec.bmcRef.name)),
    discoveredFor(server) {
      return server === undefined || tables.discovered === undefined
        ? undefined
        : findDiscovered(tables.discovered, server);
    },
    group: (name) => tables.groups.get(name),
    groups: () => tables.groups.list(),
    firmwaresOf: (server) => {
      const found = tables.firmwares.byIndex('server', server);
      return found.length > 1 ? found.toSorted(olderFirst) : found;
    },
    selectedBy(group) {
      const selector = book.selectorOf(group);
      return candidates(selector).filter(({ metadata }) => selector.matches(metadata?.labels));
    },
    writtenBy: (group) => tables.firmwares.byIndex('group', group),
    groupsOf: (labels) => book.selecting(labels),
    edition: () => book.edition(),
  };
}

/** The DiscoveredFirmware for a server: of several the one that names it most narrowly, of two equal ones the older. */
export function findDiscovered(
  discovered: Pick<ObjectTable<DiscoveredFirmware>, 'byIndex'>,
  { status = {} }: Pick<Server, 'status'>,
): DiscoveredFirmware | undefined {
  if (hardwareOf(status) === undefined) return undefined;
  for (const key of hardwareKeys(status)) {
    const [first] = discovered.byIndex('hardware', key).toSorted(olderFirst);
    if (first !== undefined) return first;
  }
  return undefined;
}

interface Dated {
  readonly metadata: { readonly name?: string; readonly creationTimestamp?: string | null };
}

/** Orders by age, then by name: of two that claim one thing, the first has it. */
export function olderFirst(a: Dated, b: Dated): number {
  const ageOf = ({ metadata }: Dated): string => `${metadata.creationTimestamp ?? '~'} ${metadata.name ?? ''}`;
  return ageOf(a) < ageOf(b) ? -1 : 1;
}

/** Why nothing may be done to a server. */
export interface Inertness {
  readonly code: string;
  readonly message: string;
}

/** Why a server is left alone; undefined for one that is worked on. */
export function inertnessOf(server: Server, bmc: BMC | undefined): Inertness | undefined {
  const { metadata, status } = server;
  const name = metadata.name ?? '';
  if (isExcluded(metadata.labels)) {
    return { code: 'Excluded', message: `Server ${name} carries the label ${excludeLabel}` };
  }
  if (isExcluded(bmc?.metadata.labels)) {
    return { code: 'BmcExcluded', message: `its BMC ${bmc?.metadata.name} carries the label ${excludeLabel}` };
  }
  if (metadata.annotations?.[parkedAnnotation] === 'true') {
    return { code: 'ServerParked', message: `Server ${name} is parked` };
  }
  if (metadata.annotations?.[operationAnnotation] === 'ignore') {
    return { code: 'ServerIgnored', message: `Server ${name} is to be ignored (${operationAnnotation})` };
  }
  const duplicate = conditionOf(status?.conditions, ironcoreConditions.duplicateMachine);
  if (duplicate?.status === 'True') return { code: 'DuplicateMachine', message: duplicate.message };
  return undefined;
}

/** True when an object's labels opt it out of firmware work. */
export function isExcluded(labels: ObjectLabels | undefined): boolean {
  const value = labels?.[excludeLabel];
  return value !== undefined && value !== 'false';
}

/** How a group and a server's hardware go together. */
export type HardwareFit = 'same' | 'other' | 'unknown';

/** Whether a server is of the manufacturer and model, SKU or machine type of a group. */
export function fitOf(group: ServerFirmwareGroup, server: Server | undefined): HardwareFit {
  const hardware = hardwareOf(server?.status ?? {});
  if (hardware === undefined) return 'unknown';
  return isHardwareOf(group.spec, server?.status ?? {}) ? 'same' : 'other';
}

/**
 * True when a group has stopped because too many of its servers failed. Also when its spec has changed since: whether that
 * is another version to try is for the group controller to say, before anything is written or installed.
 */
export function isHalted({ status }: ServerFirmwareGroup): boolean {
  return isTrue(status?.conditions, ironcoreConditions.halted);
}

/** True when a group writes nothing because it is told not to. */
export function isPaused({ spec }: ServerFirmwareGroup): boolean {
  return spec.paused === true;
}

/** The group whose entries a ServerFirmware has. */
export function groupNameOf({ metadata, ownership }: OwnedFirmware): string | undefined {
  return ownership.isGroupManaged ? metadata.annotations?.[groupAnnotation] : undefined;
}

/** True when an object says that it is gone as a duplicate. */
export function isDuplicate(server: Server): boolean {
  return isTrue(server.status?.conditions, ironcoreConditions.duplicateMachine);
}
