import { type DiscoveredFirmware, ironcoreReasons, type Server, type ServerFirmwareGroup } from '../../api/index.ts';
import { detectVendor, type VendorTraces } from '../../bmc/index.ts';
import { forecastInstall } from '../../flasher/index.ts';
import { describePart, partName, selectorKey, toComponent } from '../../parts/index.ts';
import { compareVersions } from '../compare-versions.ts';
import { namesForPeople } from '../conditions.ts';
import { entryKey, readEntryKey } from '../fleet/ownership.ts';
import { productsOf } from '../server/available-products.ts';
import { type DesiredFirmware, describeEntry } from '../server/desired.ts';
import type { Difference } from '../server/differences.ts';
import type { PlannedFirmware, PlannedInstall, PlanReason, WantedBy } from './plan.ts';
import { fleetOf, type PlanFacts } from './settle-fleet.ts';

/** What tells how a server is updated before it is read. */
export interface HardwareTraces {
  readonly vendor: ReturnType<typeof detectVendor>;
  /** What discovery found for its model. */
  readonly discovered: DiscoveredFirmware | undefined;
}

/** Finds out about the hardware of servers from their objects. */
export function createTraces(facts: PlanFacts): (server: Server | undefined) => HardwareTraces {
  const byName = new Map(facts.bmcs.map((bmc) => [bmc.metadata.name, bmc]));
  const fleet = fleetOf(facts);
  return (server) => {
    const board = byName.get(server?.spec.bmcRef?.name ?? '')?.status;
    const manager = present({ Manufacturer: board?.manufacturer, Model: board?.model });
    const system = present({ Manufacturer: server?.status?.manufacturer });
    return { vendor: detectVendor({ root: {}, manager, system }), discovered: fleet.discoveredFor(server) };
  };
}

function present(members: Readonly<Record<string, string | undefined>>): VendorTraces['root'] {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as VendorTraces['root'];
}

/** Who wants a version: the group, or somebody who wins over it. */
export function wantedBy(wish: DesiredFirmware, group: ServerFirmwareGroup | undefined): WantedBy {
  const name = group?.metadata.name ?? '';
  if (wish.isFromGroup) return { kind: 'group', group: name };
  const entry = group?.spec.firmwares?.find((each) => selectorKey(each) === selectorKey(wish));
  return entry === undefined ? { kind: 'server' } : { kind: 'override', group: name, groupVersion: entry.version };
}

/** A difference as plans tell it. */
export function plannedFirmware(difference: Difference, by: WantedBy): PlannedFirmware {
  const { version, installed, relation } = difference;
  const component = toComponent(difference.name) ?? 'other';
  return { ...readEntryKey(entryKey(difference)), component, installed, wanted: version, relation, wantedBy: by };
}

/** The steps of an update that was not begun, as the flasher takes them, and what may come in its way. */
export function foretell(
  differences: readonly Difference[],
  { group, traces }: { readonly group: ServerFirmwareGroup | undefined; readonly traces: HardwareTraces },
): { readonly steps: readonly PlannedInstall[]; readonly notes: readonly PlanReason[] } {
  const images = differences.filter(isForItsParts).map((difference) => ({
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
  const notes = differences.flatMap((each) => notFound(each, traces.discovered));
  return { steps, notes };
}

/** False where discovery lists the version for other products only. The update service is asked all the same. */
export function isForItsParts({ isListedForOthers = false }: Difference): boolean {
  return !isListedForOthers;
}

/** Discovery lists the newest versions only, so that one that it does not list may still be in a catalogue. */
function notFound(wish: Difference, discovered: DiscoveredFirmware | undefined): PlanReason[] {
  if (discovered?.status?.lastDiscoveryTime === undefined || wish.unavailable !== undefined) return [];
  if (!isForItsParts(wish)) {
    const parts = namesForPeople(wish.parts.map(describePart));
    const message = `${describeEntry(wish)} ${wish.version} is listed for other products than ${parts}. The update leaves it out, unless the catalogue has it for these too.`;
    return [{ code: ironcoreReasons.notApplicable, message }];
  }
  const component = partName(wish.name);
  const isSame = (installed: string): boolean =>
    compareVersions({ manufacturer: wish.manufacturer, component, wanted: wish.version, installed }) === 'same';
  const products = productsOf(discovered).filter(({ name }) => partName(name) === component);
  const versions = products.flatMap((product) => product.versions);
  if (versions.some(isSame)) return [];
  const listed = versions.length === 0 ? 'none' : versions.join(', ');
  const { metadata, spec } = discovered;
  const setting = `spec.versionsToStore of DiscoveredFirmware ${metadata.name} is ${spec.versionsToStore ?? 3}`;
  const message = `${wish.name} ${wish.version} is not among the newest versions that discovery lists (${listed}; ${setting}). If the catalogue has it, it is installed; otherwise the update leaves it out.`;
  return [{ code: 'NotDiscovered', message }];
}
