/** Fields of packets that access lists look at, with their numbers and sizes in OpenFlow's basic class. */
const fields = {
  inPort: { number: 0, bytes: 4 },
  etherType: { number: 5, bytes: 2 },
  protocol: { number: 10, bytes: 1 },
  ipv4Source: { number: 11, bytes: 4 },
  ipv4Destination: { number: 12, bytes: 4 },
  tcpSource: { number: 13, bytes: 2 },
  tcpDestination: { number: 14, bytes: 2 },
  udpSource: { number: 15, bytes: 2 },
  udpDestination: { number: 16, bytes: 2 },
  ipv6Source: { number: 26, bytes: 16 },
  ipv6Destination: { number: 27, bytes: 16 },
  icmpv6Type: { number: 29, bytes: 1 },
} as const;

/** A field of a packet. */
export type MatchField = keyof typeof fields;

/** What a field must be, in the bits that the mask has; without a mask in all of them. */
export interface FieldMatch {
  readonly value: Buffer;
  readonly mask?: Buffer | undefined;
}

/** What a packet must be like. */
export type Match = ReadonlyMap<MatchField, FieldMatch>;

const basicClass = 0x8000;
const oxmType = 1;
const namesByNumber: ReadonlyMap<number, MatchField> = new Map(
  Object.entries(fields).map(([name, { number }]) => [number, name as MatchField]),
);

/** A number as a field is wide. */
export function fieldValue(field: MatchField, value: number): Buffer {
  const bytes = Buffer.alloc(fields[field].bytes);
  bytes.writeUIntBE(value, 0, Math.min(6, bytes.length));
  return bytes;
}

/** Writes a match, padded to eight bytes. */
export function encodeMatch(match: Match): Buffer {
  const parts = [...match].map(([field, { value, mask }]) => {
    const head = Buffer.alloc(4);
    head.writeUInt16BE(basicClass, 0);
    head.writeUInt8((fields[field].number << 1) | (mask === undefined ? 0 : 1), 2);
    head.writeUInt8(value.length + (mask?.length ?? 0), 3);
    return Buffer.concat(mask === undefined ? [head, value] : [head, value, mask]);
  });
  const payload = Buffer.concat(parts);
  const head = Buffer.alloc(4);
  head.writeUInt16BE(oxmType, 0);
  head.writeUInt16BE(4 + payload.length, 2);
  const length = 4 + payload.length;
  return Buffer.concat([head, payload, Buffer.alloc((8 - (length % 8)) % 8)]);
}

/** A match that was read, and how many bytes it took with its padding. */
export interface DecodedMatch {
  /** Undefined when there is a field in it that access lists have no use for. */
  readonly match: Match | undefined;
  readonly bytes: number;
}

/** Reads a match. */
export function decodeMatch(buffer: Buffer): DecodedMatch {
  const length = buffer.readUInt16BE(2);
  const bytes = length + ((8 - (length % 8)) % 8);
  const match = new Map<MatchField, FieldMatch>();
  let isKnown = true;
  for (let at = 4; at + 4 <= length; ) {
    const oxmClass = buffer.readUInt16BE(at);
    const hasMask = (buffer.readUInt8(at + 2) & 1) === 1;
    const size = buffer.readUInt8(at + 3);
    const payload = Buffer.from(buffer.subarray(at + 4, at + 4 + size));
    const field = oxmClass === basicClass ? namesByNumber.get(buffer.readUInt8(at + 2) >> 1) : undefined;
    if (field === undefined) isKnown = false;
    else
      match.set(
        field,
        hasMask ? { value: payload.subarray(0, size / 2), mask: payload.subarray(size / 2) } : { value: payload },
      );
    at += 4 + size;
  }
  return { match: isKnown ? match : undefined, bytes };
}

/** Writes a match as text in one order, so that equal ones are written alike. */
export function matchKey(match: Match): string {
  return [...match]
    .map(
      ([field, { value, mask }]) =>
        `${field}=${value.toString('hex')}${isFull(mask) ? '' : `/${mask?.toString('hex')}`}`,
    )
    .sort()
    .join(',');
}

function isFull(mask: Buffer | undefined): boolean {
  return mask === undefined || mask.every((byte) => byte === 0xff);
}
