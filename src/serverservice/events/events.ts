import type { JsonObject, Row } from '../../engine/index.ts';
import type { Page, PageRequest } from '../../rest/index.ts';
import type { InventoryContext } from '../context.ts';
import { InventoryError } from '../errors.ts';
import { jsonOf, numberOf, textOf } from '../sql/rows.ts';
import { selectPage } from '../sql/select-page.ts';
import { storeJson } from '../sql/store-json.ts';
import { Where } from '../sql/where.ts';

/** Something that was done to a server and has ended. Id, type and target tell events apart. */
export interface InventoryEvent {
  /** Shared by what was asked for together. */
  readonly id: string;
  /** The kind of the condition. */
  readonly type: string;
  /** The server. */
  readonly target: string;
  readonly parameters: JsonObject;
  readonly finalState: string;
  readonly finalStatus: JsonObject;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** What happened to servers. */
export interface Events {
  /** Writes it; doing so twice is harmless. */
  put(event: InventoryEvent): Promise<'created' | 'updated'>;
  /** All that has this id. Throws `notFound` when nothing has. */
  get(id: string): Promise<readonly InventoryEvent[]>;
  /** What happened to a server, the newest first. */
  listByServer(serverId: string, request: PageRequest): Promise<Page<InventoryEvent>>;
}

const orders = { event_end: 'ended_at', event_start: 'started_at', type: 'event_type' };

/** What events can be ordered by. */
export const eventOrders = Object.keys(orders);

/** The events kept in the store. */
export function createEvents({ database }: InventoryContext): Events {
  return {
    put: async (event) => {
      const parameters = storeJson(event.parameters, 'event');
      const status = storeJson(event.finalStatus, 'event');
      if (event.endedAt < event.startedAt)
        throw new InventoryError('badValue', { what: 'event' }, { problems: ['it ends before it begins'] });
      const key = [event.id.toLowerCase(), event.type, event.target.toLowerCase()] as const;
      const values = [parameters, event.finalState, status, event.startedAt, event.endedAt, ...key];
      return database.write(async (tx) => {
        const changed = await tx.run(
          `UPDATE inventory_events SET parameters = ?, final_state = ?, final_status = ?, started_at = ?, ended_at = ?
            WHERE event_id = ? AND event_type = ? AND target = ?`,
          ...values,
        );
        if (changed > 0) return 'updated';
        await tx.run(
          `INSERT INTO inventory_events (parameters, final_state, final_status, started_at, ended_at, event_id,
             event_type, target) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
          ...values,
        );
        return 'created';
      });
    },
    get: async (id) => {
      const rows = await database.read((tx) =>
        tx.all('SELECT * FROM inventory_events WHERE event_id = ? ORDER BY started_at, event_type', id.toLowerCase()),
      );
      if (rows.length === 0) throw new InventoryError('notFound', { what: 'event', id });
      return rows.map(readEvent);
    },
    listByServer: (serverId, request) =>
      database.read(async (tx) => {
        const where = new Where().add('target = ?', serverId.toLowerCase());
        const selection = { from: 'inventory_events', columns: '*', where, orders, tieBreak: 'event_id' };
        const isNewestFirst = request.orderBy === undefined || request.isDescending;
        const { rows, total } = await selectPage(tx, selection, { ...request, isDescending: isNewestFirst });
        return { records: rows.map(readEvent), total };
      }),
  };
}

function readEvent(row: Row): InventoryEvent {
  return {
    id: textOf(row, 'event_id'),
    type: textOf(row, 'event_type'),
    target: textOf(row, 'target'),
    parameters: jsonOf<JsonObject>(row, 'parameters'),
    finalState: textOf(row, 'final_state'),
    finalStatus: jsonOf<JsonObject>(row, 'final_status'),
    startedAt: numberOf(row, 'started_at'),
    endedAt: numberOf(row, 'ended_at'),
  };
}
