import type { IronicNode, ProvisionState, ProvisionTarget } from '../node/index.ts';

/** What to do with a node in some state. */
export type Move<Special extends string = never> =
  | { readonly do: 'finish' }
  /** `isUnderWay`: it is at just what is asked for. `progress` says how far it is. */
  | {
      readonly do: 'wait';
      readonly delay: 'short' | 'long';
      readonly isUnderWay?: true;
      readonly progress?: string | undefined;
    }
  /** `isInUse`: since it runs what was not asked for. */
  | { readonly do: 'fail'; readonly message: string; readonly isInUse?: true }
  /** Registering has to bring it on first. */
  | { readonly do: 'register' }
  | AskMove
  /** Something that this operation knows how to do. */
  | { readonly do: 'special'; readonly step: Special };

/** Asks Ironic for another state. */
export interface AskMove {
  readonly do: 'ask';
  readonly target: ProvisionTarget;
  /** The attempt begins by that. */
  readonly isStart?: boolean;
  /** Ironic puts a node that failed into maintenance, and refuses to go on with it. Maintenance of others stays. */
  readonly endsMaintenance?: boolean;
}

/** A node, and what is wanted of it. */
export interface Seen<Order> {
  readonly node: IronicNode;
  readonly order: Order;
}

/** What to do in one state. */
export type Row<Order, Special extends string = never> = (seen: Seen<Order>) => Move<Special>;

/** What to do in every state. */
export type MoveTable<Order, Special extends string = never> = Readonly<Record<ProvisionState, Row<Order, Special>>>;

/** The same row for several states. */
export function rows<const State extends ProvisionState, R>(states: readonly State[], row: R): Record<State, R> {
  return Object.fromEntries(states.map((state) => [state, row])) as Record<State, R>;
}

/** What only this operation knows how to do. */
export function special<const Special extends string>(step: Special) {
  return (): { readonly do: 'special'; readonly step: Special } => ({ do: 'special', step });
}

/** It is so already. */
export const finish = (): { readonly do: 'finish' } => ({ do: 'finish' });

/** Ironic is on its way; it takes minutes. */
export const wait = (): { readonly do: 'wait'; readonly delay: 'long' } => ({ do: 'wait', delay: 'long' });

/** Ironic is on its way; it takes seconds. */
export const waitShortly = (): { readonly do: 'wait'; readonly delay: 'short' } => ({ do: 'wait', delay: 'short' });

/** Registering has to bring it on first. */
export const register = (): { readonly do: 'register' } => ({ do: 'register' });

/** Asks Ironic for another state, on the way to what is wanted. */
export function ask(target: ProvisionTarget): () => AskMove {
  return () => ({ do: 'ask', target });
}

/** Asks Ironic for another state of a node that failed. */
export function askAfterFailure(target: ProvisionTarget): () => AskMove {
  return () => ({ do: 'ask', target, endsMaintenance: true });
}

/** Asks Ironic for another state of a node that failed, with which another attempt begins. */
export function askAgain(target: ProvisionTarget): () => AskMove {
  return () => ({ do: 'ask', target, endsMaintenance: true, isStart: true });
}

/** Tells what Ironic said, unless this is the attempt after that. */
export function failFirst<Order extends { readonly isRetry: boolean }, Special extends string>(
  again: Row<Order, Special>,
): Row<Order, Special> {
  return (seen) => (seen.order.isRetry ? again(seen) : { do: 'fail', message: whyFailed(seen.node) });
}

/** Refuses what is only for a node that nothing runs on; how it says what was wanted: `inspected`. */
export function inUse(wanted: string): () => { readonly do: 'fail'; readonly message: string; readonly isInUse: true } {
  const message = `the node runs a deployed system and cannot be ${wanted}; deprovision the host first, or create it with externallyProvisioned to keep what runs there`;
  return () => ({ do: 'fail', message, isInUse: true });
}

/** Ironic's reason for the failure that a node rests in. */
export function whyFailed(node: IronicNode): string {
  return node.lastError ?? `Ironic says '${node.provisionState}' and gives no reason`;
}
