import { isDeepStrictEqual } from 'node:util';
import { groupAnnotation, type Server, type ServerFirmwareGroup } from '../api/index.ts';
import { type Change, type Clock, type Timer, type Watch, watchInformer } from '../kube/index.ts';
import { hardwareKey } from '../parts/index.ts';
import { bmcKeyOf } from './fleet/bmc-location.ts';
import { type Fleet, isExcluded, isHalted } from './fleet/fleet.ts';
import type { FleetInformers } from './fleet/informers.ts';
import type { OwnedFirmware } from './fleet/objects.ts';
import { toldKey } from './onboarding/told-servers.ts';
import { holdOf } from './server/read-server.ts';

/** What wakes each controller. */
export interface FleetWatches {
  readonly server: readonly Watch[];
  readonly members: readonly Watch[];
  readonly groups: readonly Watch[];
  readonly discovery: readonly Watch[];
  readonly bmcs: readonly Watch[];
  /** Servers that say themselves where their BMC is. */
  readonly inline: readonly Watch[];
  /** BMCs behind which a Server was just scanned. */
  readonly scannedBmcs: Watch;
  /** Servers that were just scanned. */
  readonly scannedServers: Watch;
  readonly onboarding: readonly Watch[];
  /** Servers that went, as the inventory was told of them. */
  readonly told: readonly Watch[];
}

/** Wires the caches to the controllers, so that a change wakes only whom it concerns. */
export function createFleetWatches(informers: FleetInformers, fleet: Fleet, gathering: Gathering): FleetWatches {
  const gather = (watch: Watch): Watch => gatherWakes(watch, gathering);
  return {
    server: [
      watchInformer(informers.firmwares, (key, change) => [
        ...(isSame(change, serverPartsOf) && !isNewlyAnswered(change) && !isForgotten(change) ? [] : [key]),
        ...(isAppearing(change) ? rivalsOf(fleet, change) : []),
      ]),
      watchInformer(informers.servers, (_, change) =>
        isSame(change, serverFactsOf) ? [] : firmwaresOf(fleet, change),
      ),
      watchInformer(informers.bmcs, (key, change) => {
        if (isSame(change, ({ metadata }) => isExcluded(metadata.labels))) return [];
        return informers.servers.byIndex('bmc', key).flatMap((server) => fleet.firmwaresOf(nameOf(server)).map(nameOf));
      }),
      // Its entries wake a server when they are written; of the group itself only whether it holds them back counts.
      watchInformer(informers.groups, (key, change) =>
        isSame(change, holdOf) ? [] : fleet.writtenBy(key).map(nameOf),
      ),
      watchInformer(informers.discovered, (_, change) => {
        if (isSame(change, ({ status }) => [status?.bios, status?.firmwares])) return [];
        return serversOf(informers, change).flatMap((server) => fleet.firmwaresOf(server).map(nameOf));
      }),
    ],
    members: [
      watchInformer(informers.firmwares, (key, change) => (isSame(change, memberPartsOf) ? [] : [key])),
      watchInformer(informers.servers, (_, change) =>
        isSame(change, hardwarePartsOf) ? [] : firmwaresOf(fleet, change),
      ),
      watchInformer(informers.groups, (key, change) =>
        isSame(change, writingPartsOf) ? [] : [...concernedBy(fleet, key, change)],
      ),
    ],
    groups: [
      watchInformer(informers.groups, (key, change) => (isSame(change, groupPartsOf) ? [] : [key])),
      gather(
        watchInformer(informers.groups, (key, change) => {
          if (isSame(change, ({ spec }) => spec)) return [];
          const members = [...concernedBy(fleet, key, change)].flatMap((name) => fleet.firmware(name) ?? []);
          return [...new Set(members.flatMap(({ metadata }) => fleet.groupsOf(metadata.labels).map(nameOf)))];
        }),
      ),
      gather(
        watchInformer(informers.firmwares, (_, { previous, current }) =>
          [previous, current].flatMap((each) =>
            each === undefined ? [] : fleet.groupsOf(each.metadata.labels).map(nameOf),
          ),
        ),
      ),
      gather(
        watchInformer(informers.servers, (_, change) => {
          if (isSame(change, hardwarePartsOf)) return [];
          const names = firmwaresOf(fleet, change);
          return names.flatMap((name) => fleet.groupsOf(fleet.firmware(name)?.metadata.labels).map(nameOf));
        }),
      ),
      // Which parts a version is for depends on what discovery lists.
      gather(
        watchInformer(informers.discovered, (_, change) => {
          if (isSame(change, ({ status }) => [status?.bios, status?.firmwares])) return [];
          const firmwares = serversOf(informers, change).flatMap((server) => fleet.firmwaresOf(server));
          return [...new Set(firmwares.flatMap(({ metadata }) => fleet.groupsOf(metadata.labels).map(nameOf)))];
        }),
      ),
    ],
    discovery: [
      watchInformer(informers.discovered, (key, change) => [
        ...(isSame(change, discoveryPartsOf) ? [] : [key]),
        // Of two about one model, the second has its turn when the first goes.
        ...(isAppearing(change) ? twinsOf(informers, change) : []),
      ]),
    ],
    bmcs: [
      watchInformer(informers.bmcs, (key, change) => (isSame(change, bmcPartsOf) ? [] : [key])),
      watchInformer(informers.bmcSecrets, (key) => informers.bmcs.byIndex('secret', key).map(nameOf)),
      watchInformer(informers.servers, (_, { previous, current }) => {
        const { bmcRef } = (current ?? previous)?.spec ?? {};
        return bmcRef === undefined ? [] : [bmcRef.name];
      }),
    ],
    inline: [
      watchInformer(informers.servers, (key, change) => (isSame(change, inlinePartsOf) ? [] : [key])),
      watchInformer(informers.bmcSecrets, (key) => informers.servers.byIndex('secret', key).map(nameOf)),
    ],
    scannedBmcs: watchInformer(informers.firmwares, (_, change) =>
      scannedServer(change).flatMap((name) => informers.servers.get(name)?.spec.bmcRef?.name ?? []),
    ),
    scannedServers: watchInformer(informers.firmwares, (_, change) => scannedServer(change)),
    told: [
      watchInformer(informers.servers, (key, { previous, current }) => {
        const [before, after] = [previous?.spec.systemUUID, current?.spec.systemUUID];
        return before === undefined || before === after ? [] : [toldKey({ id: before, name: key })];
      }),
    ],
    onboarding: [
      watchInformer(informers.servers, (key, change) => [
        key,
        // Of two that claim one machine, the second has its turn when the first goes.
        ...(isAppearing(change) ? claimantsOf(informers, change) : []),
      ]),
      watchInformer(informers.firmwares, (_, change) =>
        isSame(change, ({ metadata, status, ownership }) => [
          [metadata.labels, metadata.ownerReferences, status?.systemUUID],
          [ownership.onboardedLabels, ownership.isOnboarded],
        ])
          ? []
          : [(change.current ?? change.previous)?.spec.serverRef.name ?? ''],
      ),
      watchInformer(informers.discovered, (_, change) =>
        change.current === undefined ? serversOf(informers, change) : [],
      ),
      watchInformer(informers.bmcs, (key, change) =>
        isSame(change, ({ spec, metadata }) => [spec, isExcluded(metadata.labels)])
          ? []
          : [...informers.servers.byIndex('bmc', key), ...servedAt(informers, change)].map(nameOf),
      ),
      watchInformer(informers.bmcSecrets, (key) => {
        const bmcs = informers.bmcs.byIndex('secret', key).map(nameOf);
        const servers = bmcs.flatMap((bmc) => informers.servers.byIndex('bmc', bmc));
        return [...servers, ...informers.servers.byIndex('secret', key)].map(nameOf);
      }),
    ],
  };
}

/** How wakes are gathered. */
export interface Gathering {
  readonly clock: Clock;
  readonly gatherMs: number;
}

/** Wakes a key once for all changes of a while. */
function gatherWakes(watch: Watch, { clock, gatherMs }: Gathering): Watch {
  return {
    subscribe(wake) {
      const timers = new Map<string, Timer>();
      const leave = watch.subscribe((key) => {
        if (timers.has(key)) return;
        const fire = (): void => {
          timers.delete(key);
          wake(key);
        };
        timers.set(key, clock.after(gatherMs, fire));
      });
      return () => {
        leave();
        for (const timer of timers.values()) timer.cancel();
        timers.clear();
      };
    },
  };
}

/** True when nothing of what counts has changed; a look that was asked for without a change always counts. */
function isSame<T>({ previous, current }: Change<T>, partsOf: (object: T) => unknown): boolean {
  if (previous === undefined || current === undefined || previous === current) return false;
  return isDeepStrictEqual(partsOf(previous), partsOf(current));
}

function isAppearing<T>({ previous, current }: Change<T>): boolean {
  return previous === undefined || current === undefined;
}

interface Named {
  readonly metadata: { readonly name?: string };
}

function nameOf({ metadata }: Named): string {
  return metadata.name ?? '';
}

/** True when an older report answered the open request and changed nothing else. */
function isNewlyAnswered({ previous, current }: Change<OwnedFirmware>): boolean {
  return previous?.status?.request?.report === undefined && current?.status?.request?.report !== undefined;
}

/** True when onboarding forgot the machine that the Server was before, with a scan of it that was asked for. */
function isForgotten({ previous, current }: Change<OwnedFirmware>): boolean {
  const before = previous?.status?.systemUUID;
  return before !== undefined && before !== current?.status?.systemUUID;
}

/** The Server of a ServerFirmware that shows a newer scan. */
function scannedServer({ previous, current }: Change<OwnedFirmware>): string[] {
  if (previous === undefined || current === undefined) return [];
  return previous.status?.lastScanTime === current.status?.lastScanTime ? [] : [current.spec.serverRef.name];
}

/** What the server controller did not write itself. */
function serverPartsOf({ metadata, status, ownership }: OwnedFirmware): unknown {
  const { generation, labels, annotations, deletionTimestamp } = metadata;
  const { report, lastScanTime, bios, firmwares, attempts, failedScans, resolved } = status ?? {};
  return [
    [generation, labels, annotations, deletionTimestamp, ownership],
    [report, lastScanTime, bios, firmwares, attempts, failedScans, resolved],
  ];
}

function serverFactsOf({ metadata, spec, status }: Server): unknown {
  const { manufacturer, model, sku, bios, biosVersion, conditions } = status ?? {};
  const duplicate = conditions?.find(({ type }) => type === 'DuplicateMachine')?.status;
  return [
    [metadata.labels, metadata.annotations, spec.systemUUID, spec.bmcRef?.name],
    [manufacturer, model, sku, bios, biosVersion, duplicate],
  ];
}

function hardwarePartsOf({ status }: Server): unknown {
  return [status?.manufacturer, status?.model, status?.sku];
}

function memberPartsOf({ metadata, ownership }: OwnedFirmware): unknown {
  const { generation, labels, annotations, deletionTimestamp } = metadata;
  return [generation, labels, annotations?.[groupAnnotation], deletionTimestamp, ownership];
}

function writingPartsOf(group: ServerFirmwareGroup): unknown {
  return [group.spec, group.metadata.deletionTimestamp, isHalted(group)];
}

function groupPartsOf({ metadata }: ServerFirmwareGroup): unknown {
  return [metadata.generation, metadata.annotations, metadata.deletionTimestamp];
}

function discoveryPartsOf({ metadata, status }: FleetObject<'discovered'>): unknown {
  const { report, lastDiscoveryTime, failedRuns, request } = status ?? {};
  return [
    metadata.generation,
    metadata.deletionTimestamp,
    report,
    lastDiscoveryTime,
    failedRuns,
    request === undefined,
  ];
}

function bmcPartsOf({ metadata }: FleetObject<'bmcs'>): unknown {
  return [metadata.generation, metadata.labels, metadata.annotations, metadata.deletionTimestamp];
}

function inlinePartsOf({ metadata, spec }: Server): unknown {
  const { generation, labels, annotations, deletionTimestamp } = metadata;
  return spec.bmc === undefined ? undefined : [generation, labels, annotations, deletionTimestamp];
}

/** Servers that name a BMC by its address: with an object of that BMC they have its lock, without it their own. */
function servedAt(informers: FleetInformers, { previous, current }: Change<FleetObject<'bmcs'>>): readonly Server[] {
  const addresses = new Set([previous, current].flatMap((bmc) => (bmc === undefined ? [] : [bmcKeyOf(bmc)])));
  return [...addresses].flatMap((address) => informers.servers.byIndex('address', address));
}

function claimantsOf(informers: FleetInformers, { previous, current }: Change<Server>): string[] {
  const uuid = (current ?? previous)?.spec.systemUUID.toLowerCase() ?? '';
  return informers.servers.byIndex('uuid', uuid).map(nameOf);
}

type FleetObject<K extends keyof FleetInformers> = NonNullable<ReturnType<FleetInformers[K]['get']>>;

function rivalsOf(fleet: Fleet, { previous, current }: Change<OwnedFirmware>): string[] {
  const server = (current ?? previous)?.spec.serverRef.name;
  return server === undefined ? [] : fleet.firmwaresOf(server).map(nameOf);
}

function firmwaresOf(fleet: Fleet, { previous, current }: Change<Server>): string[] {
  return fleet.firmwaresOf((current ?? previous)?.metadata.name ?? '').map(nameOf);
}

function concernedBy(fleet: Fleet, key: string, { previous, current }: Change<ServerFirmwareGroup>): Set<string> {
  const selected = [previous, current].flatMap((group) => (group === undefined ? [] : fleet.selectedBy(group)));
  return new Set([...selected, ...fleet.writtenBy(key)].map(nameOf));
}

function twinsOf(informers: FleetInformers, { previous, current }: Change<FleetObject<'discovered'>>): string[] {
  const object = current ?? previous;
  return object === undefined ? [] : informers.discovered.byIndex('hardware', hardwareKey(object.spec)).map(nameOf);
}

function serversOf(informers: FleetInformers, { previous, current }: Change<FleetObject<'discovered'>>): string[] {
  const object = current ?? previous;
  return object === undefined ? [] : informers.servers.byIndex('hardware', hardwareKey(object.spec)).map(nameOf);
}
