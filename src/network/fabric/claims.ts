import type { HostPort, ProvisioningState } from '../../api/index.ts';
import { readMachinePorts } from './link-records.ts';
import { type FullReference, fullReference, nameOf, namespaceOf, referenceKey } from './references.ts';
import type { NetworkTables, PluggedHost } from './tables.ts';

/** The host that is plugged into a port, which makes its namespace the tenant of the port. */
export interface PortClaim {
  readonly host: FullReference;
  readonly entry: HostPort;
  /** What the infra team wants on the port while the host is provisioned. */
  readonly provisioning: FullReference | undefined;
  /** The state of the host; undefined before it has one. */
  readonly state?: ProvisioningState | undefined;
  readonly isServicing?: boolean | undefined;
  /** The Metal3Machine that wrote the configuration of this port, which is its own then. */
  readonly machine?: string | undefined;
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
    state: first.status?.provisioning?.state,
    isServicing: first.status?.operationalStatus === 'servicing',
    machine: machineOf(first, entry),
    rivals: others.map(identityOf),
  };
}

/** The Metal3Machine of a host that wrote the configuration of an interface. */
export function machineOf(host: Pick<PluggedHost, 'metadata' | 'spec'>, { mac }: HostPort): string | undefined {
  const { kind, name } = host.spec?.consumerRef ?? {};
  return kind === 'Metal3Machine' && readMachinePorts(host)?.has(mac.toLowerCase()) === true ? name : undefined;
}

function identityOf(host: PluggedHost): FullReference {
  return { name: nameOf(host), namespace: namespaceOf(host) };
}

function olderFirst(one: PluggedHost, other: PluggedHost): number {
  const key = ({ metadata }: PluggedHost): string =>
    `${metadata.creationTimestamp ?? ''} ${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
  return key(one) < key(other) ? -1 : 1;
}
