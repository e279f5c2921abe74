import type { Hardware, HostObject } from '../fleet/host-row.ts';
import { type SwitchPort, toPortRow } from '../network/port-view.ts';

/** Which SwitchPort an interface is plugged into. */
export interface PortWhere {
  readonly namespace: string;
  readonly name: string;
}

/** What was answered about a SwitchPort: itself, or why there is nothing to say about it. */
export type PortAnswer = PortWhere & ({ readonly port: SwitchPort } | { readonly problem: string });

/** The switch port that `spec.ports` names for an interface. */
export interface PluggedPort extends PortWhere {
  /** Undefined until it was read, or where it could not be. */
  readonly state: string | undefined;
  /** The configuration that is linked to it; empty for none. */
  readonly configuration: string;
  readonly error: string;
  /** Why it could not be read. */
  readonly problem: string;
}

/** One interface of a host. */
export interface InterfaceRow {
  readonly mac: string;
  /** Empty for an interface that was not seen when the host was inspected. */
  readonly name: string;
  readonly speedGbps: number | undefined;
  readonly isBoot: boolean;
  /** The switch and the socket that the cable leads to, as the switch itself said. */
  readonly lldp: string;
  readonly port: PluggedPort | undefined;
}

/** The SwitchPorts that a host names. */
export function namedPorts({ metadata, spec }: HostObject): readonly PortWhere[] {
  return (spec?.ports ?? []).map(({ port }) => ({
    namespace: port.namespace || (metadata.namespace ?? ''),
    name: port.name,
  }));
}

/** The interfaces that were seen, and those that `spec.ports` names besides, each with its switch port. */
export function interfacesOf(host: HostObject, answers: readonly PortAnswer[]): readonly InterfaceRow[] {
  const where = namedPorts(host);
  const named = new Map((host.spec?.ports ?? []).map(({ mac }, at) => [mac.toLowerCase(), where[at]]));
  const nics = host.status?.hardware?.nics ?? [];
  const seen = new Set(nics.map(({ mac = '' }) => mac.toLowerCase()));
  const unseen = [...named.keys()].filter((mac) => !seen.has(mac)).map((mac): Nic => ({ mac }));
  return [...nics, ...unseen].map(({ name = '', mac = '', speedGbps, pxe, lldp }) => ({
    ...{ name, mac, speedGbps, isBoot: pxe === true },
    lldp: lldp === undefined ? '' : `${lldp.switchSystemName ?? '?'} ${lldp.portID ?? ''}`.trim(),
    port: pluggedPort(named.get(mac.toLowerCase()), answers),
  }));
}

type Nic = NonNullable<Hardware['nics']>[number];

function pluggedPort(where: PortWhere | undefined, answers: readonly PortAnswer[]): PluggedPort | undefined {
  if (where === undefined) return undefined;
  const found = answers.find(({ namespace, name }) => namespace === where.namespace && name === where.name);
  const nothing = { ...where, state: undefined, configuration: '', error: '', problem: '' };
  if (found === undefined) return nothing;
  if ('problem' in found) return { ...nothing, problem: found.problem };
  const { state, configuration, error } = toPortRow(found.port);
  return { ...nothing, state, configuration, error };
}
