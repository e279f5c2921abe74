import { isDeepStrictEqual } from 'node:util';
import type { HostPort } from '../../api/index.ts';
import {
  type AdmissionRequest,
  allowed,
  type Denial,
  denied,
  formatKey,
  type KubeObject,
  type Verdict,
} from '../../kube/index.ts';
import { machineOf } from '../fabric/claims.ts';
import { readMachinePorts } from '../fabric/link-records.ts';
import { type FullReference, fullReference, isSameReference, nameOf, namespaceOf } from '../fabric/references.ts';
import type { PluggedHost } from '../fabric/tables.ts';
import { machinePortsAnnotation } from '../resources.ts';

/** What is known about whoever writes a host, and about who is plugged in where. */
export interface HostAdmissionSeen {
  /** Namespaces in which the user is not of the infra team, of those that count. */
  readonly notInfra: readonly string[];
  /** Hosts that name a port already. */
  readonly holdersOf: (port: FullReference) => readonly FullReference[];
}

function hostOf(object: KubeObject | null | undefined): PluggedHost | undefined {
  return object === undefined || object === null ? undefined : (object as PluggedHost);
}

function entriesOf(object: KubeObject | null | undefined): readonly HostPort[] {
  return hostOf(object)?.spec?.ports ?? [];
}

/** Entries that are not as they were in what the infra team keeps: where a host is plugged in, and its provisioning. */
function changedEntries({ object, oldObject }: AdmissionRequest): HostPort[] {
  const kept = ({ mac, port, provisioningConfiguration }: HostPort): unknown => [mac, port, provisioningConfiguration];
  const lacks = (entries: readonly HostPort[], entry: HostPort): boolean =>
    !entries.some((each) => isDeepStrictEqual(kept(each), kept(entry)));
  const [now, before] = [entriesOf(object), entriesOf(oldObject)];
  return [...now.filter((entry) => lacks(before, entry)), ...before.filter((entry) => lacks(now, entry))];
}

/** Namespaces in which whoever sends the request has to be of the infra team. */
export function infraNamespaces(request: AdmissionRequest): string[] {
  const home = request.namespace ?? '';
  const needed = changedEntries(request).flatMap(({ port, provisioningConfiguration: link }) => {
    const at = fullReference(port, home).namespace;
    const from = link === undefined ? at : fullReference(link, home).namespace;
    // A configuration of the tenant's own is no more than the tenant may use anyway.
    return from === home ? [at] : [at, from];
  });
  return [...new Set(needed)];
}

/** True when a request says something new about ports, or about what a machine wrote to them. */
export function isAboutPorts({ object, oldObject }: AdmissionRequest): boolean {
  const partsOf = (host: KubeObject | null | undefined): unknown => [
    entriesOf(host),
    host?.metadata?.annotations?.[machinePortsAnnotation],
  ];
  return !isDeepStrictEqual(partsOf(object), partsOf(oldObject));
}

/** Judges what a BareMetalHost says about its ports. Pure. */
export function admitHost(request: AdmissionRequest, known: HostAdmissionSeen | undefined): Verdict {
  const { object } = request;
  if (known === undefined || object === undefined || object === null) return allowed();
  const home = namespaceOf(object);
  const self = { name: nameOf(object), namespace: home };
  const who = request.userInfo.username ?? 'somebody';
  const rights = known.notInfra.map((namespace): Denial => {
    const message = `where a host is plugged in and how it is provisioned is said by those who may change Switches in ${namespace}; ${who} may not`;
    return { field: 'spec.ports', message };
  });
  // Whose port it is is not told to those who may not say where hosts are plugged in.
  if (rights.length > 0) return denied(...rights);
  const entries = entriesOf(object).flatMap((entry, at): Denial[] => {
    const holder = known.holdersOf(fullReference(entry.port, home)).find((host) => !isSameReference(host, self));
    const link = entry.configuration === undefined ? undefined : fullReference(entry.configuration, home);
    return [
      ...(holder === undefined
        ? []
        : [{ field: `spec.ports[${at}].port`, message: `the host ${formatKey(holder)} is plugged into it already` }]),
      ...(link === undefined || link.namespace === home
        ? []
        : [{ field: `spec.ports[${at}].configuration`, message: `it must be of the namespace ${home}` }]),
    ];
  });
  const reasons = [...entries, ...machineDenials(request), ...recordDenials(request)];
  return reasons.length === 0 ? allowed() : denied(...reasons);
}

/** What a machine wrote is changed by it alone: with its record, which is written together with the ports. */
function machineDenials({ object, oldObject }: AdmissionRequest): Denial[] {
  const host = hostOf(object);
  const written = host === undefined ? undefined : readMachinePorts(host);
  if (host === undefined || written === undefined) return [];
  const home = namespaceOf(host);
  const linkOf = (entry: HostPort | undefined): FullReference | undefined =>
    entry?.configuration === undefined ? undefined : fullReference(entry.configuration, home);
  return entriesOf(object).flatMap((entry, at) => {
    const machine = machineOf(host, entry);
    const recorded = written.get(entry.mac.toLowerCase());
    const before = entriesOf(oldObject).find(({ mac }) => mac.toLowerCase() === entry.mac.toLowerCase());
    const isAsBefore = before !== undefined && isSameReference(linkOf(before), linkOf(entry));
    if (machine === undefined || recorded === undefined || isAsBefore || isSameReference(linkOf(entry), recorded))
      return [];
    const message = `the Metal3Machine ${home}/${machine} has set it; change its spec.networkConfiguration`;
    return [{ field: `spec.ports[${at}].configuration`, message }];
  });
}

/** The record of a machine goes with what it stands for, or with the machine: without it that would stay when the machine goes. */
function recordDenials({ object, oldObject }: AdmissionRequest): Denial[] {
  const [host, before] = [hostOf(object), hostOf(oldObject)];
  if (host === undefined || before === undefined) return [];
  const [kept, written] = [readMachinePorts(host), readMachinePorts(before)];
  const home = namespaceOf(host);
  const lost = entriesOf(object).find((entry) => {
    const mac = entry.mac.toLowerCase();
    const isForgotten = written?.has(mac) === true && kept?.has(mac) !== true;
    const link = entry.configuration === undefined ? undefined : fullReference(entry.configuration, home);
    return isForgotten && link !== undefined && isSameReference(link, written?.get(mac));
  });
  const machine = lost === undefined ? undefined : machineOf(before, lost);
  const isGivenBack = !isDeepStrictEqual(host.spec.consumerRef, before.spec.consumerRef);
  if (lost === undefined || machine === undefined || isGivenBack) return [];
  const message = `the Metal3Machine ${home}/${machine} records there what it has set on ${lost.mac}; change its spec.networkConfiguration`;
  return [{ field: `metadata.annotations[${machinePortsAnnotation}]`, message }];
}
