import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** A request of a controller and the answer to it, without what differs by chance. */
export interface Exchange {
  /** As in `get /api/v1/namespaces/x/configmaps/y`. */
  readonly request: string;
  /** As in `200` or `409 Conflict`. */
  readonly answer: string;
}

/** Says what is requested: how, of what, and with which options that change the answer. */
export function readRequest(method: string, url: string, headers: IncomingHttpHeaders): { readonly request: string } {
  const { pathname, searchParams } = new URL(url, 'https://localhost');
  const options = ['dryRun', 'force', 'fieldManager', 'fieldValidation', 'sendInitialEvents']
    .filter((name) => searchParams.has(name))
    .map((name) => `${name}=${searchParams.get(name)}`);
  const accept = headers.accept ?? '';
  if (accept.includes('as=PartialObjectMetadata')) options.push('metadata only');
  const words = [
    verbOf(method, pathname, searchParams, headers),
    withoutChance(decodeURIComponent(pathname)),
    ...options,
  ];
  return { request: words.join(' ') };
}

/** Says how a request was answered: the code, and for a refusal the reason. */
export function readAnswer({ statusCode, headers }: IncomingMessage, body: Buffer | undefined): string {
  const warnings = headers.warning === undefined ? '' : ` warning: ${withoutChance(headers.warning)}`;
  return `${statusCode}${body === undefined ? '' : reasonIn(body)}${warnings}`;
}

const patchTypes: Record<string, string> = {
  'application/json-patch+json': 'json patch',
  'application/merge-patch+json': 'merge patch',
  'application/strategic-merge-patch+json': 'strategic patch',
  'application/apply-patch+yaml': 'apply',
  'application/apply-patch+cbor': 'apply in CBOR',
};

function verbOf(method: string, path: string, query: URLSearchParams, headers: IncomingHttpHeaders): string {
  if (method === 'PATCH') return patchTypes[headers['content-type'] ?? ''] ?? `patch of ${headers['content-type']}`;
  if (method !== 'GET') return { POST: 'create', PUT: 'update', DELETE: 'delete' }[method] ?? method;
  if (query.get('watch') === 'true' || query.get('watch') === '1') return 'watch';
  return isCollection(path) ? 'list' : 'get';
}

function isCollection(path: string): boolean {
  return (
    /^\/(api\/[^/]+|apis\/[^/]+\/[^/]+)(\/namespaces\/[^/]+)?\/[^/]+$/.test(path) && !/\/namespaces\/[^/]+$/.test(path)
  );
}

function reasonIn(body: Buffer): string {
  const reason = body.subarray(0, 4).toString() === protobufMark ? reasonInProtobuf(body) : reasonInJson(body);
  return reason === undefined || reason === '' ? '' : ` ${reason}`;
}

function reasonInJson(body: Buffer): string | undefined {
  try {
    return (JSON.parse(body.toString()) as { reason?: string }).reason;
  } catch {
    return undefined;
  }
}

const protobufMark = 'k8s\0';

/** The fourth field of a Status: a tag, a length, and so many letters. */
function reasonInProtobuf(body: Buffer): string | undefined {
  for (let at = body.indexOf(0x22); at !== -1; at = body.indexOf(0x22, at + 1)) {
    const length = body[at + 1] ?? 0;
    const word = body.subarray(at + 2, at + 2 + length).toString('latin1');
    if (/^[A-Z][A-Za-z]{3,}$/.test(word) && word.length === length) return word;
  }
  return undefined;
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** The letters that Kubernetes makes random names of. */
const random = /-[bcdfghjklmnpqrstvwxz2456789]{5}(?=$|[-./])/g;

/** Replaces ids, random parts of names, the times in the names of events, hashes, and the numbers of rounds. */
export function withoutChance(text: string): string {
  return text
    .replaceAll(uuid, '<uid>')
    .replaceAll(/\.[0-9a-f]{16}$/g, '.<time>')
    .replaceAll(/(\bround-)\d+/g, '$1<n>')
    .replaceAll(random, '-<random>')
    .replaceAll(/\?hash=\w+/g, '');
}

/** What one server answered and the other never, or what was requested of one alone. */
export interface Difference {
  readonly request: string;
  readonly embedded: readonly string[];
  readonly real: readonly string[];
}

/** Compares all that was requested of both servers and how they answered. */
export function compareExchanges(embedded: readonly Exchange[], real: readonly Exchange[]): Difference[] {
  const [ours, theirs] = [answersByRequest(embedded), answersByRequest(real)];
  const requests = [...new Set([...ours.keys(), ...theirs.keys()])].sort();
  return requests.flatMap((request) => {
    const one = ours.get(request) ?? new Set<string>();
    const other = theirs.get(request) ?? new Set<string>();
    const isAlone = one.size === 0 || other.size === 0;
    if (isAlone && isMadeByTiming(request) && [...one, ...other].every(isSuccess)) return [];
    const onlyEmbedded = [...one].filter((answer) => !other.has(answer) && !isByTiming(answer, one));
    const onlyReal = [...other].filter(
      (answer) => !one.has(answer) && !isByTiming(answer, other) && !isNewStorage(request, answer, other),
    );
    if (onlyEmbedded.length === 0 && onlyReal.length === 0) return [];
    return [{ request, embedded: [...one].sort(), real: [...other].sort() }];
  });
}

/**
 * Whether two runs on one server can differ in this answer. A write meets another write (409), and an object is not
 * there yet or not any more (404), by the moment alone; but then the same request also succeeded on that server.
 */
function isByTiming(answer: string, answers: ReadonlySet<string>): boolean {
  const isRace = answer === '409 Conflict' || answer === '409 AlreadyExists' || answer === '404 NotFound';
  return isRace && [...answers].some(isSuccess);
}

/** kube-apiserver refuses to watch a kind that was defined just now; the client tries again and is served. */
function isNewStorage(request: string, answer: string, answers: ReadonlySet<string>): boolean {
  return answer === '429 TooManyRequests' && /^(watch|list) /.test(request) && [...answers].some(isSuccess);
}

/**
 * Whether it is the moment that decides if a request is made at all: a client reads the resources of a group by
 * themselves where the list of all groups did not have it yet, and writes the same event again only within a while.
 */
function isMadeByTiming(request: string): boolean {
  return /^get \/apis\/[^/]+\/[^/]+$/.test(request) || /^(create|strategic patch) .*\/events(\/[^/]+)?$/.test(request);
}

function isSuccess(answer: string): boolean {
  return answer.startsWith('20');
}

function answersByRequest(exchanges: readonly Exchange[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { request, answer } of exchanges)
    found.set(request, (found.get(request) ?? new Set<string>()).add(answer));
  return found;
}
