import { isIPv4, isIPv6 } from 'node:net';

/** A network as bits. */
export interface Network {
  readonly family: 'ipv4' | 'ipv6';
  /** 4 or 16 bytes, host bits zero. */
  readonly bytes: Uint8Array;
  readonly prefixLength: number;
}

/** Reads `192.0.2.7`, `192.0.2.0/24` or their IPv6 likes, dropping host bits; undefined when it is neither. */
export function parseNetwork(text: string): Network | undefined {
  const [address = '', length, ...more] = text.split('/');
  if (more.length > 0 || (length !== undefined && !/^\d{1,3}$/.test(length))) return undefined;
  // Zone indices (fe80::1%eth0) mean nothing on another machine.
  const family = isIPv4(address) ? 'ipv4' : isIPv6(address) && !address.includes('%') ? 'ipv6' : undefined;
  if (family === undefined) return undefined;
  const bytes = family === 'ipv4' ? ipv4Bytes(address) : ipv6Bytes(address);
  const bits = bytes.length * 8;
  const prefixLength = length === undefined ? bits : Number(length);
  if (prefixLength > bits) return undefined;
  return { family, bytes: withoutHostBits(bytes, prefixLength), prefixLength };
}

/** Writes a network the one way it is written here: `192.0.2.0/24`, IPv6 in its shortest form. */
export function formatNetwork({ family, bytes, prefixLength }: Network): string {
  const address = family === 'ipv4' ? bytes.join('.') : shortIpv6(bytes);
  return `${address}/${prefixLength}`;
}

function ipv4Bytes(text: string): Uint8Array {
  return Uint8Array.from(text.split('.').map(Number));
}

function ipv6Bytes(text: string): Uint8Array {
  const [head = '', tail] = text.split('::');
  const front = groupBytes(head);
  const back = tail === undefined ? [] : groupBytes(tail);
  const zeros = new Array<number>(16 - front.length - back.length).fill(0);
  return Uint8Array.from([...front, ...zeros, ...back]);
}

function groupBytes(text: string): number[] {
  return text.split(':').flatMap((group) => {
    if (group === '') return [];
    if (group.includes('.')) return [...ipv4Bytes(group)];
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

function withoutHostBits(bytes: Uint8Array, prefixLength: number): Uint8Array {
  return bytes.map((byte, index) => {
    const kept = Math.min(8, Math.max(0, prefixLength - index * 8));
    return byte & (0xff << (8 - kept)) & 0xff;
  });
}

/** The URL parser writes IPv6 addresses as RFC 5952 wants them. */
function shortIpv6(bytes: Uint8Array): string {
  const groups = Array.from({ length: 8 }, (_, index) =>
    (((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0)).toString(16),
  );
  return new URL(`http://[${groups.join(':')}]/`).hostname.slice(1, -1);
}
