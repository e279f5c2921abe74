import { CelOpaque } from './values.ts';

/** What is wrong with a URL, in Go's words. */
export class UrlError extends Error {}

/** The parts of a URL, unescaped where Go unescapes them. */
export interface UrlParts {
  readonly scheme: string;
  readonly opaque: string;
  readonly user: string | undefined;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
}

/** A URL that could be the target of a request. */
export class CelUrl extends CelOpaque {
  override readonly typeName = 'kubernetes.URL';
  readonly parts: UrlParts;

  constructor(parts: UrlParts) {
    super();
    this.parts = parts;
  }

  override equals(other: CelOpaque): boolean {
    return other instanceof CelUrl && JSON.stringify(other.parts) === JSON.stringify(this.parts);
  }

  get hostname(): string {
    const { host } = this.parts;
    const bracket = host.lastIndexOf(']');
    if (host.startsWith('[') && bracket > 0) return host.slice(1, bracket);
    const colon = host.lastIndexOf(':');
    return colon < 0 ? host : host.slice(0, colon);
  }

  get port(): string {
    const { host } = this.parts;
    return /^(?:\[.*\]|[^\]]*):(\d*)$/.exec(host)?.[1] ?? '';
  }

  /** The path as it was written, or escaped where it was not valid as written. */
  get escapedPath(): string {
    const { path } = this.parts;
    if (path === '*' || /^[A-Za-z0-9\-_.~$&+,/:;=@!'()*[\]%]*$/.test(path)) return path;
    return Array.from(Buffer.from(unescapeUrl(path)), escapePathByte).join('');
  }

  /** The values of each query parameter; pairs that are malformed are left out. */
  get query(): Map<string, string[]> {
    const values = new Map<string, string[]>();
    for (const pair of this.parts.query.split('&')) {
      if (pair === '' || pair.includes(';')) continue;
      const [, key = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
      const decoded = [key, value].map(decodeQuery);
      if (decoded[0] === undefined || decoded[1] === undefined) continue;
      values.set(decoded[0], [...(values.get(decoded[0]) ?? []), decoded[1]]);
    }
    return values;
  }
}

function escapePathByte(byte: number): string {
  const c = String.fromCharCode(byte);
  return byte < 0x80 && /[A-Za-z0-9\-_.~$&+,/:;=@]/.test(c)
    ? c
    : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}

function decodeQuery(text: string): string | undefined {
  return /%(?![0-9a-fA-F]{2})/.test(text) ? undefined : unescapeUrl(text.replaceAll('+', ' '));
}

function unescapeUrl(text: string): string {
  if (!text.includes('%')) return text;
  const bytes = text.split(/(%[0-9a-fA-F]{2})/).map((part) => {
    return /^%[0-9a-fA-F]{2}$/.test(part) ? Buffer.from(part.slice(1), 'hex') : Buffer.from(part);
  });
  return Buffer.concat(bytes).toString('utf8');
}

/** Reads an absolute URL or an absolute path, as an HTTP request line may have it; a fragment is told apart afterwards. */
export function parseRequestUrl(text: string): CelUrl {
  const fail = (problem: string): UrlError => new UrlError(`parse ${quoteGo(text)}: ${problem}`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(text)) throw fail('net/url: invalid control character in URL');
  if (text === '') throw fail('empty url');
  parseParts(text, fail, true);
  const hash = text.indexOf('#');
  const fragment = hash < 0 ? '' : text.slice(hash + 1);
  checkEscapes(fragment, fail);
  return new CelUrl({ ...parseParts(hash < 0 ? text : text.slice(0, hash), fail, false), fragment });
}

type Fail = (problem: string) => UrlError;

function parseParts(text: string, fail: Fail, isRequest: boolean): UrlParts {
  const parts = {
    scheme: '',
    opaque: '',
    user: undefined as string | undefined,
    host: '',
    path: '',
    query: '',
    fragment: '',
  };
  if (text === '*') return { ...parts, path: '*' };
  if (text.startsWith(':')) throw fail('missing protocol scheme');
  const [, scheme = '', afterScheme = text] = /^([A-Za-z][A-Za-z0-9+.-]*):(.*)$/s.exec(text) ?? [];
  const question = afterScheme.indexOf('?');
  let rest = question < 0 ? afterScheme : afterScheme.slice(0, question);
  const base = { ...parts, scheme: scheme.toLowerCase(), query: question < 0 ? '' : afterScheme.slice(question + 1) };
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...base, opaque: rest };
    if (isRequest) throw fail('invalid URI for request');
  }
  if ((scheme !== '' || (!isRequest && !rest.startsWith('///'))) && rest.startsWith('//')) {
    const slash = rest.indexOf('/', 2);
    const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
    rest = slash < 0 ? '' : rest.slice(slash);
    Object.assign(base, parseAuthority(authority, fail));
  }
  checkEscapes(rest, fail);
  return { ...base, path: rest };
}

function checkEscapes(text: string, fail: Fail): void {
  const bad = /%(?![0-9a-fA-F]{2}).{0,2}/s.exec(text)?.[0];
  if (bad !== undefined) throw fail(`invalid URL escape ${quoteGo(bad)}`);
}

function parseAuthority(authority: string, fail: Fail): { user: string | undefined; host: string } {
  const at = authority.lastIndexOf('@');
  const host = parseHost(authority.slice(at + 1), fail);
  if (at < 0) return { user: undefined, host };
  const user = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) throw fail('net/url: invalid userinfo');
  checkEscapes(user, fail);
  return { user, host };
}

function parseHost(host: string, fail: Fail): string {
  const bracket = host.lastIndexOf('[');
  if (bracket > 0) throw fail('invalid IP-literal');
  const close = host.lastIndexOf(']');
  if (bracket === 0 && close < 0) throw fail("missing ']' in host");
  const colonPort = bracket === 0 ? host.slice(close + 1) : (/:[^:]*$/.exec(host)?.[0] ?? '');
  if (!/^(:\d*)?$/.test(colonPort)) throw fail(`invalid port ${quoteGo(colonPort)} after host`);
  if (bracket === 0 && !host.slice(1, close).includes(':')) throw fail('invalid IP-literal');
  return unescapeHost(host, fail);
}

// Only bytes past ASCII may be escaped in a host, and the percent sign of a zone.
function unescapeHost(host: string, fail: Fail): string {
  const badEscape = /%(?:(?![0-9a-fA-F]{2}).{0,2}|(?!25)[0-7][0-9a-fA-F])/s.exec(host)?.[0];
  if (badEscape !== undefined) throw fail(`invalid URL escape ${quoteGo(badEscape)}`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII but what a host may hold
  const bad = /[\u0000-\u007f]/.exec(host.replace(/[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%]/g, ''))?.[0];
  if (bad !== undefined) throw fail(`invalid character ${quoteGo(bad)} in host name`);
  return unescapeUrl(host);
}

/** A string in double quotes as Go prints it. */
function quoteGo(text: string): string {
  return JSON.stringify(text)
    .replace(/\\u00([01][0-9a-f]|7f)/g, '\\x$1')
    .replaceAll('\u007f', '\\x7f');
}
