import type { ServerResponse } from 'node:http';
import { type FieldError, forbiddenError, notSupportedError } from '../../schema/index.ts';
import type { ServerCore } from '../core.ts';
import { isTrue } from '../http/request-info.ts';
import type { RequestContext } from '../request-context.ts';
import type { ServedResource } from '../served-resource.ts';
import { ApiError, badRequest, invalidOptions, plainError } from '../status.ts';
import type { Change, Stored, Subscription } from '../store/store.ts';
import { compileFilter, type StoredFilter } from './filter.ts';
import { badVersion, tooLargeVersion } from './list.ts';
import { eventObject } from './present.ts';

const bookmarkIntervalMs = 60_000;
const lastBookmarkMs = 2_000;
const defaultTimeoutMs = 30 * 60_000;
/** A watcher that lets this much pile up is cut off; it will list again. */
const maxBufferedBytes = 16 * 1024 * 1024;
const initialEventsAnnotation = 'k8s.io/initial-events-end';

/** What a watch request asked for. */
interface WatchRequest {
  readonly filter: StoredFilter;
  readonly namespace: string | undefined;
  /** Only this object; empty: all. */
  readonly name: string;
  readonly since: number;
  /** Objects to send as ADDED before anything else. */
  readonly sendsState: boolean;
  readonly marksInitialEnd: boolean;
  readonly sendsBookmarks: boolean;
  readonly timeoutMs: number;
}

/** Streams the changes of a resource until the client goes away or the time asked for is over. */
export async function watchObjects(core: ServerCore, context: RequestContext, served: ServedResource): Promise<void> {
  const request = readWatchRequest(core, context, served);
  const stream = new WatchStream(context, served);
  const since = request.sendsState ? core.store.revision() : request.since;
  const initial = request.sendsState ? [...core.store.scan(served.bucket)] : [];
  const subscription = core.store.subscribe(served.bucket, since, (changes) => {
    for (const change of changes) stream.enqueue(change, request);
  });
  if (subscription === 'expired') {
    stream.open();
    stream.fail(tooOld(request.since, core.store.oldestRevision()));
    return;
  }
  stream.begin(initial, request, since);
  await runUntilClosed(core, stream, subscription, request);
}

async function runUntilClosed(
  core: ServerCore,
  stream: WatchStream,
  subscription: Subscription,
  request: WatchRequest,
): Promise<void> {
  const timers: NodeJS.Timeout[] = [];
  timers.push(setTimeout(() => stream.end(), request.timeoutMs));
  if (request.sendsBookmarks) {
    const mark = (): void => stream.bookmark(core.store.revision());
    timers.push(setInterval(mark, bookmarkIntervalMs));
    // One shortly before the end, so that the client's next watch starts from a fresh version.
    timers.push(setTimeout(mark, Math.max(0, request.timeoutMs - lastBookmarkMs)));
  }
  await stream.closed;
  for (const timer of timers) clearTimeout(timer);
  subscription.close();
}

function readWatchRequest(core: ServerCore, context: RequestContext, served: ServedResource): WatchRequest {
  const { query, namespace } = context.info;
  const version = query.get('resourceVersion') ?? '';
  if (!/^\d{0,15}$/.test(version)) throw plainError(badVersion(version));
  const revision = Number(version);
  if (revision > core.store.revision()) throw tooLargeVersion(revision, core.store.revision());
  const initial = query.get('sendInitialEvents');
  const match = query.get('resourceVersionMatch') ?? '';
  checkInitialEvents(query, initial, match);
  const sendsInitial = initial !== null && isTrue(initial);
  const seconds = readSeconds(query.get('timeoutSeconds') ?? '0');
  return {
    filter: compileFilter(served, query),
    name: context.info.name,
    namespace: served.namespaced && namespace !== '' ? namespace : undefined,
    since: revision === 0 ? core.store.revision() : revision,
    sendsState: initial === null ? revision === 0 : sendsInitial,
    marksInitialEnd: sendsInitial && isTrue(query.get('allowWatchBookmarks')),
    sendsBookmarks: isTrue(query.get('allowWatchBookmarks')),
    timeoutMs: seconds > 0 ? seconds * 1000 : defaultTimeoutMs,
  };
}

function readSeconds(text: string): number {
  if (/^-?\d*$/.test(text)) return Number(text);
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

function checkInitialEvents(query: URLSearchParams, initial: string | null, match: string): void {
  const field = 'resourceVersionMatch';
  const refuse = (...errors: FieldError[]): never => {
    throw invalidOptions('ListOptions', ...errors);
  };
  if (query.has('continue')) refuse(forbiddenError(field, `${field} is forbidden when continue is provided`));
  if (initial === null && match !== '') {
    refuse(forbiddenError(field, `${field} is forbidden for watch unless sendInitialEvents is provided`));
  }
  if (initial === null || match === 'NotOlderThan') return;
  const needed = forbiddenError(field, `sendInitialEvents requires setting ${field} to NotOlderThan`);
  if (match === '') refuse(needed);
  refuse(needed, notSupportedError(field, match, ['NotOlderThan']));
}

function tooOld(asked: number, oldest: number): ApiError {
  return new ApiError({ code: 410, reason: 'Expired', message: `too old resource version: ${asked} (${oldest})` });
}

/** One client's stream: keeps order while rendering may be asynchronous, and cuts off a client that does not read. */
class WatchStream {
  readonly closed: Promise<void>;
  readonly #context: RequestContext;
  readonly #served: ServedResource;
  readonly #response: ServerResponse;
  /** Set while something ahead in the order is still being rendered. */
  #tail: Promise<void> | undefined;
  #isOpen = false;
  #isDone = false;
  #owesInitialEnd = false;
  #hasSentColumns = false;

  constructor(context: RequestContext, served: ServedResource) {
    this.#context = context;
    this.#served = served;
    this.#response = context.response;
    this.closed = new Promise((resolve) => {
      this.#response.on('close', () => {
        this.#isDone = true;
        resolve();
      });
    });
  }

  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    const { contentType } = this.#context.media;
    this.#response.writeHead(200, { 'Content-Type': contentType, 'Cache-Control': 'no-cache, private' });
    this.#response.flushHeaders();
  }

  begin(initial: Stored[], request: WatchRequest, revision: number): void {
    this.open();
    for (const item of initial) {
      if (isWanted(item, request)) this.#send('ADDED', item);
    }
    this.#owesInitialEnd = request.sendsState && request.sendsBookmarks;
    if (request.marksInitialEnd) this.bookmark(revision);
  }

  enqueue(change: Change, request: WatchRequest): void {
    const was = change.previous !== undefined && isWanted(change.previous, request);
    const is = change.type !== 'DELETED' && isWanted(change.current, request);
    if (is) this.#send(was ? 'MODIFIED' : 'ADDED', change.current);
    else if (was) this.#send('DELETED', change.type === 'DELETED' ? change.current : atRevision(change));
  }

  /** The first one after a state was sent also says that the state is complete. */
  bookmark(revision: number): void {
    const { kind, apiVersion } = this.#served;
    const annotations = this.#owesInitialEnd ? { annotations: { [initialEventsAnnotation]: 'true' } } : {};
    this.#owesInitialEnd = false;
    const metadata = { resourceVersion: String(revision), ...annotations };
    const object = JSON.stringify({ kind, apiVersion, metadata });
    this.#after(() => this.#writeRendered('BOOKMARK', object));
  }

  fail(error: ApiError): void {
    this.open();
    this.#response.end(`{"type":"ERROR","object":${JSON.stringify(error.status)}}\n`);
  }

  end(): void {
    this.#after(() => {
      this.#response.end();
    });
  }

  #send(type: string, stored: Stored): void {
    const rendered = this.#served.render(stored);
    if (typeof rendered === 'string' && this.#tail === undefined) this.#writeRendered(type, rendered);
    else this.#after(async () => this.#writeRendered(type, await rendered));
  }

  #writeRendered(type: string, json: string): void {
    const isFirst = !this.#hasSentColumns;
    this.#hasSentColumns = true;
    this.#write(type, eventObject(this.#context, this.#served, json, { isBookmark: type === 'BOOKMARK', isFirst }));
  }

  #after(step: () => void | Promise<void>): void {
    if (this.#tail === undefined) {
      const result = step();
      if (result === undefined) return;
      this.#chain(result);
    } else {
      this.#chain(this.#tail.then(step));
    }
  }

  #chain(work: Promise<void>): void {
    const tail = work.catch(() => {
      this.#response.destroy();
    });
    this.#tail = tail;
    void tail.then(() => {
      if (this.#tail === tail) this.#tail = undefined;
    });
  }

  #write(type: string, object: string): void {
    if (this.#isDone) return;
    this.open();
    this.#response.write(`{"type":"${type}","object":${object}}\n`);
    if (this.#response.writableLength > maxBufferedBytes) this.#response.destroy();
  }
}

function isWanted(item: Stored, request: WatchRequest): boolean {
  if (request.name !== '' && item.name !== request.name) return false;
  if (request.namespace !== undefined && item.namespace !== request.namespace) return false;
  return request.filter === undefined || request.filter(item);
}

/** An object that left the selection is shown as it was, at the version of the change. */
function atRevision(change: Change): Stored {
  const { previous, current } = change;
  if (previous === undefined) return current;
  const json = previous.json.replace(
    `"resourceVersion":"${previous.revision}"`,
    `"resourceVersion":"${change.revision}"`,
  );
  return { ...previous, revision: change.revision, json };
}
