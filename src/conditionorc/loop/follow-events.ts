import type { Database, Engine, EngineEvent, Transaction } from '../../engine/index.ts';

/** Who follows the engine's events. */
export interface EventFollower {
  /** Under which name it remembers how far it got. */
  readonly name: string;
  /** Done before it is remembered that the events were seen: after a crash it is done again. */
  before?(events: readonly EngineEvent[]): Promise<void>;
  /** Done in the transaction that remembers it: once, whoever else follows under the same name. */
  within?(tx: Transaction, events: readonly EngineEvent[]): Promise<void>;
  /** Done once it is durable, by the process that did it. */
  after?(events: readonly EngineEvent[]): void;
}

const eventsAtOnce = 200;

/** How far a follower got; 0 at first. */
export async function readCursor(tx: Transaction, name: string): Promise<number> {
  const row = await tx.first(`SELECT seq FROM orc_cursors WHERE name = ?`, name);
  return Number(row?.seq ?? 0);
}

/** Moves on if nobody else did. */
async function moveCursor(
  tx: Transaction,
  name: string,
  step: { readonly from: number; readonly to: number },
): Promise<boolean> {
  await tx.run(`INSERT INTO orc_cursors (name, seq) VALUES (?, 0) ON CONFLICT (name) DO NOTHING`, name);
  return (await tx.run(`UPDATE orc_cursors SET seq = ? WHERE name = ? AND seq = ?`, step.to, name, step.from)) === 1;
}

/** Handles the events that were not seen yet. Several processes may do so at once. Says how many this one handled. */
export async function followEvents(
  parts: { readonly engine: Pick<Engine, 'eventsAfter'>; readonly database: Database },
  follower: EventFollower,
): Promise<number> {
  let handled = 0;
  for (;;) {
    const from = await parts.database.read((tx) => readCursor(tx, follower.name));
    const events = await parts.engine.eventsAfter(from, eventsAtOnce);
    const to = events.at(-1)?.seq;
    if (to === undefined) return handled;
    await follower.before?.(events);
    const isOurs = await parts.database.write(async (tx) => {
      if (!(await moveCursor(tx, follower.name, { from, to }))) return false;
      await follower.within?.(tx, events);
      return true;
    });
    if (isOurs) {
      follower.after?.(events);
      handled += events.length;
    }
    if (events.length < eventsAtOnce) return handled;
  }
}
