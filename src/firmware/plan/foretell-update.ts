import type { DiscoveredFirmware, Server, ServerFirmwareGroup } from '../../api/index.ts';
import { detectVendor, type VendorTraces } from '../../bmc/index.ts';
import { forecastInstall, partKey, partName, toComponent } from '../../flasher/index.ts';
import { compareVersions } from '../compare-versions.ts';
import { entryKey } from '../fleet/ownership.ts';
import type { ObjectTable } from '../fleet/table.ts';
import { hardwareKey, hardwareOf } from '../hardware.ts';
import { biosName, type Difference } from '../server/desired.ts';
import type { PlannedFirmware, PlannedInstall, PlanReason, WantedBy } from './plan.ts';
import type { PlanFacts } from './settle-fleet.ts';

/** What tells how a server is updated before it is read. */
export interface HardwareTraces {
  readonly vendor: ReturnType<typeof detectVendor>;
  /** What discovery found for its model. */
  readonly discovered: DiscoveredFirmware | undefined;
}

/** Finds out about the hardware of servers from their objects. */
export function createTraces({ bmcs, discovered }: PlanFacts): (server: Server | undefined) => HardwareTraces {
  const byName = new Map(bmcs.map((bmc) => [bmc.metadata.name, bmc]));
  return (server) => {
    const board = byName.get(server?.spec.bmcRef?.name ?? '')?.status;
    const manager = present({ Manufacturer: board?.manufacturer, Model: board?.model });
    const system = present({ Manufacturer: server?.status?.manufacturer });
    return { vendor: detectVendor({ root: {}, manager, system }), discovered: discoveredFor(discovered, server) };
  };
}

function present(members: Readonly<Record<string, string | undefined>>): VendorTraces['root'] {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as VendorTraces['root'];
}

function discoveredFor(
  table: ObjectTable<DiscoveredFirmware>,
  server: Server | undefined,
): DiscoveredFirmware | undefined {
  const hardware = hardwareOf(server?.status ?? {});
  return hardware === undefined ? undefined : table.byIndex('hardware', hardwareKey(hardware))[0];
}

/** Who wants a version: the group, or somebody who wins over it. */
export function wantedBy(
  wish: Pick<Difference, 'name' | 'manufacturer' | 'isFromGroup'>,
  group: ServerFirmwareGroup | undefined,
): WantedBy {
  const name = group?.metadata.name ?? '';
  if (wish.isFromGroup) return { kind: 'group', group: name };
  const entry = group?.spec.firmwares?.find((each) => partKey(each) === partKey(wish));
  return entry === undefined ? { kind: 'server' } : { kind: 'override', group: name, groupVersion: entry.version };
}

/** A difference as plans tell it. */
export function plannedFirmware(difference: Difference, by: WantedBy): PlannedFirmware {
  const { name, manufacturer, version, installed, relation } = difference;
  const component = toComponent(name) ?? 'other';
  return { name, manufacturer, component, installed, wanted: version, relation, wantedBy: by };
}

/** The steps of an update that was not begun, as the flasher takes them, and what may come in its way. */
export function foretell(
  differences: readonly Difference[],
  { group, traces }: { readonly group: ServerFirmwareGroup | undefined; readonly traces: HardwareTraces },
): { readonly steps: readonly PlannedInstall[]; readonly notes: readonly PlanReason[] } {
  const images = differences.map((difference) => ({
    id: entryKey(difference),
    component: toComponent(difference.name) ?? ('other' as const),
    version: difference.version,
    difference,
  }));
  const steps = forecastInstall(traces.vendor, images).map(
    ({ image: { difference }, restarts, isByItself, isPowerCycle, isHostOff }, at): PlannedInstall => ({
      order: at + 1,
      ...plannedFirmware(difference, wantedBy(difference, group)),
      restarts,
      isByItself,
      isPowerCycle,
      isHostOff,
    }),
  );
  const notes = differences.flatMap((each) => [...notSeen(each), ...notFound(each, traces.discovered)]);
  return { steps, notes };
}

/** True for what the last scan saw: of the rest an update installs only what it finds all the same. */
export function isSeen({ relation }: Pick<Difference, 'relation'>): boolean {
  return relation !== 'missing';
}

function notSeen(wish: Difference): PlanReason[] {
  if (isSeen(wish)) return [];
  const maker = wish.manufacturer === '' ? '' : ` (${wish.manufacturer})`;
  const message = `The last scan saw no ${wish.name}${maker}: the update is asked for ${wish.version} all the same, and leaves it out unless it finds one. What that would restart is not counted.`;
  return [{ code: 'NotSeen', message }];
}

/** Discovery keeps the newest versions only, so that one that it did not find may still be in a catalogue. */
function notFound(wish: Difference, discovered: DiscoveredFirmware | undefined): PlanReason[] {
  const versions = versionsOf(wish, discovered);
  const isSame = (installed: string): boolean =>
    compareVersions({
      manufacturer: wish.manufacturer,
      component: partName(wish.name),
      wanted: wish.version,
      installed,
    }) === 'same';
  if (versions === undefined || versions.some(isSame)) return [];
  const found = versions.length === 0 ? 'none' : versions.join(', ');
  const message = `${wish.name} ${wish.version} is not among the newest versions that discovery found (${found}); if no catalogue has it, no job is made.`;
  return [{ code: 'NotDiscovered', message }];
}

function versionsOf(wish: Difference, discovered: DiscoveredFirmware | undefined): readonly string[] | undefined {
  const { status } = discovered ?? {};
  if (status?.lastDiscoveryTime === undefined) return undefined;
  if (partName(wish.name) === biosName) return status.bios?.versions ?? [];
  const found = status.firmwares?.find((each) => partKey(each) === partKey(wish));
  return found === undefined ? [] : (found.versions ?? found.version ?? []);
}
