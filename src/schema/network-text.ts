// How Go's net and net/url packages read addresses: the formats of Kubernetes are defined by what they accept.

/** The 16 bytes of an IP address, or undefined; IPv4 is mapped into ::ffff:0:0/96. */
export function parseIp(text: string, options: { allowLeadingZeros: boolean }): Uint8Array | undefined {
  for (const char of text) {
    if (char === '.') return parseIpv4Mapped(text, options);
    if (char === ':') return parseIpv6(text, options);
  }
  return undefined;
}

function parseIpv4Mapped(text: string, options: { allowLeadingZeros: boolean }): Uint8Array | undefined {
  const four = parseIpv4(text, options);
  if (four === undefined) return undefined;
  const out = new Uint8Array(16);
  out.set([0xff, 0xff, ...four], 10);
  return out;
}

function parseIpv4(text: string, options: { allowLeadingZeros: boolean }): number[] | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  const bytes: number[] = [];
  for (const part of parts) {
    if (!/^[0-9]+$/.test(part)) return undefined;
    if (!options.allowLeadingZeros && part.length > 1 && part[0] === '0') return undefined;
    const byte = Number(part);
    if (byte > 255) return undefined;
    bytes.push(byte);
  }
  return bytes;
}

function parseIpv6(text: string, options: { allowLeadingZeros: boolean }): Uint8Array | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const head = parseGroups(halves[0] ?? '', { isLast: halves.length === 1, ...options });
  if (head === undefined) return undefined;
  if (halves.length === 1) return head.length === 16 ? Uint8Array.from(head) : undefined;
  const tail = parseGroups(halves[1] ?? '', { isLast: true, ...options });
  if (tail === undefined || head.length + tail.length > 14) return undefined;
  const out = new Uint8Array(16);
  out.set(head, 0);
  out.set(tail, 16 - tail.length);
  return out;
}

function parseGroups(text: string, options: { isLast: boolean; allowLeadingZeros: boolean }): number[] | undefined {
  if (text === '') return [];
  const bytes: number[] = [];
  const groups = text.split(':');
  for (const [index, group] of groups.entries()) {
    if (group.includes('.')) {
      const four = options.isLast && index === groups.length - 1 ? parseIpv4(group, options) : undefined;
      if (four === undefined) return undefined;
      bytes.push(...four);
    } else {
      if (!/^[0-9a-fA-F]{1,4}$/.test(group)) return undefined;
      const word = Number.parseInt(group, 16);
      bytes.push(word >> 8, word & 0xff);
    }
  }
  return bytes.length > 16 ? undefined : bytes;
}

/** True for `10.0.0.0/8` and `fd00::/8`, with leading zeros tolerated in IPv4 as Kubernetes does. */
export function isCidr(text: string): boolean {
  const slash = text.indexOf('/');
  if (slash < 0) return false;
  const address = text.slice(0, slash);
  const mask = text.slice(slash + 1);
  if (!/^[0-9]+$/.test(mask) || mask.length > 3) return false;
  const ip = parseIp(address, { allowLeadingZeros: true });
  return ip !== undefined && Number(mask) <= (address.includes(':') ? 128 : 32);
}

/** True for a 6, 8 or 20 byte hardware address in one of Go's three notations. */
export function isMac(text: string): boolean {
  const separator = text[2] === ':' || text[2] === '-' ? text[2] : undefined;
  if (separator !== undefined) {
    const parts = text.split(separator);
    return [6, 8, 20].includes(parts.length) && parts.every((part) => /^[0-9a-fA-F]{2}$/.test(part));
  }
  const parts = text.split('.');
  return [3, 4, 10].includes(parts.length) && parts.every((part) => /^[0-9a-fA-F]{4}$/.test(part));
}

/** True when Go's `url.ParseRequestURI` accepts the text: an absolute URI or an absolute path. */
export function isRequestUri(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control bytes are exactly what is refused
  if (text === '' || /[\x00-\x1f\x7f]/.test(text)) return false;
  if (text === '*') return true;
  if (text.startsWith(':')) return false;
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*:/.exec(text)?.[0] ?? '';
  const rest = (text.slice(scheme.length).split('?', 1)[0] ?? '') as string;
  if (!rest.startsWith('/')) return scheme !== '';
  if (scheme === '' || !rest.startsWith('//')) return hasOnlyWholeEscapes(rest);
  const end = rest.indexOf('/', 2);
  const authority = end < 0 ? rest.slice(2) : rest.slice(2, end);
  return isAuthority(authority) && hasOnlyWholeEscapes(end < 0 ? '' : rest.slice(end));
}

function hasOnlyWholeEscapes(path: string): boolean {
  return !/%(?![0-9a-fA-F]{2})/.test(path);
}

function isAuthority(authority: string): boolean {
  const at = authority.lastIndexOf('@');
  const user = at < 0 ? '' : authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user) || !hasOnlyWholeEscapes(user)) return false;
  return isHost(authority.slice(at + 1));
}

function isHost(host: string): boolean {
  if (host.startsWith('[')) {
    const close = host.lastIndexOf(']');
    return close > 0 && isOptionalPort(host.slice(close + 1)) && isHostText(host.slice(1, close));
  }
  const colon = host.lastIndexOf(':');
  return (colon < 0 || isOptionalPort(host.slice(colon))) && isHostText(host);
}

function isOptionalPort(text: string): boolean {
  return text === '' || /^:[0-9]*$/.test(text);
}

// Only non-ASCII bytes and %25 (a zone) may be percent-escaped in a host.
function isHostText(host: string): boolean {
  const bare = host.replace(/%25|%[89a-fA-F][0-9a-fA-F]/g, '');
  return /^[A-Za-z0-9!$&'()*+,;=:[\]<>"\-_.~\u0080-\u{10ffff}]*$/u.test(bare);
}
