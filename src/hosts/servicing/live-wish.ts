import type { HostFirmwareComponents, HostFirmwareSettings } from '../../api/index.ts';
import { type FirmwareWish, firmwareWishOf } from '../decide/firmware-wish.ts';
import type { HostSeen } from '../decide/seen.ts';

type Companions = Pick<HostSeen, 'firmwareSettings' | 'firmwareComponents' | 'updatePolicy'>;

/** What the companions of a host in use want changed, as far as its policy lets them. */
export interface LiveWish extends FirmwareWish {
  /** False when no policy allows anything, or nothing is asked for: what is under way is given up then. */
  readonly isSpecified: boolean;
}

/** What a policy allows while a host is in use; without one, nothing. */
export function allowedBy({ updatePolicy }: Pick<HostSeen, 'updatePolicy'>): {
  readonly settings: boolean;
  readonly updates: boolean;
} {
  const { firmwareSettings, firmwareUpdates } = updatePolicy?.spec ?? {};
  return { settings: firmwareSettings === 'onReboot', updates: firmwareUpdates === 'onReboot' };
}

/** True when any settings are asked for, whether they are there already or not. */
export function hasSettings(companion: HostFirmwareSettings | undefined): boolean {
  return Object.keys(companion?.spec?.settings ?? {}).length > 0;
}

/** True when any updates are asked for, whether they are there already or not. */
export function hasUpdates(companion: HostFirmwareComponents | undefined): boolean {
  return (companion?.spec?.updates ?? []).length > 0;
}

/** All that may begin a live update or end one: read from what was written, so that no controller has to catch up first. */
export function permissionsOf(seen: Companions): readonly boolean[] {
  const allowed = allowedBy(seen);
  return [
    allowed.settings,
    allowed.updates,
    allowed.settings && hasSettings(seen.firmwareSettings),
    allowed.updates && hasUpdates(seen.firmwareComponents),
  ];
}

/** Reads that wish out of the companions. */
export function liveWishOf(seen: Companions): LiveWish {
  const allowed = allowedBy(seen);
  const [, , isSettingSpecified, isUpdateSpecified] = permissionsOf(seen);
  const wish = firmwareWishOf({
    firmwareSettings: allowed.settings ? seen.firmwareSettings : undefined,
    firmwareComponents: allowed.updates ? seen.firmwareComponents : undefined,
  });
  return { ...wish, isSpecified: isSettingSpecified === true || isUpdateSpecified === true };
}

/** A change of firmware in words; without addresses, which may hold passwords. */
export function describeChange({
  settings = {},
  updates = [],
}: {
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  readonly updates?: readonly { readonly component: string }[] | undefined;
}): string {
  const names = Object.keys(settings);
  const parts = [
    ...(names.length === 0 ? [] : [`BIOS settings ${names.join(', ')}`]),
    ...(updates.length === 0 ? [] : [`firmware of ${updates.map(({ component }) => component).join(', ')}`]),
  ];
  return parts.length === 0 ? 'nothing' : parts.join('; ');
}
