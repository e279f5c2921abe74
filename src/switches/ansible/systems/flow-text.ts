import { isIP } from 'node:net';
import { parseNetwork } from '../../network-address.ts';
import { type FieldMatch, type Flow, fieldValue, type MatchField, type SeenFlow } from '../../ovs/openflow/index.ts';

const names: Readonly<Record<MatchField, string>> = {
  inPort: 'in_port',
  etherType: 'eth_type',
  protocol: 'ip_proto',
  ipv4Source: 'nw_src',
  ipv4Destination: 'nw_dst',
  tcpSource: 'tcp_src',
  tcpDestination: 'tcp_dst',
  udpSource: 'udp_src',
  udpDestination: 'udp_dst',
  ipv6Source: 'ipv6_src',
  ipv6Destination: 'ipv6_dst',
  icmpv6Type: 'icmpv6_type',
};

/** Writes a flow the way `ovs-ofctl` reads it. */
export function flowText({ cookie, priority, match, isAllowed }: Flow): string {
  const fields = [...match].map(([field, value]) => `${names[field]}=${fieldText(field, value)}`);
  return [
    `cookie=0x${cookie.toString(16)}`,
    `priority=${priority}`,
    ...fields,
    `actions=${isAllowed ? 'NORMAL' : 'drop'}`,
  ].join(',');
}

function fieldText(field: MatchField, { value, mask }: FieldMatch): string {
  const show = (bytes: Buffer): string => {
    if (field === 'inPort') return String(bytes.readUInt32BE());
    if (field === 'ipv4Source' || field === 'ipv4Destination') return bytes.join('.');
    if (bytes.length === 16) return bytes.toString('hex').replaceAll(/(.{4})(?=.)/g, '$1:');
    return `0x${bytes.toString('hex')}`;
  };
  return mask === undefined ? show(value) : `${show(value)}/${show(mask)}`;
}

/** What `tcp`, `ip` and their likes stand for. */
const shorthands: Readonly<Record<string, { readonly type: number; readonly protocol?: number }>> = {
  ip: { type: 0x0800 },
  ipv6: { type: 0x86dd },
  tcp: { type: 0x0800, protocol: 6 },
  udp: { type: 0x0800, protocol: 17 },
  icmp: { type: 0x0800, protocol: 1 },
  tcp6: { type: 0x86dd, protocol: 6 },
  udp6: { type: 0x86dd, protocol: 17 },
  icmp6: { type: 0x86dd, protocol: 58 },
};

/** Reads one line of `ovs-ofctl dump-flows`; undefined when it is no flow. */
export function parseFlowLine(line: string): SeenFlow | undefined {
  const [, head = '', actions = ''] = /^\s*(cookie=.*?)\s+actions=(\S+)\s*$/.exec(line) ?? [];
  const words = head.split(/[,\s]+/).filter((word) => word !== '');
  const values = new Map(words.map((word) => [word.split('=')[0] ?? '', word.slice(word.indexOf('=') + 1)]));
  const cookie = values.get('cookie');
  if (cookie === undefined) return undefined;
  const isAllowed = actions === 'NORMAL' ? true : actions === 'drop' ? false : undefined;
  return {
    cookie: BigInt(cookie),
    priority: Number(values.get('priority') ?? 32_768),
    match: matchOf(words, values),
    isAllowed,
  };
}

function matchOf(
  words: readonly string[],
  values: ReadonlyMap<string, string>,
): Map<MatchField, FieldMatch> | undefined {
  const match = new Map<MatchField, FieldMatch>();
  const short = words.map((word) => shorthands[word]).find((found) => found !== undefined);
  const number = (field: MatchField, text: string | undefined): void => {
    if (text === undefined) return;
    const [value, mask] = text.split('/');
    match.set(field, {
      value: fieldValue(field, Number(value)),
      mask: mask === undefined ? undefined : fieldValue(field, Number(mask)),
    });
  };
  const network = (field: MatchField, text: string | undefined): boolean => {
    if (text === undefined) return true;
    const found = networkField(text);
    if (found !== undefined) match.set(field, found);
    return found !== undefined;
  };
  number('inPort', values.get('in_port'));
  if (short !== undefined) match.set('etherType', { value: fieldValue('etherType', short.type) });
  if (short?.protocol !== undefined) match.set('protocol', { value: fieldValue('protocol', short.protocol) });
  number('protocol', values.get('nw_proto'));
  const kind = short?.protocol === 17 ? 'udp' : 'tcp';
  number(`${kind}Source`, values.get('tp_src'));
  number(`${kind}Destination`, values.get('tp_dst'));
  number('icmpv6Type', values.get('icmp_type'));
  const areNetworks =
    network('ipv4Source', values.get('nw_src')) &&
    network('ipv4Destination', values.get('nw_dst')) &&
    network('ipv6Source', values.get('ipv6_src')) &&
    network('ipv6Destination', values.get('ipv6_dst'));
  return areNetworks ? match : undefined;
}

function networkField(text: string): FieldMatch | undefined {
  const [address = '', length] = text.split('/');
  const network =
    isIP(address) === 0 || (length !== undefined && !/^\d+$/.test(length)) ? undefined : parseNetwork(text);
  if (network === undefined) return undefined;
  const { bytes, prefixLength } = network;
  if (prefixLength === bytes.length * 8) return { value: Buffer.from(bytes) };
  const mask = bytes.map((_, index) => (0xff << (8 - Math.min(8, Math.max(0, prefixLength - index * 8)))) & 0xff);
  return { value: Buffer.from(bytes), mask: Buffer.from(mask) };
}
