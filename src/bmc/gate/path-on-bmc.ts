import { parseBmcAddress } from '../address.ts';
import { BmcError } from '../errors.ts';

/** The path of a request; an absolute URL must be of the same BMC. */
export function pathOnBmc(target: string, origin: string): string {
  if (/^\/(?!\/)[\x21\x22\x24-\x5b\x5d-\x7e]*$/.test(target)) return target;
  const isUrl = /^https?:\/\//i.test(target);
  const path = isUrl ? pathOfUrl(target, origin) : target.split('#')[0];
  if (path === undefined || !/^\/(?!\/)/.test(path) || /\\|\p{Cc}/u.test(path)) {
    const address = JSON.stringify(target.slice(0, 200));
    throw new BmcError('badAddress', { address, detail: `it is not a path on ${origin}` });
  }
  // BMCs name things with spaces and umlauts, and put them into links as they are.
  return path.toWellFormed().replaceAll(/[^\x21-\x7e]+/g, encodeURIComponent);
}

/** Where an answer sends us on the same BMC; undefined when it is elsewhere. */
export function redirectTarget(
  location: string | undefined,
  from: { readonly origin: string; readonly path: string },
): string | undefined {
  if (location === undefined || location === '' || /[^\x21-\x7e]|\\/.test(location)) return undefined;
  const plain = location.split('#')[0] ?? '';
  if (/^[a-z][a-z0-9+.-]*:/i.test(plain)) return pathOfUrl(plain, from.origin);
  if (plain.startsWith('//')) return pathOfUrl(`${from.origin.split('//')[0]}${plain}`, from.origin);
  const base = `http://bmc.invalid${from.path}`;
  if (!URL.canParse(plain, base)) return undefined;
  const { pathname, search } = new URL(plain, base);
  return `${pathname}${search}`;
}

function pathOfUrl(url: string, origin: string): string | undefined {
  const [, authority = '', rest = ''] = /^(https?:\/\/[^/?#]*)([^#]*)/i.exec(url) ?? [];
  if (authority === '' || !isOrigin(authority, origin)) return undefined;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function isOrigin(url: string, origin: string): boolean {
  try {
    return parseBmcAddress(url).origin === origin;
  } catch {
    // Whatever it is, it is not this BMC.
    return false;
  }
}
