import type { AclEntry, PortSpan } from './port-settings.ts';

/** Writes spans as `22,80-90`; empty for any port. */
export function formatPorts(spans: readonly PortSpan[]): string {
  return spans.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
}

/** Reads `22` or `22, 80-90` into ordered, joined spans; undefined when it is no list of ports. */
export function parsePorts(text: string | number): readonly PortSpan[] | undefined {
  const spans: PortSpan[] = [];
  for (const part of String(text).split(',')) {
    const [, from, to] = /^\s*(\d{1,5})(?:-(\d{1,5}))?\s*$/.exec(part) ?? [];
    const span = { first: Number(from), last: Number(to ?? from) };
    if (from === undefined || span.last > 65535 || span.first > span.last) return undefined;
    spans.push(span);
  }
  return joinPorts(spans);
}

/** Orders and joins spans; all ports is the same as any port, which is none. */
export function joinPorts(spans: readonly PortSpan[]): readonly PortSpan[] {
  const joined: { first: number; last: number }[] = [];
  for (const { first, last } of [...spans].sort((a, b) => a.first - b.first)) {
    const previous = joined.at(-1);
    if (previous !== undefined && first <= previous.last + 1) previous.last = Math.max(previous.last, last);
    else joined.push({ first, last });
  }
  // All ports is the same as any port.
  return joined.length === 1 && joined[0]?.first === 0 && joined[0].last === 65535 ? [] : joined;
}

/** Writes a rule as `deny ipv4 tcp from 192.0.2.0/24 to any port 22`. */
export function formatAclEntry(entry: AclEntry): string {
  const side = (network: string | undefined, ports: readonly PortSpan[]): string =>
    `${network ?? 'any'}${ports.length === 0 ? '' : ` port ${formatPorts(ports)}`}`;
  const from = side(entry.source, entry.sourcePorts);
  const to = side(entry.destination, entry.destinationPorts);
  return `${entry.action} ${entry.family} ${entry.protocol} from ${from} to ${to}`;
}

/** Writes a whole list on one line; empty for no list. */
export function formatAcl(acl: readonly AclEntry[]): string {
  return acl.map(formatAclEntry).join('; ');
}
