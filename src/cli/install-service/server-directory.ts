import { parseBmcAddress, type TlsTrust } from '../../bmc/index.ts';
import { machineIdOf } from '../../engine/index.ts';
import { FlasherError, type ServerDirectory } from '../../flasher/index.ts';
import { isLoopback } from '../../rest/index.ts';
import type { InventoryAccess } from './inventory-access.ts';

/** Where the BMCs of the inventory are and how to log in there; the inventory is asked anew each time. */
export function createServerDirectory(
  inventory: Pick<InventoryAccess, 'serverOf' | 'bmcLoginOf'>,
  trust: TlsTrust,
): ServerDirectory {
  return {
    async find(target) {
      const id = machineIdOf(target);
      const server = id === undefined ? undefined : await inventory.serverOf(id);
      if (id === undefined || server === undefined || server.bmcAddress === '') return undefined;
      // Without it nobody can log in; better said before than after a few attempts.
      if ((await inventory.bmcLoginOf(id)) === undefined) return undefined;
      const { bmcAddress, machine, bmcUuid: serviceUuid } = server;
      const { origin, systemPath } = parseBmcAddress(bmcAddress);
      const credentials = async () => {
        const login = await inventory.bmcLoginOf(id);
        if (login === undefined) throw new FlasherError('unknownServer', { target });
        return login;
      };
      const endpoint = { origin, trust, credentials, serviceUuid };
      return systemPath === undefined ? { endpoint, machine } : { endpoint, machine, systemPath };
    },
  };
}

/** The same for a rehearsal, whose patience would be too little for real servers: only BMCs on this machine are worked on. */
export function onlySimulated(directory: ServerDirectory): ServerDirectory {
  return {
    async find(target) {
      const found = await directory.find(target);
      if (found === undefined) return undefined;
      const { origin } = found.endpoint;
      if (!isLoopback(new URL(origin).hostname)) throw new FlasherError('notSimulated', { origin });
      return found;
    },
  };
}
