import { setTimeout as delay } from 'node:timers/promises';
import { fillNamespace, prepare } from './bench-resource.ts';
import { HttpConnection } from './http-connection.ts';
import type { MeasuredServer } from './measured-server.ts';
import type { Figures } from './measurements.ts';

const idleMs = 10_000;

/**
 * Fills a server that has done nothing before, gives it an idle moment to give back what it needs no more, and takes the
 * resident memory of all its processes: every page counts, also those of the program itself and of shared libraries.
 */
export async function measureMemory(
  server: MeasuredServer,
  { objects, clients }: { readonly objects: number; readonly clients: number },
): Promise<Figures> {
  const connection = await HttpConnection.open(server.endpoint);
  await prepare(connection, ['bench']);
  connection.close();
  const idleMiB = server.residentMiB();
  await fillNamespace('bench', { endpoint: server.endpoint, clients, from: 0, to: objects });
  await delay(idleMs);
  return { idleMiB, heldMiB: server.residentMiB(), readyMs: server.readyMs };
}
