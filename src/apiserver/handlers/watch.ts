import type { ServerCore } from '../core.ts';
import { noStreamFits } from '../http/media.ts';
import { isTrue } from '../http/request-info.ts';
import type { RequestContext } from '../request-context.ts';
import type { ServedResource } from '../served-resource.ts';
import { ApiError, plainError } from '../status.ts';
import type { Change, Stored } from '../store/store.ts';
import { checkSelectors, compileFilter, type StoredFilter } from './filter.ts';
import { badVersion, tooLargeVersion } from './list.ts';
import { checkWatchOptions, readInteger } from './list-options.ts';
import { checkPresentable } from './present.ts';
import { type Debt, type WatchEvent, WatchStream } from './watch-stream.ts';

const bookmarkIntervalMs = 60_000;
const lastBookmarkMs = 2_000;
const defaultTimeoutMs = 30 * 60_000;
/** Timers take no longer delay. */
const longestTimeoutMs = 2 ** 31 - 1;
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

/** Streams the changes of a resource until the client or the definition goes, or the time asked for is over. */
export async function watchObjects(core: ServerCore, context: RequestContext, served: ServedResource): Promise<void> {
  if (context.media.format === 'yaml') throw noStreamFits();
  const request = readWatchRequest(core, context, served);
  checkPresentable(context);
  const stream = new WatchStream(context, served, core);
  if (context.info.method === 'HEAD') {
    stream.open();
    stream.end(); // there is a watch to be had; more cannot be said without a body
    return;
  }
  const since = request.sendsState ? core.store.revision() : request.since;
  const initial = request.sendsState ? core.store.scan(served.bucket) : [];
  let isOwed = true; // history comes before `subscribe` returns
  let isTooMuch = false;
  const sendAll = (changes: readonly Change[]): void => {
    const of = isOwed ? 'history' : 'present';
    if (isOwed) isTooMuch = !core.watches.hasRoomFor(sizeOf(changes));
    if (isTooMuch) return;
    const eventOf = (change: Change) => chooseEvent(core, change, request);
    for (const change of changes) {
      sendChosen(stream, request, () => eventOf(change), { of, bytes: change.current.json.length });
    }
  };
  // A client that was not sent a change must not take what comes after it for all there is.
  const subscription = core.store.subscribe(served.bucket, since, sendAll, () => stream.end());
  isOwed = false;
  if (subscription === 'expired') {
    stream.fail(tooOld(request.since, core.store.oldestRevision()));
    return;
  }
  if (isTooMuch) {
    subscription.close();
    stream.fail(tooOld(request.since, core.store.revision()));
    return;
  }
  stream.open();
  for (const item of initial) sendChosen(stream, request, () => chooseItem(item, request), { of: 'state', bytes: 0 });
  const marks = new Bookmarks(core, stream, request);
  if (request.marksInitialEnd) marks.send();
  // Another definition reads and filters in another way: the client goes on under that one from where it is.
  const definition = core.registry.onceOutdated(served, () => stream.end());
  context.giveWay();
  await runUntilClosed(stream, marks, request);
  definition.close();
  subscription.close();
}

/** Sends what the selection keeps. Where a webhook has to say first what that is, everything after it waits. */
function sendChosen(
  stream: WatchStream,
  { filter }: WatchRequest,
  choose: () => WatchEvent | undefined,
  debt: Debt,
): void {
  const event = choose();
  const wait = filter?.settle();
  if (wait === undefined) {
    if (event !== undefined) stream.send(event, debt);
    return;
  }
  wait.catch(() => undefined); // heard of below, when the turn has come
  stream.sendLater(debt, async () => {
    for (let more: Promise<void> | undefined = wait; ; ) {
      await more;
      const chosen = choose();
      more = filter?.settle();
      if (more === undefined) return chosen;
    }
  });
}

function sizeOf(changes: readonly Change[]): number {
  return changes.reduce((sum, change) => sum + change.current.json.length, 0);
}

function chooseItem(item: Stored, request: WatchRequest): WatchEvent | undefined {
  return isWanted(item, request) ? { type: 'ADDED', stored: item } : undefined;
}

function chooseEvent({ events }: ServerCore, change: Change, request: WatchRequest): WatchEvent | undefined {
  const was = change.previous !== undefined && isWanted(change.previous, request);
  const is = change.type !== 'DELETED' && isWanted(change.current, request);
  if (is) return { type: was ? 'MODIFIED' : 'ADDED', stored: change.current };
  return was ? { type: 'DELETED', stored: events.lastSeen(change) } : undefined;
}

/** Tells a client up to which version it has seen everything. */
class Bookmarks {
  readonly #core: ServerCore;
  readonly #stream: WatchStream;
  readonly #since: number;
  #owesInitialEnd: boolean;

  constructor(core: ServerCore, stream: WatchStream, request: WatchRequest) {
    this.#core = core;
    this.#stream = stream;
    this.#since = request.since;
    this.#owesInitialEnd = request.sendsState && request.sendsBookmarks;
  }

  /** The first one after a state was sent also says that the state is complete. */
  send(): void {
    const revision = this.#core.store.revision();
    if (revision < this.#since) return; // the client has seen more than there is yet
    const annotations = this.#owesInitialEnd ? { annotations: { [initialEventsAnnotation]: 'true' } } : {};
    this.#owesInitialEnd = false;
    this.#stream.bookmark({ resourceVersion: String(revision), ...annotations });
  }
}

async function runUntilClosed(stream: WatchStream, marks: Bookmarks, request: WatchRequest): Promise<void> {
  const timers: NodeJS.Timeout[] = [];
  timers.push(setTimeout(() => stream.end(), request.timeoutMs));
  if (request.sendsBookmarks) {
    timers.push(setInterval(() => marks.send(), bookmarkIntervalMs));
    // One shortly before the end, so that the client's next watch starts from a fresh version.
    timers.push(setTimeout(() => marks.send(), Math.max(0, request.timeoutMs - lastBookmarkMs)));
  }
  await stream.closed;
  for (const timer of timers) clearTimeout(timer);
}

function readWatchRequest(core: ServerCore, context: RequestContext, served: ServedResource): WatchRequest {
  const { query, namespace } = context.info;
  checkSelectors(query);
  checkWatchOptions(query);
  const filter = compileFilter(served, query);
  const version = query.get('resourceVersion') ?? '';
  if (!/^\d{0,15}$/.test(version)) throw plainError(badVersion(version));
  const revision = Number(version);
  const initial = query.get('sendInitialEvents');
  const sendsInitial = initial !== null && isTrue(initial);
  const newest = core.store.revision();
  if (sendsInitial && revision > newest) throw tooLargeVersion(revision, newest);
  const seconds = readInteger(query.get('timeoutSeconds'));
  return {
    filter,
    name: context.info.name,
    namespace: served.namespaced && namespace !== '' ? namespace : undefined,
    since: revision === 0 ? core.store.revision() : revision,
    sendsState: initial === null ? revision === 0 : sendsInitial,
    marksInitialEnd: sendsInitial && isTrue(query.get('allowWatchBookmarks')),
    sendsBookmarks: isTrue(query.get('allowWatchBookmarks')),
    timeoutMs: seconds > 0 ? Math.min(seconds * 1000, longestTimeoutMs) : defaultTimeoutMs,
  };
}

function tooOld(asked: number, oldest: number): ApiError {
  return new ApiError({ code: 410, reason: 'Expired', message: `too old resource version: ${asked} (${oldest})` });
}

function isWanted(item: Stored, request: WatchRequest): boolean {
  if (request.name !== '' && item.name !== request.name) return false;
  if (request.namespace !== undefined && item.namespace !== request.namespace) return false;
  return request.filter === undefined || request.filter(item);
}
