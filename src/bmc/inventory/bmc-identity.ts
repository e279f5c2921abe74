import type { Bmc } from '../bmc.ts';
import { isBmcError } from '../errors.ts';
import { bareRoot, firstTextIn, listSystems, type System, textIn } from '../redfish/index.ts';
import { usableUuid } from './machine-id.ts';
import { usableSerial } from './other-machine.ts';

/** What a system says of itself. Placeholders are left out. */
export interface SystemIdentity {
  readonly uuid?: string;
  readonly serial?: string;
}

/** What a BMC says of itself, by which it is known behind whatever address. */
export interface BmcIdentity {
  /** The system that the BMC is asked about; missing where it has several and none is named. */
  readonly system?: SystemIdentity;
  /** All systems behind the BMC that say who they are, `system` among them. */
  readonly systems: readonly SystemIdentity[];
  /** The UUID of its service root. */
  readonly serviceUuid?: string;
}

/** Reads what was sent as an identity; undefined for what is none. */
export function parseBmcIdentity(value: unknown): BmcIdentity | undefined {
  const { system, systems, serviceUuid } = Object(value) as Record<string, unknown>;
  if (!Array.isArray(systems) || systems.length > mostSystems + 1 || !isOptionalUuid(serviceUuid)) return undefined;
  const all = [...systems, ...(system === undefined ? [] : [system])];
  return all.every(isSystemIdentity) ? (value as BmcIdentity) : undefined;
}

function isSystemIdentity(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { uuid, serial } = value as Record<string, unknown>;
  return isOptionalUuid(uuid) && isOptionalText(serial);
}

function isOptionalUuid(value: unknown): boolean {
  return (
    value === undefined || (typeof value === 'string' && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value))
  );
}

function isOptionalText(value: unknown): boolean {
  return value === undefined || (typeof value === 'string' && value.length <= 255);
}

/** What a system says of itself. */
export function systemIdentityOf({ body }: Pick<System, 'body'>): SystemIdentity {
  const uuid = usableUuid(textIn(body, 'UUID'));
  const serial = usableSerial(firstTextIn(body, 'SerialNumber', 'ServiceTag'));
  return { ...(uuid === undefined ? {} : { uuid }), ...(serial === undefined ? {} : { serial }) };
}

/** Enclosures have fewer; what partitions a BMC lists beyond that are not asked who they are. */
const mostSystems = 32;

/**
 * What a BMC says of itself, with the system that was read of it already. The other systems are asked for only where the
 * address names one or the BMC has several. Throws BmcErrors; a list of systems that cannot be read counts as none.
 */
export async function readBmcIdentity(bmc: Bmc, system: System | undefined): Promise<BmcIdentity> {
  const serviceUuid = usableUuid((await bareRoot(bmc)).uuid);
  const others = system !== undefined && bmc.systemPath === undefined ? [] : await otherSystems(bmc, system);
  const own = system === undefined ? undefined : systemIdentityOf(system);
  const all = [...(own === undefined ? [] : [own]), ...others.map(systemIdentityOf)];
  return {
    ...(own === undefined ? {} : { system: own }),
    systems: all.filter(({ uuid, serial }) => uuid !== undefined || serial !== undefined),
    ...(serviceUuid === undefined ? {} : { serviceUuid }),
  };
}

async function otherSystems(bmc: Bmc, system: System | undefined): Promise<readonly System[]> {
  try {
    const all = await listSystems(bmc, system === undefined ? {} : { except: system.path });
    return all.slice(0, mostSystems);
  } catch (error) {
    if (!isBmcError(error, 'notFound', 'unsupported')) throw error;
    return [];
  }
}
