import {
  type Bmc,
  connectBmc,
  type Gates,
  type Inventory,
  isBmcError,
  type JsonObject,
  listSystems,
  type Member,
  machineIdFrom,
  machineIdOf,
  readInventory,
  type TlsTrust,
} from '../../bmc/index.ts';
import type { Clock, Random } from '../../kube/index.ts';
import type { BmcReading, BmcTarget, PowerReading, ReadBmc, ReadPower, SystemReading } from '../ports.ts';

/** What BMCs are read with. */
export interface BmcReaderOptions {
  readonly gates: Gates;
  readonly clock: Clock;
  readonly random?: Random;
  /** How the certificate of a BMC is checked, by the name of its object. */
  readonly trustOf: (name: string) => TlsTrust;
}

/** Reads BMCs through their gates, so that the breaker and the pace of each are respected. */
export function createBmcReader(options: BmcReaderOptions): ReadBmc {
  return async (target) => {
    const endpoint = { origin: target.origin, credentials: target.credentials, trust: options.trustOf(target.name) };
    const connect = (systemPath?: string): Bmc =>
      connectBmc({ ...options, endpoint, ...(systemPath === undefined ? {} : { systemPath }) });
    let bmc: Bmc | undefined;
    try {
      bmc = connect();
      return await read(bmc, connect, target);
    } catch (error) {
      if (!isBmcError(error)) throw error;
      const code = codes[error.code] ?? 'BmcUnreadable';
      // The gate may have begun to back off just now.
      return { kind: 'failed', code, message: error.message, until: bmc?.gate.state.until };
    }
  };
}

/** A BMC that takes longer is busy, and is asked again at the next interval. */
const powerDeadlineMs = 10_000;

/** Reads the power of systems through the gates of their BMCs. */
export function createPowerReader(options: BmcReaderOptions): ReadPower {
  return async (target, paths, signal) => {
    const endpoint = { origin: target.origin, credentials: target.credentials, trust: options.trustOf(target.name) };
    const readings: PowerReading[] = [];
    for (const path of paths) {
      const within = AbortSignal.any([signal, AbortSignal.timeout(powerDeadlineMs)]);
      try {
        const { gate } = connectBmc({ ...options, endpoint });
        const { body } = await gate.request({ method: 'GET', path, maxTries: 1, signal: within });
        const [powerState, biosVersion] = [textIn(body, 'PowerState'), textIn(body, 'BiosVersion')];
        readings.push({ path, powerState, biosVersion });
      } catch (error) {
        // A BMC that is away is the business of the full reading.
        if (!isBmcError(error) && !within.aborted) throw error;
      }
    }
    return readings;
  };
}

const codes: Readonly<Record<string, string>> = {
  unreachable: 'BmcUnreachable',
  timeout: 'BmcUnreachable',
  credentials: 'CredentialsRefused',
  lockedOut: 'AccountLocked',
  certificate: 'CertificateNotTrusted',
  badAddress: 'BadAddress',
  sessionsExhausted: 'SessionsExhausted',
};

async function read(bmc: Bmc, connect: (path: string) => Bmc, target: BmcTarget): Promise<BmcReading> {
  const all = (await listSystems(bmc)).filter(({ body }) => (textIn(body, 'SystemType') ?? 'Physical') === 'Physical');
  const board = await readBoard(bmc, all[0]);
  const systems: SystemReading[] = [];
  const gaps: string[] = [];
  for (const system of all) {
    const one = connect(system.path);
    try {
      const id = await machineIdOf(one);
      const inventory = target.isFull ? await readInventory(one) : undefined;
      systems.push(describeSystem(system, { id, bmcSerial: board.serialNumber, inventory }));
    } catch (error) {
      // One system that cannot be told from others does not keep the rest away.
      if (!isBmcError(error, 'unsupported')) throw error;
      gaps.push(error.message);
    }
  }
  return { kind: 'read', board, systems, gaps };
}

type Board = Extract<BmcReading, { kind: 'read' }>['board'];

async function readBoard(bmc: Bmc, system: Member | undefined): Promise<Board> {
  const root = await bmc.root();
  const path = managerPath(system?.body) ?? undefined;
  const body = path === undefined ? {} : (await bmc.gate.request({ method: 'GET', path })).body;
  return {
    manufacturer:
      textIn(body, 'Manufacturer') ?? textIn(root.body, 'Vendor') ?? textIn(system?.body ?? {}, 'Manufacturer'),
    model: textIn(body, 'Model') ?? root.product,
    sku: textIn(body, 'SKU') ?? textIn(body, 'PartNumber'),
    serialNumber: textIn(body, 'SerialNumber') ?? textIn(body, 'UUID') ?? root.uuid,
    firmwareVersion: textIn(body, 'FirmwareVersion'),
    powerState: textIn(body, 'PowerState'),
  };
}

function managerPath(body: JsonObject | undefined): string | undefined {
  const links = body?.Links as { ManagedBy?: { '@odata.id'?: unknown }[] } | undefined;
  const path = Array.isArray(links?.ManagedBy) ? links.ManagedBy[0]?.['@odata.id'] : undefined;
  return typeof path === 'string' ? path : undefined;
}

function describeSystem(
  { path, body }: Member,
  known: { readonly id: string; readonly bmcSerial: string | undefined; readonly inventory: Inventory | undefined },
): SystemReading {
  const { inventory } = known;
  const memory = (body.MemorySummary ?? {}) as { TotalSystemMemoryGiB?: unknown };
  const gib = typeof memory.TotalSystemMemoryGiB === 'number' ? memory.TotalSystemMemoryGiB : undefined;
  return {
    path,
    id: known.id.toLowerCase(),
    fallbackId: machineIdFrom({ uuid: undefined, bmcSerial: known.bmcSerial, systemPath: path }),
    manufacturer: textIn(body, 'Manufacturer'),
    model: textIn(body, 'Model'),
    sku: textIn(body, 'SKU'),
    serialNumber: textIn(body, 'SerialNumber'),
    biosVersion: textIn(body, 'BiosVersion'),
    powerState: textIn(body, 'PowerState'),
    memoryMib: gib === undefined ? undefined : Math.round(gib * 1024),
    interfaces: inventory?.ports.map(({ id, mac }) => ({ name: id, mac })),
    processors: inventory?.processors.map(({ id, model, cores }) => ({ id, model, cores })),
  };
}

function textIn(body: JsonObject, name: string): string | undefined {
  const value = body[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
