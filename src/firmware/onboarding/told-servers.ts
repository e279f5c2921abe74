import {
  type Clock,
  type Controller,
  type ControllerOptions,
  type Decision,
  defineController,
  failed,
  ok,
  sleep,
  type Watch,
} from '../../kube/index.ts';
import { type Logger, silentLogger } from '../../telemetry/index.ts';
import { firmwareFailure } from '../errors.ts';
import type { OwnedServer } from '../fleet/objects.ts';
import type { ObjectTable } from '../fleet/table.ts';
import type { InventoryMirror, ToldServer } from '../ports.ts';

/** What the inventory is kept free of gone servers with. */
export interface ToldServersParts {
  readonly mirror: InventoryMirror;
  readonly servers: ObjectTable<OwnedServer>;
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
  /** How often the inventory is asked what it was told. */
  readonly everyMs: number;
  /** Servers that went while somebody watched, as `toldKey`. */
  readonly watches: readonly Watch[];
  /** Called when one was taken away: its names are free again. */
  readonly onRemoved: () => void;
}

/** What is looked at of a server that the inventory was told of. */
export interface ToldSeen extends ToldServer {
  /** True while a Server object is this machine. */
  readonly isThere: boolean;
}

/** Takes a server out of the inventory. */
export interface RemoveTold extends ToldServer {
  readonly kind: 'remove';
  readonly key: string;
}

/** What is decided about one of them. */
export type ToldDecision = Decision<RemoveTold, never>;

/** How a server is called in the queue: names of objects have no slash. */
export function toldKey({ id, name }: ToldServer): string {
  return `${id.toLowerCase()}/${name}`;
}

function readKey(key: string): ToldServer {
  const at = key.indexOf('/');
  return { id: key.slice(0, at), name: key.slice(at + 1) };
}

/** A server whose object is gone goes, whether or not somebody saw that go. Pure. */
export function decideTold({ id, name, isThere }: ToldSeen): ToldDecision {
  const effects: RemoveTold[] = isThere ? [] : [{ kind: 'remove', key: `remove/${id}`, id, name }];
  const message = isThere ? 'its Server is there' : 'its Server is gone';
  return { effects, status: undefined, wake: { on: 'change' }, why: [{ code: isThere ? 'There' : 'Gone', message }] };
}

/** Work on a server lets it stay until it is over. */
const busyMs = 60_000;
const retryMs = 30_000;

/** Compares what the inventory was told with the Servers that are there, at the start and every so often. */
export function createToldServersController(
  parts: ToldServersParts,
  options: ControllerOptions,
): Controller<RemoveTold, never> {
  const { mirror, servers } = parts;
  return defineController<ToldSeen, RemoveTold, never>(
    {
      name: 'inventory-cleaning',
      watches: [...parts.watches, watchInventory(parts)],
      read: (key) => {
        const told = readKey(key);
        return { ...told, isThere: servers.byIndex('uuid', told.id).length > 0 };
      },
      decide: decideTold,
      statusOf: () => undefined,
      writeStatus: async () => {},
      effects: {
        remove: async ({ id, name }) => {
          try {
            await mirror.remove(id, name);
          } catch (error) {
            const message = `the inventory keeps the server ${name}, whose object is gone: ${textOf(error)}`;
            return failed(firmwareFailure('MirrorFailed', message, { cause: error, retryAfterMs: busyMs }));
          }
          parts.onRemoved();
          return ok();
        },
      },
    },
    options,
  );
}

function watchInventory(parts: ToldServersParts): Watch {
  const { mirror, servers, clock, everyMs, logger = silentLogger } = parts;
  const look = async (wake: (key: string) => void, signal: AbortSignal): Promise<boolean> => {
    try {
      const told = (await mirror.told?.(signal)) ?? [];
      const gone = told.filter(({ id }) => servers.byIndex('uuid', id.toLowerCase()).length === 0);
      for (const one of signal.aborted ? [] : gone) wake(toldKey(one));
      return true;
    } catch (error) {
      logger.warn('the inventory does not say which servers it was told of; it is asked again', { error });
      return false;
    }
  };
  return {
    subscribe(wake) {
      const leaving = new AbortController();
      const follow = async (): Promise<void> => {
        while (!leaving.signal.aborted) {
          const isDone = await look(wake, leaving.signal);
          await sleep(clock, isDone ? everyMs : retryMs, leaving.signal);
        }
      };
      void follow();
      return () => leaving.abort();
    },
  };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
