import { isNotFound, type KubeClient, keyOf, type ObjectTable } from '../../kube/index.ts';
import type { Node } from '../objects.ts';
import { machinesFieldManager, resources } from '../resources.ts';
import { type NodeWish, pickNode } from './workload-nodes.ts';

/** The nodes of one API server: where they are looked up, and how they are changed. */
export interface NodeAccess {
  /** True where changes of nodes are followed. */
  readonly isFollowed: boolean;
  find(wish: NodeWish): Promise<Node | undefined>;
  name(node: Node, providerId: string): Promise<void>;
  cordon(node: Node): Promise<void>;
  remove(node: Node): Promise<void>;
}

/** Nodes that are followed: looking one up asks nobody. */
export function nodesInTable(client: KubeClient, table: ObjectTable<Node>): NodeAccess {
  return {
    ...writesTo(client),
    isFollowed: true,
    find: async (wish) => {
      const found = [
        ...table.byIndex('providerId', wish.providerId),
        ...table.byIndex('uuid', wish.hostUid),
        ...wish.hostnames.flatMap((name) => table.byIndex('hostname', name)),
      ];
      return pickNode([...new Set(found)], wish);
    },
  };
}

/** Nodes of a cluster elsewhere, asked for when they are looked for. */
export function nodesOnDemand(client: KubeClient): NodeAccess {
  const nodes = client.resource<Node>(resources.nodes);
  return {
    ...writesTo(client),
    isFollowed: false,
    async find(wish) {
      const known = wish.name === undefined ? undefined : await unlessMissing(nodes.get({ name: wish.name }));
      if (known?.spec?.providerID === wish.providerId) return known;
      // The id of a node cannot be selected by, so all of them are listed.
      return pickNode((await nodes.list()).items, wish);
    },
  };
}

function writesTo(client: KubeClient): Omit<NodeAccess, 'find' | 'isFollowed'> {
  const nodes = client.resource<Node>(resources.nodes);
  const write = { fieldManager: machinesFieldManager };
  return {
    async name(node, providerID) {
      const { uid } = node.metadata;
      await nodes.patch(keyOf(node), { type: 'merge', body: { metadata: { uid }, spec: { providerID } } }, write);
    },
    async cordon(node) {
      await unlessGone(() =>
        nodes.patch(keyOf(node), { type: 'merge', body: { spec: { unschedulable: true } } }, write),
      );
    },
    async remove(node) {
      const { uid } = node.metadata;
      await unlessGone(() => nodes.delete(keyOf(node), uid === undefined ? {} : { preconditions: { uid } }));
    },
  };
}

async function unlessMissing(reading: Promise<Node>): Promise<Node | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function unlessGone(write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
