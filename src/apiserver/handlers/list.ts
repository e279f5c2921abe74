import type { ServerCore } from '../core.ts';
import type { RequestInfo } from '../http/request-info.ts';
import type { RequestContext } from '../request-context.ts';
import type { ServedResource } from '../served-resource.ts';
import { ApiError, badRequest, expired } from '../status.ts';
import type { Key, ListPage } from '../store/store.ts';
import { readContinueToken, writeContinueToken } from './continue-token.ts';
import { checkSelectors, compileFilter, type StoredFilter } from './filter.ts';
import { checkIntegers, checkListOptions, checkWatchOptions, readInteger } from './list-options.ts';

/** A page of rendered objects and what goes into the list's metadata. */
export interface RenderedPage {
  readonly items: string[];
  /** Which objects they are, in the same order. */
  readonly keys: readonly Key[];
  readonly resourceVersion: string;
  readonly continueToken: string;
  readonly remainingItemCount: number | undefined;
}

interface Start {
  readonly revision: number | undefined;
  readonly after: { namespace: string; name: string } | undefined;
}

/** Throws for a list or watch whose options cannot be read or do not go together. */
export function checkListed(served: ServedResource, { query, verb }: RequestInfo): void {
  checkIntegers(query);
  checkSelectors(query);
  if (verb === 'watch') checkWatchOptions(query);
  else checkListOptions(query);
  compileFilter(served, query);
}

/** Lists the objects a request asks for, each as the JSON text of the served version. */
export async function listObjects(
  core: ServerCore,
  context: RequestContext,
  served: ServedResource,
  options: { readonly isExact?: boolean } = {},
): Promise<RenderedPage> {
  const { query } = context.info;
  checkIntegers(query);
  const limit = readLimit(query.get('limit'));
  checkSelectors(query);
  checkListOptions(query);
  const filter = compileFilter(served, query);
  const start = readStart(core, query, { isPaged: limit > 0 || options.isExact === true });
  // Whoever takes any version is answered from memory by kube-apiserver, and with everything at once.
  const isAny = query.get('resourceVersion') === '0';
  const page = await readPage(core, context, served, { limit: isAny ? 0 : limit, filter, start });
  const rendered = page.items.map((stored) => served.render(stored));
  // Waits only when something has to be waited for: all conversions of a page go out together.
  const items = rendered.every((text) => typeof text === 'string') ? rendered : await Promise.all(rendered);
  return {
    items,
    keys: page.items,
    resourceVersion: String(page.revision),
    continueToken: page.next === undefined ? '' : writeContinueToken({ revision: page.revision, after: page.next }),
    remainingItemCount: page.next === undefined || filter !== undefined ? undefined : page.remaining,
  };
}

interface Wanted {
  readonly limit: number;
  readonly filter: StoredFilter;
  readonly start: Start;
}

/** Reads a page; when webhooks have to say first which objects are in it, waits and reads the same revision again. */
async function readPage(
  core: ServerCore,
  context: RequestContext,
  served: ServedResource,
  want: Wanted,
): Promise<ListPage> {
  let page = tryPage(core, context, served, want);
  for (let wait = want.filter?.settle(); wait !== undefined; wait = want.filter?.settle()) {
    await wait;
    page = tryPage(core, context, served, { ...want, start: { ...want.start, revision: page.revision } });
  }
  return page;
}

function tryPage(core: ServerCore, context: RequestContext, served: ServedResource, want: Wanted): ListPage {
  const namespace = served.namespaced && context.info.namespace !== '' ? context.info.namespace : undefined;
  const page = core.store.list({
    bucket: served.bucket,
    namespace,
    limit: want.limit,
    after: want.start.after,
    revision: want.start.revision,
    filter: want.filter,
  });
  if (page !== 'expired') return page;
  if (want.start.after !== undefined) throw continueExpired(want.start.after);
  throw expired('The resourceVersion for the provided list is too old.');
}

function readLimit(text: string | null): number {
  return Math.max(0, readInteger(text));
}

/** Where the listing starts: newest, an exact version, or after the last key of an earlier page. */
function readStart(core: ServerCore, query: URLSearchParams, { isPaged }: { isPaged: boolean }): Start {
  const token = query.get('continue') ?? '';
  const version = query.get('resourceVersion') ?? '';
  const match = query.get('resourceVersionMatch') ?? '';
  if (token !== '') return readToken(core, token, version);
  if (version === '' || version === '0') return { revision: undefined, after: undefined };
  const revision = parseRevision(version);
  if (revision > core.store.revision()) throw tooLargeVersion(revision, core.store.revision());
  // Clients from before there was a match to ask for mean exactly this version when they ask for pages.
  const isExact = match === 'Exact' || (match === '' && isPaged);
  return { revision: isExact ? revision : undefined, after: undefined };
}

/** Reads a resourceVersion; refuses what is not a number as kube-apiserver does. */
export function parseRevision(version: string): number {
  if (/^\d{1,15}$/.test(version)) return Number(version);
  throw badRequest(`invalid resource version: ${badVersion(version)}`);
}

/** What kube-apiserver says of a resourceVersion that is not a number. */
export function badVersion(version: string): string {
  const quoted = JSON.stringify(version);
  const why = /^\d+$/.test(version) ? 'value out of range' : 'invalid syntax';
  return `resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: ${why}`;
}

/** 504: the client saw a newer version than this server has. */
export function tooLargeVersion(asked: number, current: number): ApiError {
  const message = `Too large resource version: ${asked}, current: ${current}`;
  return new ApiError({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: ${message}`,
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  });
}

function readToken(core: ServerCore, token: string, version: string): Start {
  if (version !== '' && version !== '0')
    throw badRequest('specifying resource version is not allowed when using continue');
  const start = readContinueToken(token);
  const newest = core.store.revision();
  if (start.revision !== undefined && start.revision > newest) throw tooLargeVersion(start.revision, newest);
  return start;
}

function continueExpired(after: { namespace: string; name: string }): ApiError {
  const message =
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';
  const error = expired(message);
  error.status.metadata = { continue: writeContinueToken({ revision: undefined, after }) };
  return error;
}
