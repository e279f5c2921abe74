import { parseBmcAddress } from '../address.ts';
import { BmcError } from '../errors.ts';

/** The path of a request; an absolute URL must be of the same BMC. */
export function pathOnBmc(target: string, origin: string): string {
  if (target.charCodeAt(0) === 47 && target.charCodeAt(1) !== 47 && !/[\s\\#]/.test(target)) return target;
  const path = /^https?:\/\//i.test(target) ? pathOfUrl(target, origin) : undefined;
  if (path === undefined || /[\s\\#]/.test(path)) {
    throw new BmcError('badAddress', {
      address: JSON.stringify(target.slice(0, 200)),
      detail: `it is not on ${origin}`,
    });
  }
  return path;
}

/** Where an answer sends us on the same BMC; undefined when it is elsewhere. */
export function redirectTarget(
  location: string | undefined,
  from: { readonly origin: string; readonly path: string },
): string | undefined {
  if (location === undefined || location === '' || /[\s\\]/.test(location)) return undefined;
  const plain = location.split('#')[0] ?? '';
  if (/^[a-z][a-z0-9+.-]*:/i.test(plain)) return pathOfUrl(plain, from.origin);
  if (plain.startsWith('//')) return pathOfUrl(`${from.origin.split('//')[0]}${plain}`, from.origin);
  const url = new URL(plain, new URL(from.path, 'http://bmc.invalid'));
  return `${url.pathname}${url.search}`;
}

function pathOfUrl(url: string, origin: string): string | undefined {
  const parts = /^(https?:\/\/[^/?#]*)([^#]*)/i.exec(url);
  if (parts === null || parts[1]?.includes('@') === true) return undefined;
  try {
    if (parseBmcAddress(parts[1] ?? '').origin !== origin) return undefined;
  } catch {
    return undefined;
  }
  const rest = parts[2] ?? '';
  return rest.startsWith('/') ? rest : `/${rest}`;
}
