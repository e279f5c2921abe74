import type { RequestInfo } from '../http/request-info.ts';
import type { UserInfo } from '../resource.ts';

/** How a request is treated: let through, or with others of its kind, in the queue of its user. */
export type Lane = 'exempt' | 'lease' | 'read' | 'write';

const probe = /^\/(healthz|readyz|livez)(\/|$)/;
const readVerbs = new Set(['get', 'list', 'watch', 'head', 'options']);
/** What electors do to their lease; a list of all leases is a list like any other. */
const leaseVerbs = new Set(['get', 'create', 'update', 'patch']);

/** Says how a request is treated, by who makes it and what it asks for. */
export function laneOf(info: RequestInfo, user: UserInfo): Lane {
  if (user.groups.includes('system:masters')) return 'exempt';
  if (!info.isResource) return probe.test(info.path) ? 'exempt' : laneOfVerb(info.verb);
  const isLease = info.resource === 'leases' && info.group === 'coordination.k8s.io';
  return isLease && leaseVerbs.has(info.verb) ? 'lease' : laneOfVerb(info.verb);
}

function laneOfVerb(verb: string): 'read' | 'write' {
  return readVerbs.has(verb) ? 'read' : 'write';
}
