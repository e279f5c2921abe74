import { useQuery } from '@tanstack/react-query';
import { type KubeObject, resources } from '../api/kinds.ts';
import { listEvery } from '../api/objects.ts';
import type { AvailableFirmware } from './group-draft.ts';
import { type InstalledPart, toServerParts } from './offers.ts';
import { hardwareKey, hardwareKeys, isHardwareOf } from './parts.ts';

/** A manufacturer and a model, SKU or machine type. */
interface Hardware {
  readonly manufacturer: string;
  readonly model: string;
}

/** The hardware of a Server. */
export interface ServerHardware extends Hardware {
  readonly name: string;
  readonly sku: string;
}

/** A server and its parts. */
export interface KnownServer extends ServerHardware {
  readonly parts: readonly InstalledPart[];
}

const seldomMs = 300_000;

/** The parts of all servers, so that only what some part takes is offered. */
export function useServerParts() {
  return useQuery({
    queryKey: ['server parts'],
    queryFn: ({ signal }) => readServerParts(signal),
    staleTime: seldomMs,
    refetchInterval: seldomMs,
  });
}

async function readServerParts(signal: AbortSignal): Promise<readonly KnownServer[]> {
  const [servers, firmwares] = await Promise.all([
    listEvery(resources.servers, toServerHardware, signal),
    listEvery(resources.serverFirmwares, toServerParts, signal),
  ]);
  const partsOf = new Map(firmwares.map(({ server, parts }) => [server, parts]));
  return servers.map((server) => ({ ...server, parts: partsOf.get(server.name) ?? [] }));
}

/** A Server as far as its hardware goes. */
export function toServerHardware({ metadata, ...object }: KubeObject): ServerHardware {
  const { status = {} } = object as { readonly status?: Partial<Omit<ServerHardware, 'name'>> };
  const { manufacturer = '', model = '', sku = '' } = status;
  return { name: metadata.name, manufacturer, model, sku };
}

/** The parts of the servers that hardware names, by model, SKU or machine type; equal ones once. */
export function partsOfHardware(hardware: Hardware, servers: readonly KnownServer[]): readonly InstalledPart[] {
  const parts = servers.filter((server) => isHardwareOf(hardware, server)).flatMap((server) => server.parts);
  return [...new Map(parts.map((part) => [JSON.stringify(part), part])).values()];
}

/** What is available for hardware, listed under its own name or under another name of its servers. */
export function findAvailable(
  hardware: Hardware,
  available: readonly AvailableFirmware[],
  servers: readonly ServerHardware[] = [],
): AvailableFirmware | undefined {
  const names = servers.filter((server) => isHardwareOf(hardware, server)).flatMap(hardwareKeys);
  const found = [hardwareKey(hardware), ...names].flatMap(
    (name) => available.find(({ spec }) => hardwareKey(spec) === name) ?? [],
  );
  return found[0];
}
