import { ironcoreApiVersion, ironcoreConditions } from '../../api/index.ts';
import {
  type Clock,
  type Controller,
  type ControllerOptions,
  type Decision,
  defineController,
  type EventDraft,
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
  /** The Server object that is this machine. */
  readonly server: OwnedServer | undefined;
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

/**
 * A server whose object is gone goes, whether or not somebody saw that go. One that has another record too is told: its
 * work goes on under the lock that both share. Pure.
 */
export function decideTold({ id, name, server, duplicates = [] }: ToldSeen): ToldDecision {
  const isThere = server !== undefined;
  const effects: RemoveTold[] = isThere ? [] : [{ kind: 'remove', key: `remove/${id}`, id, name }];
  const message = isThere ? 'its Server is there' : 'its Server is gone';
  return {
    ...{ effects, status: undefined, wake: { on: 'change' } },
    why: [{ code: isThere ? 'There' : 'Gone', message }],
    ...(duplicates.length === 0 ? {} : { events: [duplicateEvent(duplicates)] }),
  };
}

function duplicateEvent(duplicates: readonly string[]): EventDraft {
  const others = `${duplicates.length === 1 ? 'record' : 'records'} ${duplicates.join(', ')}`;
  const message = `By what its BMC says, this machine is also the ${others} of the inventory; they share one lock. Delete the wrong one, or correct its address.`;
  return { type: 'Warning', reason: ironcoreConditions.duplicateMachine, message };
}

/** Work on a server lets it stay until it is over. */
const busyMs = 60_000;
const retryMs = 30_000;

/** What was last heard of other records of the same machines, by `toldKey`. */
type KnownDuplicates = Map<string, readonly string[]>;

/** Compares what the inventory was told with the Servers that are there, at the start and every so often. */
export function createToldServersController(
  parts: ToldServersParts,
  options: ControllerOptions,
): Controller<RemoveTold, never> {
  const { mirror, servers } = parts;
  const duplicates: KnownDuplicates = new Map();
  return defineController<ToldSeen, RemoveTold, never>(
    {
      name: 'inventory-cleaning',
      watches: [...parts.watches, watchInventory(parts, duplicates)],
      read: (key) => {
        const told = readKey(key);
        return { ...told, server: servers.byIndex('uuid', told.id)[0], duplicates: duplicates.get(key) };
      },
      decide: decideTold,
      statusOf: () => undefined,
      writeStatus: async () => {},
      subjectOf: ({ server }) => server && { ...server, apiVersion: ironcoreApiVersion, kind: 'Server' },
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

/** How soon after news of work on servers they are asked for other records of their machines, all at once. */
const gatherMs = 5000;

function watchInventory(parts: ToldServersParts, duplicates: KnownDuplicates): Watch {
  const { mirror, servers, clock, everyMs, logger = silentLogger } = parts;
  const look = async (wake: (key: string) => void, signal: AbortSignal): Promise<boolean> => {
    try {
      const told = (await mirror.told?.(signal)) ?? [];
      const twice = told.filter((one) => one.duplicates !== undefined && one.duplicates.length > 0);
      duplicates.clear();
      for (const one of twice) duplicates.set(toldKey(one), one.duplicates ?? []);
      const gone = told.filter(({ id }) => servers.byIndex('uuid', id.toLowerCase()).length === 0);
      for (const one of signal.aborted ? [] : new Set([...gone, ...twice])) wake(toldKey(one));
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
      const unlisten = followWork(parts, { duplicates, wake, signal: leaving.signal });
      return () => {
        leaving.abort();
        unlisten();
      };
    },
  };
}

interface FollowingWork {
  readonly duplicates: KnownDuplicates;
  readonly wake: (key: string) => void;
  readonly signal: AbortSignal;
}

/** Duplicates are found out by work: what is new is told at once and not when the inventory is asked the next time. */
function followWork(parts: ToldServersParts, { duplicates, wake, signal }: FollowingWork): () => void {
  const { mirror, servers, clock, logger = silentLogger } = parts;
  const waiting = new Set<string>();
  const lookAt = async (ids: readonly string[]): Promise<void> => {
    const found = await mirror.duplicatesOf?.(ids);
    const all = [...(found ?? [])].flatMap(([id, others]) => others.map((other) => [id, other] as const));
    const pairs = new Set(all.flatMap(([id, other]) => [`${id} ${other}`, `${other} ${id}`]));
    const byId = Map.groupBy([...pairs].sort(), (pair) => pair.split(' ')[0] ?? '');
    for (const [id, told] of byId) {
      const [server] = servers.byIndex('uuid', id);
      const others = told.map((pair) => pair.split(' ')[1] ?? '');
      const key = toldKey({ id, name: server?.metadata.name ?? '' });
      if (server === undefined || others.every((other) => duplicates.get(key)?.includes(other))) continue;
      duplicates.set(key, [...new Set([...(duplicates.get(key) ?? []), ...others])]);
      wake(key);
    }
  };
  const gather = async (): Promise<void> => {
    await sleep(clock, gatherMs, signal);
    const ids = [...waiting];
    waiting.clear();
    if (signal.aborted) return;
    await lookAt(ids).catch((error: unknown) => logger.debug('duplicates are looked for later', { error }));
  };
  const unlisten = mirror.onWork?.((id) => {
    const isFirst = waiting.size === 0;
    waiting.add(id);
    if (isFirst) void gather();
  });
  return () => unlisten?.();
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
