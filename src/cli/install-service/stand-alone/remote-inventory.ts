import type { TokenSource } from '../../../conditionorc/index.ts';
import { toFirmware } from '../../../flasher/index.ts';
import { backoffDelay, type Clock, sleep, systemClock } from '../../../kube/index.ts';
import { type InventoryAccess, knownUuid } from '../inventory-access.ts';
import { knownMachineOf, type NotedServer } from '../known-machine.ts';
import { createRestClient, isUnreachable, type RestCall, type RestClient, statusOfRefusal } from '../rest-client.ts';

/** What Serverservice could not do for a flasher; `retry` says whether that may pass. */
export class RemoteInventoryError extends Error {
  override readonly name = 'RemoteInventoryError';
  readonly code = 'inventory';
  readonly retry: 'transient' | 'terminal';

  constructor(message: string, retry: 'transient' | 'terminal', cause: unknown) {
    super(message, { cause });
    this.retry = retry;
  }
}

/** Where Serverservice is. */
export interface RemoteInventoryOptions {
  readonly url: string;
  readonly token: TokenSource;
  readonly caPem: string | undefined;
  readonly clock?: Clock;
}

/** An inventory over HTTP. */
export interface RemoteInventory extends InventoryAccess {
  close(): Promise<void>;
}

/** What is read of a server. */
interface ShownServer {
  readonly uuid: string;
  readonly bmc_address: string;
  readonly bmc_uuid?: string;
  readonly serial?: string;
  readonly system_uuid?: string;
  readonly attributes?: NotedServer['attributes'];
  readonly versioned_attributes?: NotedServer['versionedAttributes'];
}

type SetFirmware = Parameters<typeof toFirmware>[0] & { readonly upstream_url?: string };

/** The inventory of a Serverservice elsewhere. */
export function remoteInventory(options: RemoteInventoryOptions): RemoteInventory {
  const client = createRestClient({ url: options.url, token: options.token, caPem: options.caPem });
  const ask = insisting(client, options.clock ?? systemClock);
  const read = async <T>(path: string) => (await ask<{ record: T }>({ method: 'GET', path }))?.record;
  const of = (id: string): string => `/api/v1/servers/${encodeURIComponent(id)}`;
  return {
    async serverOf(id) {
      const found = await read<ShownServer>(of(id));
      if (found === undefined) return undefined;
      const { uuid, serial, system_uuid: systemUuid, attributes, versioned_attributes: versionedAttributes } = found;
      const machine = knownMachineOf({ id: uuid, systemUuid, serial, attributes, versionedAttributes });
      return { bmcAddress: found.bmc_address, machine, ...knownUuid(found.bmc_uuid) };
    },
    async bmcLoginOf(id) {
      const found = await read<{ username: string; password: string }>(`${of(id)}/credentials/bmc`);
      return found === undefined ? undefined : { username: found.username, password: found.password };
    },
    async firmwareSet(id) {
      const path = `/api/v1/server-component-firmware-sets/${encodeURIComponent(id)}`;
      const set = await read<{ component_firmware: readonly SetFirmware[] }>(path);
      return set?.component_firmware.map((one) =>
        toFirmware({ ...one, URL: one.repository_url || (one.upstream_url ?? '') }),
      );
    },
    close: () => client.close(),
  };
}

const backoff = { baseMs: 250, maxMs: 5000 };

/** A service that is restarted is back in so many tries; work is let go only when it is not. */
const mostTries = 8;

/** Asks again while the service is away; undefined for what it does not have. */
function insisting(client: RestClient, clock: Clock) {
  return async <T>(call: RestCall): Promise<T | undefined> => {
    for (let tries = 1; ; tries++) {
      try {
        return await client.ask<T>(call);
      } catch (error) {
        const status = statusOfRefusal(error);
        if (status === 404) return undefined;
        const doesPass = isUnreachable(error) || isPassing(status);
        if (!doesPass || tries >= mostTries || status === 401 || status === 403) throw explain(call, error, doesPass);
        await sleep(clock, backoffDelay(backoff, tries, Math.random));
      }
    }
  };
}

/** Tokens are renewed and roles are given by people: what lacks them waits. */
function isPassing(status: number | undefined): boolean {
  return status !== undefined && (status >= 500 || [401, 403, 408, 429].includes(status));
}

function explain({ method, path }: RestCall, error: unknown, doesPass: boolean): RemoteInventoryError {
  const why = error instanceof Error ? error.message : String(error);
  return new RemoteInventoryError(
    `Serverservice: ${method} ${path}: ${why}`,
    doesPass ? 'transient' : 'terminal',
    error,
  );
}
