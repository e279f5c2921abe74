import { parseBmcAddress, type TlsTrust } from '../../bmc/index.ts';
import { machineIdOf } from '../../engine/index.ts';
import type { ServerDirectory } from '../../flasher/index.ts';
import { isInventoryError, type Serverservice } from '../../serverservice/index.ts';

/** Where the BMCs of the inventory are and how to log in there; the inventory is asked anew each time. */
export function createServerDirectory(
  service: Pick<Serverservice, 'servers' | 'credentials'>,
  trustOf: (origin: string) => TlsTrust,
): ServerDirectory {
  return {
    async find(target) {
      const id = machineIdOf(target);
      const server = id === undefined ? undefined : await orMissing(service.servers.get(id));
      if (server === undefined || server.bmcAddress === '') return undefined;
      // Without them nobody can log in; better said before than after a few attempts.
      if ((await orMissing(service.credentials.get(server.id, 'bmc'))) === undefined) return undefined;
      const { origin, systemPath } = parseBmcAddress(server.bmcAddress);
      const credentials = async () => {
        const { username, password } = await service.credentials.get(server.id, 'bmc');
        return { username, password };
      };
      const endpoint = { origin, trust: trustOf(origin), credentials };
      return systemPath === undefined ? { endpoint } : { endpoint, systemPath };
    },
  };
}

/** Undefined for what the inventory does not have. */
export async function orMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isInventoryError(error, 'notFound')) return undefined;
    throw error;
  }
}
