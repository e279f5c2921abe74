import type { ConditionRecord } from '../../conditionorc/index.ts';
import { ageText, systemClock } from '../../kube/index.ts';
import { CliError } from '../errors.ts';
import type { OutputForm } from '../output/output-form.ts';
import { type Column, renderShown, type Shown, showList } from '../output/show.ts';
import type { Terminal } from '../terminal.ts';
import { findServer, type RestClient, type ShownServer } from './rest-client.ts';
import { statusOf } from './show-install.ts';

/** Which conditions to list. */
export interface ConditionsOrder {
  readonly server: string | undefined;
  /** Also those that ended long ago. */
  readonly isWithHistory: boolean;
  readonly limit: number;
  readonly output: OutputForm;
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
  const names = server === undefined ? await namesOf(client) : new Map([[server.uuid, server.name]]);
  terminal.out(renderShown(showConditions(records, names, new Date(systemClock.now())), order.output));
  if (records.length === 0) terminal.err('no conditions\n');
}

async function namesOf(client: RestClient): Promise<ReadonlyMap<string, string>> {
  const path = '/api/v1/servers?limit=1000';
  const { records } = await client.ask<{ records: readonly ShownServer[] }>({ method: 'GET', of: 'inventory', path });
  return new Map(records.map(({ uuid, name }) => [uuid, name]));
}

function showConditions(records: readonly ConditionRecord[], names: ReadonlyMap<string, string>, now: Date): Shown {
  const columns: Column<ConditionRecord>[] = [
    { title: 'ID', cell: ({ id }) => id },
    { title: 'SERVER', cell: ({ target }) => names.get(target) || target },
    { title: 'KIND', cell: ({ kind }) => kind },
    { title: 'STATE', cell: ({ state }) => state },
    { title: 'DONE', cell: (record) => percentOf(record) },
    { title: 'ASKED BY', cell: ({ client }) => client, isWide: true },
    { title: 'WORKER', cell: ({ controller }) => controller ?? '', isWide: true },
    { title: 'AGE', cell: (record) => ageText(record.created_at, now) },
    { title: 'UPDATED', cell: (record) => `${ageText(record.updated_at, now)} ago` },
    { title: 'CREATED', cell: (record) => record.created_at, isWide: true },
    { title: 'ENDED', cell: (record) => record.finalized_at ?? '', isWide: true },
    { title: 'MESSAGE', cell: (record) => messageOf(record) },
  ];
  return showList(records, columns, ({ id }) => `condition/${id}`);
}

function percentOf(record: ConditionRecord): string {
  const { percent } = statusOf(record);
  return percent === undefined ? '' : `${percent}%`;
}

/** Why it does not go on or how it ended, or else what it tells of itself. */
export function messageOf(record: ConditionRecord): string {
  return record.reason?.message ?? statusOf(record).message ?? '';
}

/** Asks for a cancel and says what came of it. */
export async function cancelCondition(
  client: RestClient,
  order: {
    readonly id: string;
    readonly isForced: boolean;
    readonly doesInsist: boolean;
    readonly output: OutputForm;
  },
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
  const names = [`condition/${record.id}`];
  terminal.out(renderShown({ value: record, names, text: () => `${record.id}: ${message}\n` }, order.output));
}

/** Who asked for work, how it stands and why. */
export function sentenceOfWork(record: ConditionRecord): string {
  const why = messageOf(record);
  const code = record.reason?.code === undefined ? '' : `${record.reason.code}: `;
  return `${record.kind}, asked for by ${record.client}, is ${record.state} since ${record.created_at}${why === '' ? '' : ` (${code}${why})`}.`;
}
