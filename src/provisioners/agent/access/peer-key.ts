import { isIPv6 } from 'node:net';

/** By what a caller is counted: its address, or the network of one that has as many IPv6 addresses as it wants (/64). */
export function peerKeyOf(peer: string): string {
  const [address = ''] = peer.split('%');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return peer;
  const [before = '', after] = address.split('::');
  const head = before === '' ? [] : before.split(':');
  const tail = after === undefined || after === '' ? [] : after.split(':');
  // An IPv4 address at the end stands for two groups.
  const tailGroups = tail.length + (tail.at(-1)?.includes('.') === true ? 1 : 0);
  const zeros = after === undefined ? 0 : Math.max(0, 8 - head.length - tailGroups);
  const groups = [...head, ...Array.from({ length: zeros }, () => '0'), ...tail];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
