import type { BareMetalHost, HostPort, Metal3MachineSpec } from '../../api/index.ts';
import { isSameJson, type KubeObject } from '../../kube/index.ts';
import { fullReference, isSameReference, namespaceOf } from '../fabric/references.ts';
import { explainNeed, type WhyNot } from './explain-need.ts';
import { type CanTake, matchNics } from './match-nics.ts';

/** What the network of a machine is decided from. */
export interface MachineNetwork extends Pick<Metal3MachineSpec, 'networkConfiguration'> {
  /** What ports cannot take, and why; they take everything unless given. */
  readonly whyNot?: WhyNot | undefined;
}

/** What the ports of a host are to be for its machine. */
export type MachinePorts =
  /** Undefined where they are so already. */
  | { readonly kind: 'fits'; readonly ports: readonly HostPort[] | undefined }
  | { readonly kind: 'unfit'; readonly message: string };

function canTake({ whyNot }: Pick<MachineNetwork, 'whyNot'>): CanTake {
  return (entry, need) => whyNot?.(entry, need) === undefined;
}

/** The hosts that have an interface for every network configuration of a machine, in their order. Pure. */
export function filter(hosts: readonly BareMetalHost[], machine: MachineNetwork): BareMetalHost[] {
  const needs = machine.networkConfiguration ?? [];
  return needs.length === 0
    ? [...hosts]
    : hosts.filter((host) => matchNics(host, needs, canTake(machine)) !== undefined);
}

/** The ports of a host with the configurations of its machine written to them. Ports that get none stay as they are. Pure. */
export function configureNetwork(host: BareMetalHost, machine: MachineNetwork): MachinePorts {
  const needs = machine.networkConfiguration ?? [];
  const present = host.spec?.ports ?? [];
  if (needs.length === 0) return { kind: 'fits', ports: undefined };
  const found = matchNics(host, needs, canTake(machine));
  if (found === undefined) return { kind: 'unfit', message: describeLack(host, machine) };
  const home = namespaceOf(host as KubeObject);
  const byEntry = new Map([...found].map(([need, entry]) => [entry, need]));
  const ports = present.map((entry) => {
    const need = byEntry.get(entry);
    return need === undefined ? entry : { ...entry, configuration: fullReference(need.ConfigurationRef, home) };
  });
  return { kind: 'fits', ports: areSamePorts(ports, present, home) ? undefined : ports };
}

/**
 * The ports of a host that its machine configured before, with what the machine asks for now: what it wrote to interfaces that
 * it needs no more goes. What a port has it keeps, also where limits have shrunk since. Pure.
 */
export function reconfigureNetwork(
  host: BareMetalHost,
  machine: MachineNetwork,
  written: readonly string[],
): MachinePorts {
  const { networkConfiguration = [], whyNot = () => undefined } = machine;
  const home = namespaceOf(host as KubeObject);
  const hasIt: CanTake = ({ configuration: link }, need) =>
    link !== undefined && isSameReference(fullReference(link, home), fullReference(need.ConfigurationRef, home));
  const keeps: WhyNot = (entry, need) => (hasIt(entry, need) ? undefined : whyNot(entry, need));
  const needs = networkConfiguration;
  const found = matchNics(host, needs, canTake({ whyNot: keeps }));
  if (found === undefined) return { kind: 'unfit', message: describeLack(host, machine) };
  const used = [...found.values()].map(({ mac }) => mac.toLowerCase());
  const present = host.spec?.ports ?? [];
  const left =
    deconfigureNetwork(
      host,
      written.filter((mac) => !used.includes(mac)),
    ) ?? present;
  const next = configureNetwork({ ...host, spec: { ...host.spec, ports: [...left] } } as BareMetalHost, {
    ...machine,
    whyNot: keeps,
  });
  if (next.kind === 'unfit') return next;
  const ports = next.ports ?? left;
  return { kind: 'fits', ports: areSamePorts(ports, present, home) ? undefined : ports };
}

/**
 * The ports of a host without the configurations of these interfaces, by MAC, or of all of them unless given; undefined
 * where none of them has one. Pure.
 */
export function deconfigureNetwork(host: BareMetalHost, macs?: readonly string[]): readonly HostPort[] | undefined {
  const present = host.spec?.ports ?? [];
  const isMeant = ({ mac }: HostPort): boolean => macs === undefined || macs.includes(mac.toLowerCase());
  if (!present.some((entry) => isMeant(entry) && entry.configuration !== undefined)) return undefined;
  return present.map((entry) => {
    const { configuration: _, ...rest } = entry;
    return isMeant(entry) ? rest : entry;
  });
}

function areSamePorts(ports: readonly HostPort[], present: readonly HostPort[], home: string): boolean {
  const linksOf = (entries: readonly HostPort[]) =>
    entries.map(({ configuration: link }) => (link === undefined ? null : fullReference(link, home)));
  return isSameJson(linksOf(ports), linksOf(present));
}

/** The needs that no interface can have at all, and why; all of them where they are only too many together. */
function describeLack(host: BareMetalHost, { networkConfiguration = [], whyNot }: MachineNetwork): string {
  const alone = networkConfiguration.filter((need) => matchNics(host, [need], canTake({ whyNot })) === undefined);
  const names = (alone.length === 0 ? networkConfiguration : alone).map((need) => {
    const { ConfigurationRef: link, nicHint } = need;
    const hint = [
      ...(nicHint?.name === undefined ? [] : [nicHint.name]),
      ...(nicHint?.smartNIC === true ? ['a smart NIC'] : []),
    ].join(', ');
    return `${hint === '' ? link.name : `${link.name} (${hint})`}: ${explainNeed(host, need, whyNot)}`;
  });
  return `the host ${host.metadata.name ?? ''} has no interface in spec.ports for each of: ${names.join('; ')}`;
}
