const longestPath = 2048;

/**
 * The path of a link that a BMC gave, if it can be asked for: on the BMC itself, without fragment and tricks. Undefined
 * for everything else, so that a BMC cannot send us elsewhere. An absolute URL is taken where its origin is given.
 */
export function toBmcPath(value: unknown, origin?: string): string | undefined {
  if (typeof value !== 'string' || value.length > longestPath) return undefined;
  const path = withoutOrigin(value.trim(), origin).split('#', 1)[0] ?? '';
  if (!path.startsWith('/') || path.startsWith('//') || hasForbidden(path)) return undefined;
  return path;
}

function withoutOrigin(value: string, origin: string | undefined): string {
  if (origin === undefined || !URL.canParse(value)) return value;
  const url = new URL(value);
  return url.origin === new URL(origin).origin ? `${url.pathname}${url.search}` : '';
}

// Characters up to the space are what the pattern is about.
// biome-ignore lint/suspicious/noControlCharactersInRegex: see above
const forbiddenCharacter = /[\u0000-\u0020\\\u007f]/;
const climbingSegment = /^[^?]*\/(?:\.|%2e){1,2}(?:[/?]|$)/i;

/** White space, control characters, backslashes, and segments that climb: none of them is in an honest link. */
function hasForbidden(path: string): boolean {
  return forbiddenCharacter.test(path) || ((path.includes('/.') || path.includes('%')) && climbingSegment.test(path));
}

/** The path without query and trailing slashes: what two links to one resource have in common. */
export function barePath(path: string): string {
  const [plain = ''] = path.split(/[?#]/, 1);
  let end = plain.length;
  while (end > 1 && plain[end - 1] === '/') end -= 1;
  return plain.slice(0, end);
}

/** True when both lead to one resource. */
export function isSamePath(one: string, other: string): boolean {
  return barePath(one) === barePath(other);
}

/** The last segment of a path, which names the resource in its collection. */
export function lastSegment(path: string): string {
  const plain = barePath(path);
  return plain.slice(plain.lastIndexOf('/') + 1);
}

/** A path below another. */
export function childPath(parent: string, ...names: readonly string[]): string {
  return [barePath(parent), ...names].join('/');
}
