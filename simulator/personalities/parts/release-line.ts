import type { ComponentType } from '../../images/component-type.ts';
import type { FirmwareSlot } from '../../machine/firmware.ts';
import { hashOf } from './fleet-numbers.ts';

/** One version of a piece of firmware. */
export interface Release {
  readonly version: string;
  /** The day it came out: `2023-07-20`. */
  readonly date: string;
}

/** All versions of one piece of firmware, oldest first; the last one is on no server out of the box. */
export interface ReleaseLine {
  readonly softwareId: string;
  readonly component: ComponentType;
  /** As the inventory names it. */
  readonly name: string;
  /** The server models it is for; all of the vendor's unless given. */
  readonly models?: readonly string[];
  /** The model of the NIC, disk or power supply it runs on. */
  readonly part?: string;
  /** False where the vendor shows it but gives no image of its own. */
  readonly isUpdateable?: boolean;
  readonly releases: readonly [Release, ...Release[]];
}

/** Shortens tables of releases: `['2.1.0', '2023-07-20']` pairs. */
export function releases(
  first: readonly [string, string],
  ...more: readonly (readonly [string, string])[]
): ReleaseLine['releases'] {
  const release = ([version, date]: readonly [string, string]): Release => ({ version, date });
  return [release(first), ...more.map(release)];
}

/** Where a piece of firmware is installed. */
export interface SlotOrder {
  readonly slot: string;
  /** The server's serial number: it decides which of the older versions is there. */
  readonly serial: string;
  /** Instead of the line's name. */
  readonly name?: string;
  /** Say what was there before, where there was something. */
  readonly doesKeepPrevious?: boolean;
}

/** The slot out of the box: some version before the newest, as in a fleet bought over years. */
export function installLine(line: ReleaseLine, order: SlotOrder): FirmwareSlot {
  const old = Math.max(1, line.releases.length - 1);
  const at = hashOf(`${order.serial} ${line.softwareId}`) % old;
  const previous = at > 0 ? line.releases[at - 1] : undefined;
  return {
    slot: order.slot,
    component: line.component,
    name: order.name ?? line.name,
    isUpdateable: line.isUpdateable ?? true,
    softwareId: line.softwareId,
    version: (line.releases[at] ?? line.releases[0]).version,
    ...(order.doesKeepPrevious === true && previous !== undefined ? { previousVersion: previous.version } : {}),
  };
}

/** The line for a server model that the given test picks. */
export function findLine(
  lines: readonly ReleaseLine[],
  order: { readonly model: string; readonly component: ComponentType; readonly part?: string; readonly name?: string },
): ReleaseLine {
  const found = lines.find(
    (line) =>
      line.component === order.component &&
      (line.models === undefined || line.models.includes(order.model)) &&
      (order.part === undefined || line.part === order.part) &&
      (order.name === undefined || line.name === order.name),
  );
  if (found === undefined) {
    throw new Error(
      `No firmware is known for ${order.component} ${order.part ?? order.name ?? ''} of ${order.model}: add a line of releases for it`,
    );
  }
  return found;
}

/** Looks up when a version came out; undefined for one that is in no line. */
export function releaseDates(
  lines: readonly ReleaseLine[],
): (order: { readonly softwareId: string; readonly version: string }) => string | undefined {
  const dates = new Map(
    lines.flatMap((line) => line.releases.map(({ version, date }) => [`${line.softwareId} ${version}`, date] as const)),
  );
  return ({ softwareId, version }) => dates.get(`${softwareId} ${version}`);
}
