import { isDeepStrictEqual } from 'node:util';
import { ironcoreConditions, parkedAnnotation, type Server, type ServerStatus } from '../../api/index.ts';
import type { Instant } from '../../kube/index.ts';
import { writeConditions } from '../conditions.ts';
import type { SystemReading } from '../ports.ts';

const powerStates: readonly string[] = ['On', 'Off', 'Paused', 'PoweringOn', 'PoweringOff'];

/** The status of a Server with what its BMC told; undefined when that changes nothing. Pure. */
export function describeServer(
  server: Server | undefined,
  system: SystemReading,
  now: Instant,
): ServerStatus | undefined {
  const before = server?.status ?? {};
  const { ready } = ironcoreConditions;
  const message = 'It was read through its BMC.';
  const drafts = [{ type: ready, status: 'True', reason: 'Read', message } as const];
  const context = { before: before.conditions, generation: server?.metadata.generation, now };
  const known = {
    manufacturer: system.manufacturer,
    model: system.model,
    sku: system.sku,
    serialNumber: system.serialNumber,
    biosVersion: system.biosVersion,
    // Scans tell which BIOS is installed, once there was one.
    bios: before.bios ?? (system.biosVersion === undefined ? undefined : { version: system.biosVersion }),
    powerState: powerStates.includes(system.powerState ?? '') ? system.powerState : undefined,
    totalSystemMemory: system.memoryMib === undefined ? undefined : `${system.memoryMib}Mi`,
    networkInterfaces: system.interfaces?.map(({ name, mac }) => ({ name, macAddress: mac })),
    processors: system.processors?.map(({ id, model, cores }) => ({
      id,
      ...(model === undefined ? {} : { model }),
      ...(cores === undefined ? {} : { totalCores: cores }),
    })),
    state: stateOf(server),
    conditions: writeConditions(drafts, context, [ready]),
  };
  const told = Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
  const after = { ...before, ...told } as ServerStatus;
  return isDeepStrictEqual(after, before) ? undefined : after;
}

function stateOf(server: Server | undefined): ServerStatus['state'] {
  if (server?.metadata.annotations?.[parkedAnnotation] === 'true') return 'Parked';
  return server?.spec.serverClaimRef === undefined ? 'Available' : 'Reserved';
}
