import type { Condition, HostFirmwareComponents, HostFirmwareSettings } from '../../api/index.ts';
import type { FirmwareSettings, FirmwareUpdate } from '../../provisioners/index.ts';
import type { HostSeen } from './seen.ts';

/** What the companions of a host want changed in its firmware. */
export interface FirmwareWish {
  /** False while a companion says nothing yet about what its owner last wrote. */
  readonly isReady: boolean;
  /** Only what differs; undefined when nothing does. */
  readonly settings: FirmwareSettings | undefined;
  readonly updates: readonly FirmwareUpdate[] | undefined;
}

/** Reads the wish out of the companions. What is not valid is not wanted. */
export function firmwareWishOf(seen: Pick<HostSeen, 'firmwareSettings' | 'firmwareComponents'>): FirmwareWish {
  const settings = settingsWish(seen.firmwareSettings);
  const updates = updatesWish(seen.firmwareComponents);
  return {
    isReady: settings !== 'unknown' && updates !== 'unknown',
    settings: settings === 'unknown' ? undefined : settings,
    updates: updates === 'unknown' ? undefined : updates,
  };
}

function settingsWish(companion: HostFirmwareSettings | undefined): FirmwareSettings | 'unknown' | undefined {
  const wanted = companion?.spec?.settings ?? {};
  if (companion === undefined || Object.keys(wanted).length === 0) return undefined;
  const standing = standingOf(companion.status?.conditions, companion.metadata.generation);
  if (standing !== 'wanted') return standing === 'unknown' ? 'unknown' : undefined;
  const has = companion.status?.settings ?? {};
  const differing = Object.entries(wanted).filter(([name, value]) => String(value) !== has[name]);
  return differing.length === 0 ? undefined : Object.fromEntries(differing);
}

function updatesWish(companion: HostFirmwareComponents | undefined): readonly FirmwareUpdate[] | 'unknown' | undefined {
  const wanted = companion?.spec?.updates ?? [];
  if (companion === undefined || wanted.length === 0) return undefined;
  const standing = standingOf(companion.status?.conditions, companion.metadata.generation);
  if (standing === 'unknown') return 'unknown';
  if (standing === 'invalid') return undefined;
  const begun = companion.status?.updates ?? [];
  const isBegun = (update: FirmwareUpdate): boolean =>
    begun.some(({ component, url }) => component === update.component && url === update.url);
  const differing = wanted.filter((update) => !isBegun(update));
  return differing.length === 0 ? undefined : differing;
}

function standingOf(
  conditions: readonly Condition[] | undefined,
  generation: number | undefined,
): 'unknown' | 'invalid' | 'settled' | 'wanted' {
  const current = (type: string): Condition | undefined =>
    conditions?.find((each) => each.type === type && each.observedGeneration === generation);
  const [changed, valid] = [current('ChangeDetected'), current('Valid')];
  if (changed === undefined || valid === undefined) return 'unknown';
  if (valid.status !== 'True') return 'invalid';
  return changed.status === 'True' ? 'wanted' : 'settled';
}
