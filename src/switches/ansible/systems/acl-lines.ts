import { joinPorts } from '../../acl.ts';
import { formatNetwork, parseNetwork } from '../../network-address.ts';
import type { AclEntry, PortSpan } from '../../port-settings.ts';
import { portNumber } from './port-names.ts';

// A rule with several spans of ports takes several lines; the numbers of the lines tell which rule and in which order.
const linesPerRule = 100;
const endingNumber = 900_000;

/** What the lines of access lists are called on one system. */
export interface AclWords {
  /** ICMP in lists of IPv6. */
  readonly icmpv6: string;
  /** Without these no IPv6 at all would work where there are rules. */
  readonly discovery: readonly string[];
}

/** Lines of one rule, as many as there are pairs of its spans. */
export function lineCount({ sourcePorts, destinationPorts }: AclEntry): number {
  return Math.max(1, sourcePorts.length) * Math.max(1, destinationPorts.length);
}

/** The most lines that a rule may take. */
export const maxLinesPerRule = linesPerRule - 1;

/** The lines of an access list of one family. The switch ends it with a denial of its own. */
export function aclLines(acl: readonly AclEntry[], family: AclEntry['family'], words: AclWords): string[] {
  const rules = acl.flatMap((entry, index) =>
    entry.family === family ? linesOf(entry, (index + 1) * linesPerRule, words) : [],
  );
  if (family === 'ipv4') return rules;
  const { icmpv6, discovery } = words;
  return [...rules, ...discovery.map((kind, at) => `${endingNumber + at} permit ${icmpv6} any any ${kind}`)];
}

function linesOf(entry: AclEntry, first: number, words: AclWords): string[] {
  const action = entry.action === 'allow' ? 'permit' : 'deny';
  const sources = entry.sourcePorts.length === 0 ? [undefined] : entry.sourcePorts;
  const destinations = entry.destinationPorts.length === 0 ? [undefined] : entry.destinationPorts;
  const pairs = sources.flatMap((source) => destinations.map((destination) => ({ source, destination })));
  return pairs.map(({ source, destination }, at) =>
    [
      first + at,
      action,
      protocolWord(entry, words),
      networkWord(entry.family, entry.source),
      ...portWords(source),
      networkWord(entry.family, entry.destination),
      ...portWords(destination),
    ].join(' '),
  );
}

function protocolWord({ family, protocol }: AclEntry, { icmpv6 }: AclWords): string {
  if (protocol === 'all') return family === 'ipv4' ? 'ip' : 'ipv6';
  return protocol === 'icmp' && family === 'ipv6' ? icmpv6 : protocol;
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

/** Puts the lines of both families' lists back together; undefined is a list that is not on the port. */
export function readAclLines(
  lists: Readonly<Record<AclEntry['family'], readonly string[] | undefined>>,
  words: AclWords,
): ReadAcl {
  const read = (['ipv4', 'ipv6'] as const).flatMap((family) =>
    (lists[family] ?? []).map((line) => ({ line, found: entryOf(line, family) })),
  );
  const numbered = read.flatMap(({ found }) => (found !== undefined && found.number < endingNumber ? [found] : []));
  const rules = [...Map.groupBy(numbered, ({ number }) => Math.floor(number / linesPerRule))]
    .sort(([one], [other]) => one - other)
    .flatMap(([rule, lines]) => joined(lines).map((entry) => ({ rule, entry })));
  const expected = new Set(rules.flatMap(({ rule, entry }) => linesOf(entry, rule * linesPerRule, words)));
  const strays = read.flatMap(({ line, found }) => {
    const isOwn = found === undefined ? isDiscovery(line, words) : expected.delete(lineOf(found, words));
    return isOwn ? [] : [`line ${JSON.stringify(line)} of the access list`];
  });
  // What is left over would be there if its rule were whole.
  const missing = [...expected].map((line) => `no line ${JSON.stringify(line)} in the access list`);
  const { length } = words.discovery;
  const ending = lists.ipv6?.filter((line) => isDiscovery(line, words)).length ?? length;
  if (ending < length) missing.push('no neighbour discovery in the access list');
  return { acl: rules.map(({ entry }) => entry), strays: [...strays, ...missing] };
}

/** Which words a system has for a type of ICMPv6 is its own business; which lines they are in is ours. */
function isDiscovery(line: string, { icmpv6, discovery }: AclWords): boolean {
  const [, number, protocol] = /^(\d+) permit (\S+) any any [a-z-]+$/.exec(line) ?? [];
  const at = Number(number) - endingNumber;
  return protocol === icmpv6 && at >= 0 && at < discovery.length;
}

/** A line as it would be written, whatever words it was read in. */
function lineOf({ number, entry }: NumberedEntry, words: AclWords): string {
  return linesOf(entry, number, words)[0] ?? '';
}

function joined(lines: readonly NumberedEntry[]): AclEntry[] {
  const [first] = lines;
  if (first === undefined) return [];
  const all = (side: 'sourcePorts' | 'destinationPorts') => joinPorts(lines.flatMap(({ entry }) => entry[side]));
  return [{ ...first.entry, sourcePorts: all('sourcePorts'), destinationPorts: all('destinationPorts') }];
}

const side = String.raw`(any|host \S+|\S+/\d+)(?: (eq [\w-]+|range [\w-]+ [\w-]+))?`;
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
  const [, number, action, word = '', source = '', sourceWords, destination = '', destinationWords] =
    linePattern.exec(line) ?? [];
  const protocol = protocolNames[word];
  const [sourcePorts, destinationPorts] = [spanOf(sourceWords), spanOf(destinationWords)];
  const isWhole = sourcePorts !== undefined && destinationPorts !== undefined;
  if (number === undefined || protocol === undefined || !isWhole) return undefined;
  const entry: AclEntry = {
    family,
    action: action === 'permit' ? 'allow' : 'deny',
    protocol,
    source: networkOf(source),
    sourcePorts,
    destination: networkOf(destination),
    destinationPorts,
  };
  return { number: Number(number), entry };
}

function networkOf(word: string): string | undefined {
  const network = word === 'any' ? undefined : parseNetwork(word.replace(/^host /, ''));
  return network === undefined ? undefined : formatNetwork(network);
}

/** The ports of `eq 22` or `range 80 ssh`; undefined for a name that is not known. */
function spanOf(words: string | undefined): readonly PortSpan[] | undefined {
  if (words === undefined) return [];
  const [first, last = first] = words.split(' ').slice(1).map(portNumber);
  return first === undefined || last === undefined ? undefined : [{ first, last }];
}
