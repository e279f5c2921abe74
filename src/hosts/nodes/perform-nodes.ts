import type { HostSeen } from '../decide/seen.ts';
import type { HostNodes } from './host-nodes.ts';
import type { NodeEffect, NodesSeen } from './nodes-seen.ts';

/** Does one effect about the Node of a host; what came of it is in what is seen then. */
export async function performNodeEffect(nodes: HostNodes, seen: HostSeen, effect: NodeEffect): Promise<HostSeen> {
  const { namespace = '', name = '' } = seen.host.metadata;
  const host = `${namespace}/${name}`;
  const withNodes = (found: Partial<NodesSeen>): HostSeen => ({ ...seen, nodes: { ...seen.nodes, ...found } });
  switch (effect.kind) {
    case 'find-node':
      return withNodes({ found: await nodes.find(seen.host) });
    case 'drain-node':
      return withNodes({ drain: await nodes.drain({ node: effect.node, host, ticket: effect.ticket }) });
    case 'give-node-back':
      return withNodes({ given: await nodes.giveBack({ node: effect.node, host }) });
  }
}
