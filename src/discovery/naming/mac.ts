/** A MAC address in the one way of writing it: lower case with colons; undefined for what is none. */
export function readMac(text: string | undefined): string | undefined {
  if (text === undefined || text.length > longestMac) return undefined;
  const digits = text.toLowerCase().replaceAll(/[:.-]/g, '');
  // InfiniBand has addresses of 20 bytes.
  if (!/^([0-9a-f]{12}|[0-9a-f]{40})$/.test(digits)) return undefined;
  if (/^0+$/.test(digits) || /^f+$/.test(digits)) return undefined;
  return digits.match(/../g)?.join(':');
}

const longestMac = 59;
