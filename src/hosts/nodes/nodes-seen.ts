/** What is known of the Node behind a host. */
export type NodeFound =
  | { readonly kind: 'found'; readonly name: string }
  /** Nothing of what runs on the host is a Node. */
  | { readonly kind: 'none' }
  | { readonly kind: 'unreadable'; readonly message: string };

/** How far a Node is with being drained. */
export type DrainOutcome =
  | { readonly kind: 'drained' }
  /** What is still in the way, and why. */
  | { readonly kind: 'waits'; readonly message: string };

/** Whether a Node was given back. */
export type NodeReturn = { readonly kind: 'done' } | { readonly kind: 'failed'; readonly message: string };

/** What a round has found out about the Node of a host. */
export interface NodesSeen {
  readonly found?: NodeFound;
  readonly drain?: DrainOutcome;
  readonly given?: NodeReturn;
}

/** What can be done about the Node of a host; doing one twice is harmless. */
export type NodeEffect = { readonly key: string } & (
  | { readonly kind: 'find-node' }
  /** Keeps new pods away from the Node and evicts those that are there. The ticket names the attempt that it is for. */
  | { readonly kind: 'drain-node'; readonly node: string; readonly ticket: string }
  /** Lets pods in again, where it was us who kept them away. */
  | { readonly kind: 'give-node-back'; readonly node: string }
);

/** Which host a Node is drained for. */
export interface DrainOrder {
  readonly node: string;
  /** `namespace/name` of the host. */
  readonly host: string;
  readonly ticket: string;
}
