import type { Transaction } from '../../engine/index.ts';
import type { InventoryContext } from '../context.ts';
import { fillServer, type ObservedServer } from './fill-server.ts';
import { describeConflicts, putObservedMachine } from './machine-registry.ts';
import type { ServerRecord } from './server.ts';
import { findFilled, findServer, writeFilled } from './server-row.ts';
import { isOtherMachine, requireServer, settle } from './servers.ts';

/** A server before an inventory and after it, where that makes another machine of it. */
export interface FilledChange {
  readonly before: ServerRecord;
  readonly after: ServerRecord;
}

/** Writes what an inventory found out into the record of its server, in somebody else's transaction. */
export async function fillIn(
  context: InventoryContext,
  tx: Transaction,
  { id, observed }: { readonly id: string; readonly observed: ObservedServer },
): Promise<FilledChange | undefined> {
  const before = await requireServer(tx, id);
  const result = fillServer({ fields: before, filled: await findFilled(tx, id) }, observed);
  const hasMachine = context.machines !== undefined;
  const isMachinePending = hasMachine && isOtherMachine(before, result.fields);
  await writeFilled(tx, id, { ...result, isMachinePending });
  if (result.contradictions.length > 0)
    context.logger.warn('a server record contradicts its BMC', { server: id, contradictions: result.contradictions });
  return isMachinePending ? { before, after: await requireServer(tx, id) } : undefined;
}

/** Makes the machine what the inventory says, once that is stored. */
export async function followFilled(context: InventoryContext, { before, after }: FilledChange): Promise<void> {
  const { machines, logger } = context;
  if (machines === undefined) return;
  const conflicts = await putObservedMachine(machines, after, before);
  const real = [];
  for (const conflict of conflicts) if (!(await isKnownOther(context, after, conflict.heldBy))) real.push(conflict);
  if (conflicts.length > 0)
    logger.warn('names of a server belong to another machine', {
      server: after.id,
      problem: describeConflicts(conflicts),
    });
  await settle(context, after.id, real.length === 0 ? before.machineProblem : describeConflicts(real));
}

/** Two machines that both tell a UUID are not one because a maker gave them the same MAC. */
async function isKnownOther({ database }: InventoryContext, server: ServerRecord, otherId: string): Promise<boolean> {
  const other = await database.read((tx) => findServer(tx, otherId));
  return (
    other !== undefined && server.systemUuid !== '' && other.systemUuid !== '' && server.systemUuid !== other.systemUuid
  );
}
