import { EngineError, type JsonObject, type ReportOutcome, type WorkerPort } from '../../engine/index.ts';
import type { InventorySink } from '../../flasher/index.ts';
import { type Clock, sleep, systemClock } from '../../kube/index.ts';
import { isOrcError } from '../errors.ts';
import { showInventoryReport } from './inventory-body.ts';
import { longestWaitMs, readLease } from './wire.ts';
import { createWorkerClient, type WorkerClient, type WorkerClientOptions } from './worker-client.ts';

/** How a worker works for an engine in another process. */
export interface RemoteWorkerPortOptions extends WorkerClientOptions {
  readonly clock?: Clock;
}

/** The way to an engine over HTTP. */
export interface RemoteWorkerPort extends WorkerPort {
  /** Where inventories go that are read under leases of that engine. */
  readonly inventorySink: InventorySink;
  /** Lets requests in hand end, then closes connections. */
  close(): Promise<void>;
}

type Held = { readonly conditionId: string; readonly token: number };

/** How long to wait before standing in line again after the way was broken. */
const retryMs = 1000;

/** Makes the way to an engine in another process, by conditionOrc's worker API. */
export function createRemoteWorkerPort(options: RemoteWorkerPortOptions): RemoteWorkerPort {
  const client = createWorkerClient(options);
  const clock = options.clock ?? systemClock;
  return {
    async online({ id, kinds, facilities, isFencedByHeartbeats = false }) {
      const body = { workerId: id, kinds: [...kinds], facilities: [...facilities], isFencedByHeartbeats };
      await client.post({ what: 'online', body });
    },
    async heartbeat(workerId) {
      await client.post({ what: 'heartbeat', body: { workerId } });
    },
    async offline(workerId) {
      await client.post({ what: 'offline', body: { workerId } });
    },
    lease: createLeasing(client, clock),
    async report(lease, report) {
      const body = { ...nameOf(lease), report: report as JsonObject };
      return readOutcome(await client.post({ what: 'report', body }));
    },
    async check(lease, { requestMs } = {}) {
      const request = requestMs === undefined ? {} : { requestMs };
      await client.post({ what: 'check', body: { ...nameOf(lease), ...request } });
    },
    async release(lease, why, how = {}) {
      await client.post({ what: 'release', body: { ...nameOf(lease), why, ...(how as JsonObject) } });
    },
    acquireSlot: (name, lease, signal) => acquireSlot({ client, clock }, { name, lease: nameOf(lease), signal }),
    inventorySink: {
      async write(report) {
        await client.post({ what: 'inventory', body: showInventoryReport(report) as unknown as JsonObject });
      },
    },
    close: () => client.close(),
  };
}

function nameOf({ conditionId, token }: Held): { conditionId: string; token: number } {
  return { conditionId, token };
}

/** Remembers the batch that arrived last, so that one that was lost on its way is sent again. */
function createLeasing(client: WorkerClient, clock: Clock): WorkerPort['lease'] {
  const seen = new Map<string, string>();
  const ask = async (workerId: string, asked: Parameters<WorkerPort['lease']>[1]) => {
    const { max, waitMs, signal, target } = asked;
    const last = seen.get(workerId);
    const aim = target === undefined ? {} : { target };
    const body = { workerId, max, waitMs, ...aim, ...(last === undefined ? {} : { seen: last }) };
    const answer = await client.post({ what: 'lease', body, waitMs, ...(signal === undefined ? {} : { signal }) });
    seen.set(workerId, String(answer.batch));
    return (answer.leases as JsonObject[]).map(readLease);
  };
  return async (workerId, asked) => {
    const { waitMs, signal } = asked;
    const end = clock.monotonic() + waitMs;
    for (;;) {
      if (signal?.aborted === true) return [];
      const left = Math.max(0, Math.min(end - clock.monotonic(), longestWaitMs));
      const leases = await ask(workerId, { ...asked, waitMs: Math.floor(left) }).catch((error: unknown) => {
        // Whoever gave up waiting did not fail; what was leased meanwhile is given back over there.
        if (signal?.aborted === true) return [];
        throw error;
      });
      if (leases.length > 0 || clock.monotonic() >= end) return leases;
    }
  };
}

function readOutcome(answer: JsonObject): ReportOutcome {
  if (answer.outcome === 'lost') return { outcome: 'lost', why: String(answer.why) };
  const kept = answer as unknown as Extract<ReportOutcome, { outcome: 'kept' }>;
  return { outcome: 'kept', until: kept.until, cancel: kept.cancel };
}

interface SlotOrder {
  readonly name: 'upload';
  readonly lease: { conditionId: string; token: number };
  readonly signal: AbortSignal;
}

async function acquireSlot(
  way: { readonly client: WorkerClient; readonly clock: Clock },
  order: SlotOrder,
): Promise<() => Promise<void>> {
  const { client, clock } = way;
  const body = { ...order.lease, name: order.name };
  const giveBack = async (): Promise<void> => {
    await client.post({ what: 'slots/release', body });
  };
  while (!order.signal.aborted) {
    const outcome = await askForSlot(client, order).catch((error: unknown) => {
      if (order.signal.aborted || isOrcError(error, 'workerApiAway')) return 'away' as const;
      throw error;
    });
    if (outcome === 'granted') return giveBack;
    if (outcome === 'away') await sleep(clock, retryMs, order.signal);
  }
  // The place in the line is given up; if that is not heard, it ends by itself.
  await giveBack().catch(() => undefined);
  throw new EngineError('aborted', { what: `waiting for a slot for ${order.name}` });
}

async function askForSlot(client: WorkerClient, { name, lease, signal }: SlotOrder): Promise<'granted' | 'waiting'> {
  const waitMs = longestWaitMs;
  const answer = await client.post({ what: 'slots/acquire', body: { ...lease, name, waitMs }, waitMs, signal });
  return answer.outcome === 'granted' ? 'granted' : 'waiting';
}
