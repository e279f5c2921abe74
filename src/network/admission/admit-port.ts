import { isDeepStrictEqual } from 'node:util';
import type { SwitchPort } from '../../api/index.ts';
import { type AdmissionRequest, allowed, denied, formatKey, type KubeObject, type Verdict } from '../../kube/index.ts';
import type { NetworkErrorCode } from '../errors.ts';
import { namespaceOf } from '../fabric/references.ts';
import { judgePort, tenantOf } from '../port/judge-port.ts';
import type { PortSeen } from '../port/port-seen.ts';
import { linkOf } from '../port/read-port.ts';
import { describeLinkOwner } from './link-owner.ts';

/** What is known about whoever changes a port, and about the port as it would be. */
export interface PortAdmissionSeen {
  readonly isInfra: boolean;
  /** True when the user belongs to the tenant of the port. */
  readonly isTenant: boolean;
  readonly seen: Omit<PortSeen, 'memory' | 'standing' | 'settings'>;
}

/** What everybody but the infra team gets told at once; the rest is told by the port itself. */
const refusedAtOnce: readonly NetworkErrorCode[] = [
  'ConfigurationInvalid',
  'ConfigurationNotAllowed',
  'PortDisabled',
  'ManagementPort',
  'TrunkNotAllowed',
  'VLANNotAllowedOnPort',
  'NoResourceLimit',
  'VLANOutsideLimit',
];

/** True when a change concerns nobody's rights: neither the link nor anything that the infra team keeps. */
export function isHarmless({ object, oldObject }: AdmissionRequest): boolean {
  if (object === undefined || object === null) return true;
  if (oldObject === undefined || oldObject === null) return linkOf(portOf(object)) === undefined;
  return isSameLink(object, oldObject) && isDeepStrictEqual(keptParts(object), keptParts(oldObject));
}

function portOf(object: KubeObject): SwitchPort {
  return object as unknown as SwitchPort;
}

function isSameLink(one: KubeObject, other: KubeObject): boolean {
  return isDeepStrictEqual(linkOf(portOf(one)), linkOf(portOf(other)));
}

/** What only the infra team changes: the document lets users link a configuration, and nothing else. */
function keptParts({ metadata }: KubeObject): unknown {
  const { labels = {}, annotations = {}, finalizers = [], ownerReferences = [] } = metadata ?? {};
  return [labels, annotations, finalizers, ownerReferences];
}

/** Judges a change of a SwitchPort. Pure. */
export function admitPort(request: AdmissionRequest, known: PortAdmissionSeen | undefined): Verdict {
  const { object, oldObject } = request;
  if (known === undefined || object === undefined || object === null) return allowed();
  const { isInfra, isTenant, seen } = known;
  const isRelinked = oldObject === undefined || oldObject === null || !isSameLink(object, oldObject);
  if (!isInfra) {
    const who = request.userInfo.username ?? 'somebody';
    if (oldObject !== undefined && oldObject !== null && !isDeepStrictEqual(keptParts(object), keptParts(oldObject))) {
      return denied({
        field: 'metadata',
        message: `only those who may change Switches in ${namespaceOf(object)} change more of a port than its configuration`,
      });
    }
    if (isRelinked && !isTenant) return denied({ field: 'spec.configuration', message: describeStranger(who, seen) });
  }
  const reference = linkOf(portOf(object));
  if (!isRelinked) return allowed();
  if (oldObject !== undefined && oldObject !== null && seen.claim !== undefined) {
    const write = { port: portOf(object), before: portOf(oldObject), link: reference, claim: seen.claim };
    const message = describeLinkOwner(write);
    if (message !== undefined) return denied({ field: 'spec.configuration', message });
  }
  if (reference === undefined) return allowed();
  const tenant = tenantOf(seen);
  if (!isInfra && reference.namespace !== tenant) {
    const message = `${formatKey(reference)} cannot be linked by ${request.userInfo.username ?? 'somebody'}: only configurations of ${tenant} can`;
    return denied({ field: 'spec.configuration', message });
  }
  const judgement = judgePort({ ...seen, reference, managementPort: seen.owner?.spec.managementPort });
  if (judgement.kind === 'allowed') return allowed();
  const { code, message } = judgement.fault;
  const isRefused = isInfra ? code === 'ConfigurationNotAllowed' : refusedAtOnce.includes(code);
  return isRefused ? denied({ field: 'spec.configuration', message }) : allowed(`${code}: ${message}`);
}

function describeStranger(who: string, { claim, port }: PortAdmissionSeen['seen']): string {
  if (claim === undefined) {
    return `no host is plugged into this port, so only those who may change Switches in ${namespaceOf(port)} use it; ${who} may not`;
  }
  return `the port belongs to the host ${formatKey(claim.host)}, and ${who} may not write configurations in ${claim.host.namespace}`;
}
