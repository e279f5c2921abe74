import type { HostIdentity } from '../../provisioner.ts';
import { textOf } from '../client/index.ts';
import { type IronicNode, nodeName } from './ironic-node.ts';

/** Members of a node by which somebody else says that it is theirs. */
const claims = ['instance_uuid', 'allocation_uuid', 'owner', 'lessee'] as const;

/** Whether the node is that of the host: by its name, or since the host was taken in under just that id. */
export function isOwnNode(host: HostIdentity, node: IronicNode): boolean {
  return node.name === nodeName(host) || (host.id === node.uuid && host.isIdNoted !== true);
}

/** Why a node is not the host's to take or to remove; undefined where it is. */
export function objectionToNode(host: HostIdentity, node: IronicNode): string | undefined {
  return isOwnNode(host, node) ? undefined : whyClaimed(node);
}

/**
 * By what somebody has a node; undefined where nobody does. An Ironic has other users, and whoever registers a node names
 * it, uses it, or at least takes it out of the state that it is made in: all that is left are nodes that Ironic made of
 * machines that came by themselves, and that nobody has touched since.
 */
export function whyClaimed(node: IronicNode): string | undefined {
  if (node.name !== undefined) return `the node ${node.uuid} is the one of ${node.name} by now`;
  const claim = claims.find((each) => textOf(node.raw[each]) !== undefined);
  if (claim !== undefined) return `the node ${node.uuid} is somebody's: it has the ${claim} ${textOf(node.raw[claim])}`;
  if (node.raw.retired === true) return `the node ${node.uuid} is retired`;
  return node.provisionState === 'enroll'
    ? undefined
    : `somebody uses the node ${node.uuid} (${node.provisionState}); only one in enroll is taken`;
}
