import type { HostPort } from '../../api/index.ts';
import { type FullReference, fullReference, nameOf, namespaceOf, referenceKey } from './references.ts';
import type { NetworkTables, PluggedHost } from './tables.ts';

/** The host that is plugged into a port, which makes its namespace the tenant of the port. */
export interface PortClaim {
  readonly host: FullReference;
  readonly entry: HostPort;
  /** What the infra team wants on the port while the host is provisioned. */
  readonly provisioning: FullReference | undefined;
  /** Other hosts that name the port too; they get nothing. */
  readonly rivals: readonly FullReference[];
}

/** Finds out who is plugged into a port: of several hosts the one that was there first. */
export function claimOf(hosts: NetworkTables['hosts'], port: string): PortClaim | undefined {
  const [first, ...others] = hosts.byIndex('port', port).toSorted(olderFirst);
  const entry = first?.spec.ports?.find((each) => referenceKey(each.port, namespaceOf(first)) === port);
  if (first === undefined || entry === undefined) return undefined;
  const { provisioningConfiguration: link } = entry;
  return {
    host: identityOf(first),
    entry,
    provisioning: link === undefined ? undefined : fullReference(link, namespaceOf(first)),
    rivals: others.map(identityOf),
  };
}

function identityOf(host: PluggedHost): FullReference {
  return { name: nameOf(host), namespace: namespaceOf(host) };
}

function olderFirst(one: PluggedHost, other: PluggedHost): number {
  const key = ({ metadata }: PluggedHost): string =>
    `${metadata.creationTimestamp ?? ''} ${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
  return key(one) < key(other) ? -1 : 1;
}
