import type { ObjectKey } from '../../kube/index.ts';
import type { Node } from '../objects.ts';

/** How the node of a machine is recognised. */
export interface NodeWish {
  /** The name that it had when it was last found. */
  readonly name?: string | undefined;
  /** The id that it has, or is to get. */
  readonly providerId: string;
  /** The uid of its host, which the node carries as a label. */
  readonly hostUid: string;
  /** Names that it may go by where it carries neither. */
  readonly hostnames: readonly string[];
}

/** Whether the node of a machine was found. */
export type NodeSearch =
  | { readonly kind: 'skipped' }
  | { readonly kind: 'none' }
  | { readonly kind: 'unreachable'; readonly message: string }
  /** `isFollowed`: whatever becomes of it is heard of without asking again. */
  | { readonly kind: 'found'; readonly node: Node; readonly isFollowed: boolean };

/** The nodes of the clusters that machines belong to. */
export interface WorkloadNodes {
  /** Never throws: a cluster that cannot be asked is an answer too. */
  find(cluster: ObjectKey, wish: NodeWish): Promise<NodeSearch>;
  /** Gives a node its id. */
  name(cluster: ObjectKey, node: Node, providerId: string): Promise<void>;
  /** Keeps new pods away from a node. */
  cordon(cluster: ObjectKey, node: Node): Promise<void>;
  /** Deletes a node; one that is gone is fine. */
  remove(cluster: ObjectKey, node: Node): Promise<void>;
  close(): Promise<void>;
}

/** Of several nodes, the one that is meant: by its id before its label, by its label before its name. */
export function pickNode(nodes: readonly Node[], { providerId, hostUid, hostnames }: NodeWish): Node | undefined {
  const byId = nodes.find(({ spec }) => spec?.providerID === providerId);
  const byUid = nodes.find(({ metadata }) => metadata.labels?.['metal3.io/uuid'] === hostUid);
  // Whoever has an id or a label of somebody else is somebody else's.
  const unclaimed = nodes.filter(
    ({ spec, metadata }) => spec?.providerID === undefined && metadata.labels?.['metal3.io/uuid'] === undefined,
  );
  const byName = unclaimed.filter(({ metadata }) =>
    hostnames.includes(metadata.labels?.['kubernetes.io/hostname'] ?? ''),
  );
  return byId ?? byUid ?? (byName.length === 1 ? byName[0] : undefined);
}
