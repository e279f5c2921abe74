import { formatAcl } from '../../acl.ts';
import { formatNetwork, parseNetwork } from '../../network-address.ts';
import type { AclEntry, PortSpan } from '../../port-settings.ts';
import { type Flow, ownCookie, type SeenFlow } from './flow.ts';
import { type FieldMatch, fieldValue, type Match, type MatchField, matchKey } from './match.ts';

const etherTypes = { ipv4: 0x0800, ipv6: 0x86dd } as const;
const protocols = { tcp: 6, udp: 17, icmp: { ipv4: 1, ipv6: 58 } } as const;
const topPriority = 45_000;
const discoveryPriority = 40_001;
const endPriority = 40_000;
/** Between these priorities are the flows of access lists. */
export const aclPriorities = { first: topPriority, last: endPriority } as const;
/** Router solicitation, neighbour solicitation and neighbour advertisement: without them IPv6 finds nobody. */
const discoveryTypes = [133, 135, 136] as const;

/** The flows that an access list becomes on one port, in the order of its rules by their priorities. */
export function flowsOfAcl(acl: readonly AclEntry[], ofport: number): Flow[] {
  if (acl.length === 0) return [];
  const inPort: [MatchField, FieldMatch] = ['inPort', { value: fieldValue('inPort', ofport) }];
  const rules = acl.flatMap((entry, index) =>
    matchesOf(entry).map((match) => ({
      cookie: ownCookie | BigInt(index),
      priority: topPriority - index,
      match: new Map([inPort, ...match]),
      isAllowed: entry.action === 'allow',
    })),
  );
  const ending = [...discoveryFlows(inPort), ...(['ipv4', 'ipv6'] as const).map((family) => endFlow(family, inPort))];
  return [...rules, ...ending];
}

function endFlow(family: AclEntry['family'], inPort: [MatchField, FieldMatch]): Flow {
  return {
    cookie: ownCookie | 0xffffn,
    priority: endPriority,
    match: new Map([inPort, etherType(family)]),
    isAllowed: false,
  };
}

function discoveryFlows(inPort: [MatchField, FieldMatch]): Flow[] {
  return discoveryTypes.map((type) => ({
    cookie: ownCookie | 0xffffn,
    priority: discoveryPriority,
    match: new Map([
      inPort,
      etherType('ipv6'),
      ['protocol', { value: fieldValue('protocol', protocols.icmp.ipv6) }],
      ['icmpv6Type', { value: fieldValue('icmpv6Type', type) }],
    ]),
    isAllowed: true,
  }));
}

function etherType(family: AclEntry['family']): [MatchField, FieldMatch] {
  return ['etherType', { value: fieldValue('etherType', etherTypes[family]) }];
}

/** A rule with ranges of ports becomes one match for each pair of their masks. */
function matchesOf(entry: AclEntry): Match[] {
  const base: [MatchField, FieldMatch][] = [etherType(entry.family)];
  if (entry.protocol !== 'all') {
    const { protocol } = entry;
    const number = protocol === 'icmp' ? protocols.icmp[entry.family] : protocols[protocol];
    base.push(['protocol', { value: fieldValue('protocol', number) }]);
  }
  if (entry.source !== undefined) base.push([`${entry.family}Source`, networkMatch(entry.source)]);
  if (entry.destination !== undefined) base.push([`${entry.family}Destination`, networkMatch(entry.destination)]);
  const kind = entry.protocol === 'udp' ? 'udp' : 'tcp';
  const sources = portMatches(`${kind}Source`, entry.sourcePorts);
  const destinations = portMatches(`${kind}Destination`, entry.destinationPorts);
  return sources.flatMap((source) => destinations.map((destination) => new Map([...base, ...source, ...destination])));
}

function portMatches(field: MatchField, spans: readonly PortSpan[]): [MatchField, FieldMatch][][] {
  if (spans.length === 0) return [[]];
  return spans
    .flatMap(masksOfSpan)
    .map(({ value, mask }) => [
      [field, { value: fieldValue(field, value), mask: mask === 0xffff ? undefined : fieldValue(field, mask) }],
    ]);
}

/** The fewest value/mask pairs that cover a span: the largest aligned block that fits, again and again. */
export function masksOfSpan({ first, last }: PortSpan): { readonly value: number; readonly mask: number }[] {
  const masks: { value: number; mask: number }[] = [];
  for (let at = first; at <= last; ) {
    let size = 1;
    while (at % (size * 2) === 0 && at + size * 2 - 1 <= last) size *= 2;
    masks.push({ value: at, mask: 0xffff & ~(size - 1) });
    at += size;
  }
  return masks;
}

function networkMatch(text: string): FieldMatch {
  const network = parseNetwork(text);
  if (network === undefined) throw new TypeError(`${JSON.stringify(text)} is no network`);
  const { bytes, prefixLength } = network;
  const mask = Buffer.from(
    bytes.map((_, index) => (0xff << (8 - Math.min(8, Math.max(0, prefixLength - index * 8)))) & 0xff),
  );
  return { value: Buffer.from(bytes), mask: prefixLength === bytes.length * 8 ? undefined : mask };
}

/** An access list as the flows of a port tell it, and what of the flows fits no list. */
export interface AclOfFlows {
  readonly acl: readonly AclEntry[];
  readonly strays: readonly string[];
}

/** Reads our flows of one port back into rules; flows that those rules would not become are strays. */
export function aclOfFlows(flows: readonly SeenFlow[], ofport: number): AclOfFlows {
  const own = flows.filter(({ match }) => match?.get('inPort')?.value.readUInt32BE() === ofport);
  const rules = Map.groupBy(
    own.filter(({ priority }) => priority > discoveryPriority),
    ({ priority }) => priority,
  );
  const acl = [...rules].sort(([one], [other]) => other - one).flatMap(([, group]) => entryOf(group) ?? []);
  const meant = new Set(flowsOfAcl(acl, ofport).map(flowKey));
  const seen = own.map((flow) =>
    flow.match === undefined || flow.isAllowed === undefined
      ? 'odd'
      : flowKey({ ...flow, match: flow.match, isAllowed: flow.isAllowed }),
  );
  const extra = seen.filter((key) => !meant.has(key)).length;
  const missing = meant.size - (seen.length - extra);
  const strays = [
    ...(extra > 0 ? [`${extra} flows that belong to no rule`] : []),
    ...(missing > 0 ? [`${missing} flows of the access list (${formatAcl(acl)}) are missing`] : []),
  ];
  return { acl, strays };
}

function flowKey(flow: Flow): string {
  return `${flow.priority} ${flow.isAllowed} ${matchKey(flow.match)}`;
}

const protocolNames: ReadonlyMap<number | undefined, AclEntry['protocol']> = new Map([
  [undefined, 'all'],
  [6, 'tcp'],
  [17, 'udp'],
  [1, 'icmp'],
  [58, 'icmp'],
]);

function entryOf(flows: readonly SeenFlow[]): AclEntry | undefined {
  const [first] = flows;
  if (first?.match === undefined || first.isAllowed === undefined) return undefined;
  const number = first.match.get('etherType')?.value.readUInt16BE();
  const family = number === etherTypes.ipv4 ? 'ipv4' : number === etherTypes.ipv6 ? 'ipv6' : undefined;
  const protocol = protocolNames.get(first.match.get('protocol')?.value.readUInt8());
  if (family === undefined || protocol === undefined) return undefined;
  const kind = protocol === 'udp' ? 'udp' : 'tcp';
  return {
    family,
    action: first.isAllowed ? 'allow' : 'deny',
    protocol,
    source: networkOf(family, first.match.get(`${family}Source`)),
    sourcePorts: spansOf(flows, `${kind}Source`),
    destination: networkOf(family, first.match.get(`${family}Destination`)),
    destinationPorts: spansOf(flows, `${kind}Destination`),
  };
}

function networkOf(family: AclEntry['family'], field: FieldMatch | undefined): string | undefined {
  if (field === undefined) return undefined;
  const { value, mask } = field;
  const bits = mask === undefined ? value.length * 8 : [...mask].reduce((sum, byte) => sum + bitsIn(byte), 0);
  return formatNetwork({ family, bytes: Uint8Array.from(value), prefixLength: bits });
}

function bitsIn(byte: number): number {
  return byte.toString(2).replaceAll('0', '').length;
}

function spansOf(flows: readonly SeenFlow[], field: MatchField): readonly PortSpan[] {
  const spans = flows
    .flatMap(({ match }) => match?.get(field) ?? [])
    .map(({ value, mask }) => {
      const first = value.readUInt16BE();
      return { first, last: first | (0xffff & ~(mask?.readUInt16BE() ?? 0xffff)) };
    })
    .sort((one, other) => one.first - other.first);
  const joined: { first: number; last: number }[] = [];
  for (const { first, last } of spans) {
    const previous = joined.at(-1);
    if (previous !== undefined && first <= previous.last + 1) previous.last = Math.max(previous.last, last);
    else joined.push({ first, last });
  }
  return joined;
}
