import type { EngineContext } from '../context.ts';
import type { Row, Transaction } from '../store/database.ts';
import { numberOf, textOf } from './condition-row.ts';
import type { PlannedOrder } from './plan-order.ts';
import { sealedJson } from './sealed-urls.ts';

/** Work that was given up in the middle of what must not be cut off. */
export interface LeftWork {
  readonly id: string;
  /** As it is stored. */
  readonly progressText: string;
}

/** What the last work of its kind on the target left in the middle; undefined where that is nothing to go on with. */
export async function findLeftWork(
  context: EngineContext,
  tx: Transaction,
  { target, planned }: { readonly target: string; readonly planned: PlannedOrder },
): Promise<LeftWork | undefined> {
  const { definition, parametersText } = planned;
  if (definition.isCarriedOn !== true) return undefined;
  const row = await tx.first(
    `SELECT * FROM conditions WHERE target = ? AND kind = ? AND finalized_at IS NOT NULL
      ORDER BY created_at DESC, id DESC LIMIT 1`,
    target,
    definition.kind,
  );
  if (row === undefined || !isLeft(row) || row.parameters !== parametersText) return undefined;
  return { id: textOf(row, 'id'), progressText: sealedJson(context, textOf(row, 'progress')) };
}

/** Whether the engine gave it up: what a worker itself ended with a reason, or somebody from outside, is over. */
function isLeft(row: Row): boolean {
  const isInTheMiddle = numberOf(row, 'is_cancel_unsafe') === 1 && textOf(row, 'progress') !== '{}';
  return row.state === 'failed' && isInTheMiddle && givenUpCodes.includes(String(row.reason_code));
}

const givenUpCodes: readonly string[] = ['Unrunnable', 'DeadlinePassed', 'UnitFailed'];
