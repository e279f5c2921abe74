import type { SwitchPort } from '../../api/index.ts';
import { formatKey } from '../../kube/index.ts';
import type { PortClaim } from '../fabric/claims.ts';
import { linkText, readLinkRecord } from '../fabric/link-records.ts';
import { type FullReference, fullReference, isSameReference } from '../fabric/references.ts';
import { networkPhaseOf, wantedLink } from '../host/host-phase.ts';

/** A link as it is written: to which port, and the port before. */
export interface LinkWrite {
  readonly port: SwitchPort;
  readonly before: SwitchPort;
  readonly link: FullReference | undefined;
  readonly claim: PortClaim;
}

/**
 * Why a link to the port of a host would not last; undefined when it does. The configuration of a port is its host's before
 * deploy and around services, and its machine's after; else it is the user's, and the host takes it over. Pure.
 */
export function describeLinkOwner({ port, before, link, claim }: LinkWrite): string | undefined {
  if (isOfHost({ port, before, link, claim })) return undefined;
  const { host, entry, state = '', isServicing = false, machine } = claim;
  const phase = networkPhaseOf(state, { isServicing });
  if (phase === undefined) return undefined;
  const wanted = wantedLink(entry, phase);
  if (isSameReference(wanted === undefined ? undefined : fullReference(wanted, host.namespace), link)) return undefined;
  const name = formatKey(host);
  const later = `set spec.ports[].configuration of the host, or spec.networkConfiguration of its Metal3Machine, for when it is deployed`;
  if (phase === 'released') return `the host ${name} is being deleted, and its ports are cleaned`;
  if (phase === 'provisioning' || (phase === 'servicing' && entry.provisioningConfiguration !== undefined)) {
    const what = entry.provisioningConfiguration === undefined ? 'are clean' : 'have their provisioningConfiguration';
    return `the host ${name} is ${isServicing ? 'being serviced' : state}, and its ports ${what} until it is deployed; ${later}`;
  }
  if (machine !== undefined) {
    return `the Metal3Machine ${host.namespace}/${machine} has set the configuration of this port of the host ${name}; change its spec.networkConfiguration`;
  }
  if (link !== undefined && link.namespace !== host.namespace) {
    return `the host ${name} is deployed: only configurations of ${host.namespace} can be linked to its ports`;
  }
  return undefined;
}

/** True for what the controller of the host writes: it records what it links, or takes its record away. */
function isOfHost({ port, before, link, claim }: LinkWrite): boolean {
  const record = readLinkRecord(port);
  if (record === undefined) return link === undefined && readLinkRecord(before) !== undefined;
  return record.by === formatKey(claim.host) && record.configuration === linkText(link);
}
