import type { Outcome } from '../../provisioner.ts';
import { type IronicNode, isHeldByUs, isProvisionState } from '../node/index.ts';
import { askFor, busy, continueIn, done, findNode, type Workplace } from '../workplace.ts';
import { endFailure, withReason } from './failure.ts';
import type { AskMove, MoveTable } from './move.ts';

/** What an operation does by itself. */
export type Specials<Order, Special extends string, T> = Readonly<
  Record<Special | 'finish', (seen: { readonly node: IronicNode; readonly order: Order }) => Promise<Outcome<T>>>
>;

/** An operation: what to do in each state, and the moves that only it knows. */
export interface Operation<Order, Special extends string, T> {
  readonly table: MoveTable<Order, Special>;
  specials(place: Workplace): Specials<Order, Special, T>;
}

/** Looks at the node once and makes the move that its state asks for. */
export async function operate<Order, Special extends string, T>(
  place: Workplace,
  operation: Operation<Order, Special, T>,
  order: Order,
): Promise<Outcome<T>> {
  const node = await findNode(place);
  if (node === undefined) return { kind: 'unregistered' };
  if (isHeldByUs(node)) return busy(place, `the node is in maintenance: ${node.maintenanceReason}`);
  return moveOn(place, operation, { node, order });
}

/** Makes the move that the state of a node asks for. */
export async function moveOn<Order, Special extends string, T>(
  place: Workplace,
  operation: Operation<Order, Special, T>,
  seen: { readonly node: IronicNode; readonly order: Order },
): Promise<Outcome<T>> {
  const { provisionState } = seen.node;
  if (!isProvisionState(provisionState)) return busy(place, `the node is in the state '${provisionState}', new to us`);
  // Ironic says that it failed before it says why, and cleans up after itself in between.
  if (seen.node.isLocked && provisionState.endsWith('failed')) return continueIn(place, 'short');
  const known = { ...seen, node: await withReason(place, seen.node) };
  const move = operation.table[provisionState](known);
  switch (move.do) {
    case 'wait':
      return {
        ...continueIn(place, move.delay),
        ...(move.isUnderWay === true ? { isUnderWay: true } : {}),
        ...(move.progress === undefined ? {} : { progress: move.progress }),
      };
    case 'fail':
      return { kind: 'failed', message: move.message, ...(move.isInUse === true ? { isInUse: true } : {}) };
    case 'register':
      return { kind: 'unregistered' };
    case 'ask':
      return askMove(place, seen.node, move);
    case 'finish':
      return operation.specials(place).finish(seen);
    case 'special':
      return operation.specials(place)[move.step](known);
  }
}

async function askMove(place: Workplace, node: IronicNode, move: AskMove): Promise<Outcome<never>> {
  const held = move.endsMaintenance === true ? await endFailure(place, node) : undefined;
  if (held !== undefined) return held;
  await askFor(place, node, { target: move.target });
  return continueIn(place, 'short', move.isStart);
}

/** The end of an operation that has nothing to tell. */
export const finishSilently = async (): Promise<Outcome> => done;
