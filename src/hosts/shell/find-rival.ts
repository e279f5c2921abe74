import type { BareMetalHost } from '../../api/index.ts';
import { formatKey, keyOf } from '../../kube/index.ts';
import { notedIdOf } from '../annotations/discovery-note.ts';

/** Where hosts are found by the id that their provisioner gave them, or that discovery told. */
export interface HostsById {
  byIndex(index: string, value: string): readonly BareMetalHost[];
}

/**
 * Another host that has the machine of which discovery made this one: one that its provisioner knows by that id, or that
 * was made of it before. Undefined for a host that its provisioner knows already.
 */
export function findRival(hosts: HostsById, host: BareMetalHost): string | undefined {
  const id = notedIdOf(host);
  if (id === undefined || (host.status?.provisioning.ID ?? '') !== '') return undefined;
  const self = formatKey(keyOf(host));
  const others = hosts.byIndex('provisionerId', id).filter((each) => formatKey(keyOf(each)) !== self);
  const rival = others.find((each) => each.status?.provisioning.ID === id || isBefore(each, host));
  return rival === undefined ? undefined : formatKey(keyOf(rival));
}

function isBefore(one: BareMetalHost, other: BareMetalHost): boolean {
  if ((one.status?.provisioning.ID ?? '') !== '') return false;
  const ageOf = ({ metadata }: BareMetalHost): string => `${metadata.creationTimestamp ?? ''} ${metadata.uid ?? ''}`;
  return ageOf(one) < ageOf(other);
}
