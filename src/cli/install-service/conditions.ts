import type { ConditionRecord } from '../../conditionorc/index.ts';
import { CliError } from '../errors.ts';
import { formatGrid } from '../objects/table.ts';
import type { Terminal } from '../terminal.ts';
import { findServer, type RestClient, type ShownServer } from './rest-client.ts';
import { statusOf } from './show-install.ts';

/** Which conditions to list. */
export interface ConditionsOrder {
  readonly server: string | undefined;
  /** Also those that ended long ago. */
  readonly isWithHistory: boolean;
  readonly limit: number;
}

/** Lists conditions, newest first. */
export async function listConditions(client: RestClient, order: ConditionsOrder, terminal: Terminal): Promise<void> {
  const server = order.server === undefined ? undefined : await findServer(client, order.server);
  const query = new URLSearchParams({
    limit: String(order.limit),
    ...(server === undefined ? {} : { server: server.uuid }),
    ...(order.isWithHistory ? { history: 'true' } : {}),
  });
  const path = `/api/v1/conditions?${query}`;
  const { records } = await client.ask<{ records: readonly ConditionRecord[] }>({ method: 'GET', path });
  if (records.length === 0) {
    terminal.err('no conditions\n');
    return;
  }
  const names = server === undefined ? await namesOf(client) : new Map([[server.uuid, server.name]]);
  const rows = records.map((record) => rowOf(record, names));
  terminal.out(formatGrid({ header: ['ID', 'SERVER', 'KIND', 'STATE', 'DONE', 'MESSAGE'], rows }, { hasHeader: true }));
}

async function namesOf(client: RestClient): Promise<ReadonlyMap<string, string>> {
  const path = '/api/v1/servers?limit=1000';
  const { records } = await client.ask<{ records: readonly ShownServer[] }>({ method: 'GET', of: 'inventory', path });
  return new Map(records.map(({ uuid, name }) => [uuid, name]));
}

function rowOf(record: ConditionRecord, names: ReadonlyMap<string, string>): string[] {
  const { percent, message } = statusOf(record);
  const name = names.get(record.target) ?? '';
  return [
    record.id,
    name === '' ? record.target : name,
    record.kind,
    record.state,
    percent === undefined ? '' : `${percent}%`,
    (record.reason?.message ?? message ?? '').slice(0, 100),
  ];
}

/** Asks for a cancel and says what came of it. */
export async function cancelCondition(
  client: RestClient,
  order: { readonly id: string; readonly isForced: boolean; readonly doesInsist: boolean },
  terminal: Terminal,
): Promise<void> {
  if (!/^[0-9a-f-]{36}$/i.test(order.id)) {
    throw new CliError('usage', `"${order.id}" is no id of a condition; "rackwright conditions" lists them`);
  }
  const { record, message } = await client.ask<{ record: ConditionRecord; message: string }>({
    method: 'POST',
    path: `/api/v1/conditions/${order.id}/cancel`,
    body: { force: order.isForced, insist: order.doesInsist },
  });
  terminal.out(`${record.id}: ${message}\n`);
}
