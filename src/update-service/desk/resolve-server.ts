import type { Engine, MachineRecord } from '../../engine/index.ts';
import { UpdateError } from '../errors.ts';
import type { FleetNames } from '../names/fleet-names.ts';
import { checkName } from './check-request.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Finds the machine that a request means, by name or by id. Throws `invalidRequest`, `serverNotFound`. */
export async function resolveServer(
  parts: { readonly engine: Pick<Engine, 'machines'>; readonly names: Pick<FleetNames, 'machineOf'> },
  given: string | undefined,
): Promise<MachineRecord> {
  const name = checkName(given, 'server.name');
  const byId = uuid.test(name) ? await parts.engine.machines.get(name.toLowerCase()) : undefined;
  if (byId !== undefined) return byId;
  const id = await parts.names.machineOf(name);
  const machine = id === undefined ? undefined : await parts.engine.machines.get(id.toLowerCase());
  if (machine !== undefined) return machine;
  throw new UpdateError('serverNotFound', { server: name });
}
