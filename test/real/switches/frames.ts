/** What a host sends: an IPv4 packet, or a broadcast of no protocol; with or without a tag. */
export interface FrameOrder {
  readonly tag?: number;
  readonly packet?: {
    readonly source: string;
    readonly destination: string;
    readonly protocol: 'tcp' | 'udp' | 'icmp';
    readonly destinationPort?: number;
  };
}

const experimentalType = 0x88b5;
const ipv4Type = 0x0800;
const protocols = { tcp: 6, udp: 17, icmp: 1 } as const;

/** Writes a broadcast frame; what is sent after it counts as its payload. */
export function frameOf({ tag, packet }: FrameOrder): Buffer {
  const addresses = Buffer.from('ffffffffffff0200000000aa', 'hex');
  const vlan = tag === undefined ? Buffer.alloc(0) : sixteenBits(0x8100, tag);
  const body = packet === undefined ? Buffer.alloc(46) : packetOf(packet);
  return Buffer.concat([addresses, vlan, sixteenBits(packet === undefined ? experimentalType : ipv4Type), body]);
}

function sixteenBits(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, index * 2);
  return bytes;
}

/** Lengths and sums are wrong where only a receiving host would look. */
function packetOf(packet: NonNullable<FrameOrder['packet']>): Buffer {
  const header = Buffer.alloc(20);
  header.writeUInt8(0x45, 0);
  header.writeUInt16BE(20 + 20 + 16, 2);
  header.writeUInt8(64, 8);
  header.writeUInt8(protocols[packet.protocol], 9);
  Buffer.from(packet.source.split('.').map(Number)).copy(header, 12);
  Buffer.from(packet.destination.split('.').map(Number)).copy(header, 16);
  let sum = 0;
  for (let at = 0; at < 20; at += 2) sum += header.readUInt16BE(at);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  header.writeUInt16BE(~sum & 0xffff, 10);
  const segment = Buffer.alloc(20);
  if (packet.protocol === 'icmp') segment.writeUInt8(8, 0);
  else sixteenBits(40_000, packet.destinationPort ?? 0).copy(segment, 0);
  if (packet.protocol === 'udp') segment.writeUInt16BE(36, 4);
  if (packet.protocol === 'tcp') segment.writeUInt16BE(0x5002, 12);
  return Buffer.concat([header, segment]);
}
