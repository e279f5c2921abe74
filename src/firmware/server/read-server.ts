import type { ServerFirmwareGroup } from '../../api/index.ts';
import { type Fleet, groupNameOf, type Inertness, isHalted, isPaused } from '../fleet/fleet.ts';
import type { OwnedFirmware } from '../fleet/objects.ts';
import type { CompareVersions } from '../ports.ts';
import type { FirmwareSettings } from '../settings.ts';
import type { ServerSeen } from './server-facts.ts';

/** What a look at a server needs besides the fleet. */
export interface ServerReading {
  readonly compare: CompareVersions;
  readonly settings: FirmwareSettings;
}

/** Puts together what the server controller looks at; undefined when the object is gone. */
export function readServerSeen(fleet: Fleet, name: string, reading: ServerReading): ServerSeen | undefined {
  const firmware = fleet.firmware(name);
  if (firmware === undefined) return undefined;
  const server = fleet.server(firmware.spec.serverRef.name);
  const groupName = groupNameOf(firmware);
  const group = groupName === undefined ? undefined : fleet.group(groupName);
  return {
    firmware,
    server,
    bmc: fleet.bmcOf(server),
    discovered: fleet.discoveredFor(server),
    duplicateOf: duplicateOf(fleet, firmware),
    hold: group === undefined ? undefined : holdOf(group),
    ...reading,
  };
}

/** The older ServerFirmware that refers to the same server; undefined for the one that counts. */
export function duplicateOf(fleet: Pick<Fleet, 'firmwaresOf'>, { metadata, spec }: OwnedFirmware): string | undefined {
  const [first] = fleet.firmwaresOf(spec.serverRef.name);
  return first?.metadata.name === metadata.name ? undefined : first?.metadata.name;
}

/** Why a group's entries are not installed now. */
export function holdOf(group: ServerFirmwareGroup): Inertness | undefined {
  const { name } = group.metadata;
  if (isPaused(group)) return { code: 'GroupPaused', message: `the group ${name} is paused` };
  if (!isHalted(group)) return undefined;
  return { code: 'GroupHalted', message: `the group ${name} has halted, since too many of its servers failed` };
}
