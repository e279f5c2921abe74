import { type ReadContext, refusal } from '../reading/context.ts';

const longestPath = 1024;

/** Why a path must not be followed; undefined when it leads nowhere but down. */
export function pathFault(path: string): string | undefined {
  if (path === '') return 'it has no file name';
  if (path.length > longestPath) return 'its path is too long';
  if (/\p{Cc}/u.test(path)) return 'its path has control characters';
  if (path.includes('\\')) return 'its path has backslashes';
  if (path.startsWith('/') || /^[a-z][a-z0-9+.-]*:/i.test(path)) return 'its path is not relative';
  // Encoded dots and slashes are undone by whoever fetches it.
  if (/%(?:2e|2f|5c|00)/i.test(path)) return 'its path has encoded dots, slashes or zeros';
  const names = path.split('/');
  if (names.some((name) => name === '' || name === '.' || name === '..')) return 'its path leads out of the catalogue';
  return undefined;
}

/** The address of a file below a base. Throws `hostile` for a path that leads elsewhere. */
export function addressBelow(base: URL, path: string, context: ReadContext): URL {
  const fault = pathFault(path);
  if (fault !== undefined) throw refusal(context, 'hostile', { detail: `${fault}: ${JSON.stringify(path)}` });
  const encoded = path.split('/').map(encodeName).join('/');
  const url = new URL(encoded, base);
  const isBelow = url.origin === base.origin && url.host === base.host && url.pathname.startsWith(base.pathname);
  if (isBelow && url.protocol === base.protocol) return url;
  throw refusal(context, 'hostile', { detail: `its path leads out of the catalogue: ${JSON.stringify(path)}` });
}

/** Names may be encoded already or not. */
function encodeName(name: string): string {
  return encodeURIComponent(/%[0-9a-f]{2}/i.test(name) ? safeDecode(name) : name);
}

function safeDecode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    // A percent sign that is no encoding is part of the name.
    return name;
  }
}

/** A whole address of an image, or one below a base. Throws `hostile` for what is no place to fetch from. */
export function addressAnywhere(base: URL, text: string, context: ReadContext): URL {
  if (!/^[a-z][a-z0-9+.-]*:/i.test(text)) return addressBelow(base, text, context);
  const url = URL.parse(text);
  const shown = JSON.stringify(text.replace(/\/\/[^/@]*@/, '//'));
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw refusal(context, 'hostile', { detail: `the address of an image is neither https nor http: ${shown}` });
  }
  if (url.username === '' && url.password === '') return url;
  throw refusal(context, 'hostile', { detail: `the address of an image has credentials in it: ${shown}` });
}

/** Refuses a base that a catalogue names unless it is on its own host or on one that is trusted. */
export function checkHost(
  base: URL,
  about: { readonly place: URL; readonly trustedHosts: readonly string[] },
  context: ReadContext,
): URL {
  const hosts = [about.place.hostname, ...about.trustedHosts].map((host) => host.toLowerCase());
  if (hosts.includes(base.hostname.toLowerCase())) return base;
  throw refusal(context, 'hostile', {
    detail: `it sends for its images to ${base.hostname}; give its base address, or trust that host, if that is right`,
  });
}
