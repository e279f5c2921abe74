import type { PortWrite } from '../device/index.ts';
import { done, type SwitchResult } from '../switch-result.ts';
import {
  columnsOfSettings,
  isRow,
  numberOf,
  type OvsdbOperation,
  type OvsdbSession,
  type OvsPort,
} from './ovsdb/index.ts';

/** A write with the row it concerns. */
export interface RowWrite extends PortWrite {
  readonly row: OvsPort;
}

const ownMark = ['map', [['rackwright', 'managed']]];
const lldpOn = ['map', [['enable', 'true']]];

/** The operations that set one port. The row must still be the port of that name, else none of them is done. */
function operationsOf({ row, wanted }: RowWrite): OvsdbOperation[] {
  const where = isRow(row.id);
  return [
    { op: 'wait', table: 'Port', where, columns: ['name'], until: '==', rows: [{ name: row.name }], timeout: 0 },
    { op: 'update', table: 'Port', where, row: columnsOfSettings(wanted) },
    { op: 'mutate', table: 'Port', where, mutations: [['external_ids', 'insert', ownMark]] },
    ...row.interfaces.map(({ id }) => ({
      op: 'mutate',
      table: 'Interface',
      where: isRow(id),
      mutations: [['lldp', 'insert', lldpOn]],
    })),
  ];
}

/**
 * Sets VLANs of several ports in one transaction, and waits until ovs-vswitchd has made the datapath follow: the
 * database alone forwards nothing.
 */
export async function writeColumns(
  session: OvsdbSession,
  writes: readonly RowWrite[],
  signal: AbortSignal,
): Promise<SwitchResult<undefined>> {
  const root = { table: 'Open_vSwitch', where: [] };
  const answer = await session.transact(
    [
      ...writes.flatMap(operationsOf),
      { op: 'mutate', ...root, mutations: [['next_cfg', '+=', 1]] },
      { op: 'select', ...root, columns: ['next_cfg', 'cur_cfg'] },
    ],
    signal,
  );
  if (answer.kind !== 'done') return answer;
  const last = answer.value.findLast(({ rows }) => rows !== undefined)?.rows?.[0];
  return followed(session, { goal: numberOf(last?.next_cfg) ?? 0, seen: numberOf(last?.cur_cfg) ?? 0 }, signal);
}

/** Waits until the number of the configuration in force has reached the goal. */
async function followed(
  session: OvsdbSession,
  { goal, seen }: { readonly goal: number; readonly seen: number },
  signal: AbortSignal,
): Promise<SwitchResult<undefined>> {
  if (seen >= goal) return done(undefined);
  const root = { table: 'Open_vSwitch', where: [], columns: ['cur_cfg'] };
  const answer = await session.transact(
    [
      { op: 'wait', ...root, until: '!=', rows: [{ cur_cfg: seen }] },
      { op: 'select', ...root },
    ],
    signal,
  );
  if (answer.kind !== 'done') return answer;
  return followed(session, { goal, seen: numberOf(answer.value[1]?.rows?.[0]?.cur_cfg) ?? goal }, signal);
}
