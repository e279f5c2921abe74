import { numberOf, readStored, textOf } from '../conditions/condition-row.ts';
import { type Aftermath, joinAftermaths, noAftermath, tellAftermath } from '../conditions/finalize.ts';
import { lockFound } from '../conditions/lock-lines.ts';
import { writeEvents } from '../conditions/outbox.ts';
import type { EngineContext } from '../context.ts';
import type { ControllerRecord } from '../engine.ts';
import { EngineError } from '../errors.ts';
import { parseList } from '../json.ts';
import type { Row, Transaction } from '../store/database.ts';
import type { WorkerIdentity } from '../worker/worker-port.ts';
import { takeAway } from './give-up.ts';

/** Reads a row of `controllers`. */
export function readController(row: Row): ControllerRecord {
  return {
    id: textOf(row, 'id'),
    kinds: parseList<string>(textOf(row, 'kinds')),
    facilities: parseList<string>(textOf(row, 'facilities')),
    isOnline: numberOf(row, 'is_online') === 1,
    seenAt: numberOf(row, 'seen_at'),
    onlineSince: numberOf(row, 'online_since'),
  };
}

/** Every worker that was heard of, oldest first. */
export async function listControllers(context: EngineContext): Promise<readonly ControllerRecord[]> {
  const rows = await context.database.read((tx) => tx.all(`SELECT * FROM controllers ORDER BY online_since, id`));
  return rows.map(readController);
}

/** Takes in a worker; what an earlier life under the same id holds is taken away from it. */
export async function bringOnline(context: EngineContext, worker: WorkerIdentity): Promise<void> {
  // A worker may be able to do more than this engine knows of; the rest is none of its business here.
  const kinds = worker.kinds.flatMap((kind) => context.kinds.get(kind)?.kind ?? []);
  if (kinds.length === 0) context.kinds.find(worker.kinds[0] ?? '');
  const aftermath = await context.write(async (tx) => {
    await tx.run(
      `INSERT INTO controllers (id, kinds, facilities, lost_after_ms, is_online, seen_at, online_since)
       VALUES (?, ?, ?, ?, 1, ?, ?)
       ON CONFLICT (id) DO UPDATE SET kinds = excluded.kinds, facilities = excluded.facilities,
         lost_after_ms = excluded.lost_after_ms, is_online = 1, seen_at = excluded.seen_at,
         online_since = excluded.online_since, left_at = NULL`,
      worker.id,
      JSON.stringify(kinds),
      JSON.stringify(worker.facilities),
      worker.isFencedByHeartbeats === true ? context.settings.controllerLostMs : null,
      tx.now,
      tx.now,
    );
    const detail = { controller: worker.id, kinds: [...kinds], facilities: [...worker.facilities] };
    await writeEvents(context, tx, [{ event: 'worker-online', detail }]);
    return await takeAllAway(context, tx, { workerId: worker.id, why: `${worker.id} started again` });
  });
  tellAftermath(context, aftermath);
  context.hints.online(worker.id);
}

/**
 * A sign of life. Throws `unknownWorker` for one that never came or that left, and for one that was lost if its leases
 * ended with that: it has to begin anew.
 */
export async function hearFrom(context: EngineContext, workerId: string): Promise<void> {
  const isKnown = await context.write(async (tx) => {
    const alive = `UPDATE controllers SET seen_at = ? WHERE id = ? AND is_online = 1`;
    if ((await tx.run(alive, tx.now, workerId)) > 0) return true;
    const back = `UPDATE controllers SET seen_at = ?, is_online = 1 WHERE id = ? AND left_at IS NULL AND lost_after_ms IS NULL`;
    if ((await tx.run(back, tx.now, workerId)) === 0) return false;
    await writeEvents(context, tx, [{ event: 'worker-online', detail: { controller: workerId, wasLost: true } }]);
    return true;
  });
  if (!isKnown) throw new EngineError('unknownWorker', { worker: workerId });
}

/** A worker leaves; what it still holds is taken away unless others go on with it. */
export async function takeOffline(
  context: EngineContext,
  workerId: string,
  { areLeasesKept = false }: { readonly areLeasesKept?: boolean } = {},
): Promise<void> {
  const aftermath = await context.write(async (tx) => {
    const left = await tx.run(
      `UPDATE controllers SET is_online = 0, left_at = ? WHERE id = ? AND left_at IS NULL`,
      tx.now,
      workerId,
    );
    if (left > 0) await writeEvents(context, tx, [{ event: 'worker-offline', detail: { controller: workerId } }]);
    if (areLeasesKept) return noAftermath;
    return await takeAllAway(context, tx, { workerId, why: `${workerId} went offline` });
  });
  tellAftermath(context, aftermath);
}

async function takeAllAway(
  context: EngineContext,
  tx: Transaction,
  taking: { readonly workerId: string; readonly why: string },
): Promise<Aftermath> {
  const still = { sql: `controller = ? AND state = 'active' AND finalized_at IS NULL`, values: [taking.workerId] };
  const found = await tx.all(`SELECT * FROM conditions WHERE ${still.sql}`, ...still.values);
  const rows = await lockFound(context, tx, { rows: found, still, busy: 'wait' });
  const all: Aftermath[] = [];
  // From now on its token is refused: only a request that is already on its way has to be waited for.
  for (const stored of rows.map(readStored)) {
    const heldUntil = Math.min(tx.now, stored.condition.leaseUntil ?? tx.now);
    all.push(await takeAway(context, tx, { stored, why: taking.why, heldUntil }));
  }
  return joinAftermaths(all);
}

/** What a worker can do, as it said when it came online. Throws `unknownWorker`. */
export async function findWorker(context: EngineContext, workerId: string): Promise<WorkerIdentity> {
  const row = await context.database.read((tx) =>
    tx.first(`SELECT * FROM controllers WHERE id = ? AND is_online = 1`, workerId),
  );
  if (row === undefined) throw new EngineError('unknownWorker', { worker: workerId });
  const { id, kinds, facilities } = readController(row);
  return { id, kinds, facilities };
}
