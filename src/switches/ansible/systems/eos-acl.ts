import { joinPorts } from '../../acl.ts';
import { formatNetwork, parseNetwork } from '../../network-address.ts';
import type { AclEntry, PortSpan } from '../../port-settings.ts';

// A rule with several spans of ports takes several lines; the numbers of the lines tell which rule and in which order.
const linesPerRule = 100;
const endingNumber = 900_000;

/** Lines of one rule, as many as there are pairs of its spans. */
export function lineCount({ sourcePorts, destinationPorts }: AclEntry): number {
  return Math.max(1, sourcePorts.length) * Math.max(1, destinationPorts.length);
}

/** The most lines that a rule may take. */
export const maxLinesPerRule = linesPerRule - 1;

/** The lines of an access list of one family. EOS ends it with a denial of its own. */
export function aclLines(acl: readonly AclEntry[], family: AclEntry['family']): string[] {
  const rules = acl.flatMap((entry, index) =>
    entry.family === family ? linesOf(entry, (index + 1) * linesPerRule) : [],
  );
  if (family === 'ipv4') return rules;
  const discovery = ['neighbor-solicitation', 'neighbor-advertisement', 'router-solicitation'];
  return [...rules, ...discovery.map((kind, at) => `${endingNumber + at} permit icmpv6 any any ${kind}`)];
}

function linesOf(entry: AclEntry, first: number): string[] {
  const action = entry.action === 'allow' ? 'permit' : 'deny';
  const sources = entry.sourcePorts.length === 0 ? [undefined] : entry.sourcePorts;
  const destinations = entry.destinationPorts.length === 0 ? [undefined] : entry.destinationPorts;
  const pairs = sources.flatMap((source) => destinations.map((destination) => ({ source, destination })));
  return pairs.map(({ source, destination }, at) =>
    [
      first + at,
      action,
      protocolWord(entry),
      networkWord(entry.family, entry.source),
      ...portWords(source),
      networkWord(entry.family, entry.destination),
      ...portWords(destination),
    ].join(' '),
  );
}

function protocolWord({ family, protocol }: AclEntry): string {
  if (protocol === 'all') return family === 'ipv4' ? 'ip' : 'ipv6';
  return protocol === 'icmp' && family === 'ipv6' ? 'icmpv6' : protocol;
}

function networkWord(family: AclEntry['family'], network: string | undefined): string {
  if (network === undefined) return 'any';
  const [address, length] = network.split('/');
  return length === (family === 'ipv4' ? '32' : '128') ? `host ${address}` : network;
}

function portWords(span: PortSpan | undefined): string[] {
  if (span === undefined) return [];
  return span.first === span.last ? [`eq ${span.first}`] : [`range ${span.first} ${span.last}`];
}

/** Rules that were read, and the lines that are no rule of ours. */
export interface ReadAcl {
  readonly acl: readonly AclEntry[];
  readonly strays: readonly string[];
}

interface NumberedEntry {
  readonly number: number;
  readonly entry: AclEntry;
}

/** Puts the lines of both families' lists back together. */
export function readAclLines(lists: Readonly<Record<AclEntry['family'], readonly string[]>>): ReadAcl {
  const strays: string[] = [];
  const numbered = (['ipv4', 'ipv6'] as const).flatMap((family) =>
    lists[family].flatMap((line) => {
      const found = entryOf(line, family);
      if (found !== undefined) return found.number < endingNumber ? [found] : [];
      if (!/^\d+ permit icmpv6 any any \S+$/.test(line)) strays.push(`line ${JSON.stringify(line)} of the access list`);
      return [];
    }),
  );
  const rules = Map.groupBy(numbered, ({ number }) => Math.floor(number / linesPerRule));
  const acl = [...rules].sort(([one], [other]) => one - other).flatMap(([, lines]) => joined(lines));
  return { acl, strays };
}

function joined(lines: readonly NumberedEntry[]): AclEntry[] {
  const [first] = lines;
  if (first === undefined) return [];
  const all = (side: 'sourcePorts' | 'destinationPorts') => joinPorts(lines.flatMap(({ entry }) => entry[side]));
  return [{ ...first.entry, sourcePorts: all('sourcePorts'), destinationPorts: all('destinationPorts') }];
}

const side = String.raw`(any|host \S+|\S+/\d+)(?: (eq \d+|range \d+ \d+))?`;
const linePattern = new RegExp(`^(\\d+) (permit|deny) (\\S+) ${side} ${side}$`);
const protocolNames: Readonly<Record<string, AclEntry['protocol']>> = {
  ip: 'all',
  ipv6: 'all',
  tcp: 'tcp',
  udp: 'udp',
  icmp: 'icmp',
  icmpv6: 'icmp',
};

function entryOf(line: string, family: AclEntry['family']): NumberedEntry | undefined {
  const [, number, action, word = '', source = '', sourcePorts, destination = '', destinationPorts] =
    linePattern.exec(line) ?? [];
  const protocol = protocolNames[word];
  if (number === undefined || protocol === undefined) return undefined;
  const entry: AclEntry = {
    family,
    action: action === 'permit' ? 'allow' : 'deny',
    protocol,
    source: networkOf(source),
    sourcePorts: spanOf(sourcePorts),
    destination: networkOf(destination),
    destinationPorts: spanOf(destinationPorts),
  };
  return { number: Number(number), entry };
}

function networkOf(word: string): string | undefined {
  const network = word === 'any' ? undefined : parseNetwork(word.replace(/^host /, ''));
  return network === undefined ? undefined : formatNetwork(network);
}

function spanOf(words: string | undefined): readonly PortSpan[] {
  if (words === undefined) return [];
  const [first = 0, last = first] = [...words.matchAll(/\d+/g)].map(([digits]) => Number(digits));
  return [{ first, last }];
}
