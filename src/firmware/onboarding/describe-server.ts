import { isDeepStrictEqual } from 'node:util';
import { ironcoreConditions, parkedAnnotation, type Server, type ServerStatus } from '../../api/index.ts';
import type { Instant } from '../../kube/index.ts';
import { writeConditions } from '../conditions.ts';
import type { Inertness } from '../fleet/fleet.ts';
import type { SystemReading } from '../ports.ts';

const powerStates: readonly string[] = ['On', 'Off', 'Paused', 'PoweringOn', 'PoweringOff'];

const { ready } = ironcoreConditions;

/** What no short reading tells, and a scan: of another board it is not true. Named, so that it is taken away. */
const unknown = { bios: undefined, networkInterfaces: undefined, processors: undefined };

/** What the object holds: a BMC that tells more, or nothing where something has to be, must not keep the rest from it. */
const longestVersion = 253;
const mostInterfaces = 256;

function isNamed({ length }: string): boolean {
  return length > 0;
}

/**
 * The status of a Server with what its BMC told; undefined when that changes nothing. With `isOther` it is another machine
 * than the one that the status tells of. Pure.
 */
export function describeServer(
  server: Server | undefined,
  system: SystemReading,
  { now, isOther = false }: { readonly now: Instant; readonly isOther?: boolean },
): ServerStatus | undefined {
  const known = server?.status ?? {};
  const before = (isOther ? { ...known, ...unknown } : known) as ServerStatus;
  const message = 'It was read through its BMC.';
  const drafts = [{ type: ready, status: 'True', reason: 'Read', message } as const];
  const context = { before: before.conditions, generation: server?.metadata.generation, now };
  const read = {
    manufacturer: system.manufacturer,
    model: system.model,
    sku: system.sku,
    serialNumber: system.serialNumber,
    biosVersion: system.biosVersion,
    // Scans tell which BIOS is installed, once there was one.
    bios: before.bios ?? biosOf(system),
    powerState: powerStates.includes(system.powerState ?? '') ? system.powerState : undefined,
    totalSystemMemory: system.memoryMib === undefined ? undefined : `${system.memoryMib}Mi`,
    networkInterfaces: system.interfaces
      ?.filter(({ name }) => isNamed(name))
      .slice(0, mostInterfaces)
      .map(({ name, mac }) => ({ name, macAddress: mac })),
    processors: system.processors
      ?.filter(({ id }) => isNamed(id))
      .map(({ id, model, cores }) => ({
        id,
        ...(model === undefined ? {} : { model }),
        ...(cores === undefined ? {} : { totalCores: cores }),
      })),
    state: stateOf(server),
    conditions: writeConditions(drafts, context, [ready]),
  };
  const told = Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined));
  const isPowerGone = read.powerState === undefined && before.powerState !== undefined;
  const after = { ...before, ...told, ...(isPowerGone ? { powerState: undefined } : {}) } as ServerStatus;
  return isDeepStrictEqual(after, known) ? undefined : after;
}

function biosOf({ biosVersion }: SystemReading): ServerStatus['bios'] {
  return biosVersion === undefined ? undefined : { version: biosVersion.slice(0, longestVersion) };
}

/** The status of a Server that its BMC does not tell of; undefined when that changes nothing. Pure. */
export function describeUnread(
  { metadata, status = {} }: Server,
  { code: reason, message }: Inertness,
  now: Instant,
): ServerStatus | undefined {
  const context = { before: status.conditions, generation: metadata.generation, now };
  const after = {
    ...status,
    ...(status.state === 'Available' ? { state: 'Error' } : {}),
    ...(status.powerState === undefined ? {} : { powerState: undefined }),
    conditions: writeConditions([{ type: ready, status: 'False', reason, message }], context, [ready]),
  } as ServerStatus;
  return isDeepStrictEqual(after, status) ? undefined : after;
}

/** That none of the systems behind a BMC is the one of a Server. */
export function describeMissing({ spec }: Server, systems: readonly SystemReading[]): Inertness {
  const there = systems.map(({ id, path }) => `${id} at ${path}`).join(', ') || 'none';
  const message = `its BMC has no system with the UUID ${spec.systemUUID}; correct spec.systemUUID or its BMC. There are: ${there}`;
  return { code: 'SystemNotFound', message };
}

function stateOf(server: Server | undefined): ServerStatus['state'] {
  if (server?.metadata.annotations?.[parkedAnnotation] === 'true') return 'Parked';
  return server?.spec.serverClaimRef === undefined ? 'Available' : 'Reserved';
}
