import type { Bmc, ServiceRoot } from '../bmc.ts';
import { isBmcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { barePath, isSamePath, toBmcPath } from './path.ts';
import { integerIn, isJsonObject, listIn, memberIn, selfIn } from './read.ts';
import { beginReading, type Gap, type Reading, type ReadingOptions } from './reading.ts';
import { bareRoot } from './service-root.ts';

/** One member of a collection. */
export interface Member {
  readonly path: string;
  readonly body: JsonObject;
}

/** What a collection holds, and what of it could not be read. */
export interface Collection {
  readonly members: readonly Member[];
  readonly gaps: readonly Gap[];
}

/** A member as listed: with its body where the BMC gave it. */
interface Listed {
  readonly path: string;
  readonly body: JsonObject | undefined;
}

const mostPages = 200;
const mostMembers = 5000;

/** Options of a collection's reading. */
export interface CollectionOptions extends ReadingOptions {
  /** Only members whose path passes are read; all unless given. */
  readonly isWanted?: (path: string) => boolean;
}

/** All members of a collection. Throws when the collection itself cannot be read; members that cannot are gaps. */
export async function readCollection(bmc: Bmc, path: string, options: CollectionOptions = {}): Promise<Collection> {
  const { isWanted, ...readingOptions } = options;
  const reading = beginReading(bmc, readingOptions);
  const listed = await listMembers(reading, path, options);
  return {
    members: await fill(reading, isWanted === undefined ? listed : wanted(listed, isWanted)),
    gaps: reading.gaps,
  };
}

/** The same within a longer reading: a collection that cannot be read is a gap too. */
export async function collect(reading: Reading, path: string | undefined): Promise<readonly Member[]> {
  if (path === undefined) return [];
  try {
    return await fill(reading, await listMembers(reading, path, {}));
  } catch (error) {
    reading.note(path, error);
    return [];
  }
}

/** Only where the members are: one request a page. */
export async function listPaths(bmc: Bmc, path: string, options: ReadingOptions = {}): Promise<readonly string[]> {
  const pages = readPages(beginReading(bmc, options), path, { options });
  return (await pages).map((listed) => listed.path);
}

/**
 * A resource with what its links lead to in place of the links, where the BMC can do that; the resource itself where it
 * cannot.
 */
export async function readExpanded(reading: Reading, path: string): Promise<JsonObject | undefined> {
  const query = await expandQueryOf(reading.bmc);
  if (query !== undefined) {
    const body = await tryExpanded(reading, `${barePath(path)}?${query}`);
    if (body !== undefined && isJsonObject(body)) return body;
  }
  return reading.get(path);
}

function wanted(listed: readonly Listed[], isWanted: (path: string) => boolean): readonly Listed[] {
  return listed.filter(({ path }) => isWanted(path));
}

async function listMembers(reading: Reading, path: string, options: ReadingOptions): Promise<readonly Listed[]> {
  const query = await expandQueryOf(reading.bmc);
  if (query === undefined) return readPages(reading, path, { options });
  try {
    const listed = await readPages(reading, path, { options, query });
    // Advertised and not done: the members come one by one now, and the next collection is not asked that way.
    if (listed.length > 0 && listed.every(({ body }) => body === undefined)) markBroken(reading.bmc);
    return listed;
  } catch (error) {
    if (!isWrongAnswer(error)) throw error;
    const listed = await readPages(reading, path, { options });
    markBroken(reading.bmc);
    return listed;
  }
}

async function tryExpanded(reading: Reading, path: string): Promise<JsonObject | undefined> {
  try {
    return (await reading.bmc.gate.request({ method: 'GET', path })).body;
  } catch (error) {
    if (!isWrongAnswer(error)) throw error;
    return undefined;
  }
}

/** What a BMC that cannot expand says to it; a BMC that is not there at all says something else. */
function isWrongAnswer(error: unknown): boolean {
  return isBmcError(error, 'refused', 'notFound', 'malformed', 'busy', 'timeout', 'unsupported');
}

function markBroken(bmc: Bmc): void {
  if (bmc.notes !== undefined) bmc.notes.isExpandBroken = true;
}

async function expandQueryOf(bmc: Bmc): Promise<string | undefined> {
  if (bmc.notes?.isExpandBroken === true) return undefined;
  const root: ServiceRoot = await bareRoot(bmc);
  return root.hasExpand ? (root.expandQuery ?? '$expand=*($levels=1)') : undefined;
}

/** Follows the pages of a collection; ends where they lead in a circle or are too many. */
async function readPages(
  reading: Reading,
  path: string,
  how: { readonly options: ReadingOptions; readonly query?: string },
): Promise<readonly Listed[]> {
  const { options, query } = how;
  const { bmc } = reading;
  const found = new Map<string, Listed>();
  const seen = new Set<string>();
  let page: string | undefined = query === undefined ? path : `${barePath(path)}?${query}`;
  while (page !== undefined) {
    if (seen.size >= mostPages || seen.has(page) || found.size > mostMembers) {
      const reason = seen.has(page) ? 'its pages lead in a circle' : `it goes on past ${found.size} members`;
      reading.addGap({ path, reason });
      break;
    }
    seen.add(page);
    const { body }: { body: JsonObject } = await bmc.gate.request({ method: 'GET', path: page, ...pick(options) });
    for (const listed of membersIn(body)) if (!isSamePath(listed.path, path)) found.set(barePath(listed.path), listed);
    page = toBmcPath(memberIn(body, 'Members@odata.nextLink') ?? memberIn(body, '@odata.nextLink'), bmc.gate.origin);
    noteShortList(reading, { path, body, isLast: page === undefined, listed: found.size });
  }
  return [...found.values()].slice(0, mostMembers);
}

function pick({ signal, deadlineMs }: ReadingOptions): ReadingOptions {
  return { ...(signal === undefined ? {} : { signal }), ...(deadlineMs === undefined ? {} : { deadlineMs }) };
}

/** A list that ends before the number of members it gives itself was cut somewhere. */
function noteShortList(
  reading: Reading,
  page: { readonly path: string; readonly body: JsonObject; readonly isLast: boolean; readonly listed: number },
): void {
  const count = integerIn(page.body, 'Members@odata.count');
  if (!page.isLast || count === undefined || count <= page.listed) return;
  reading.addGap({ path: page.path, reason: `it says it has ${count} members but lists ${page.listed}` });
}

function membersIn(body: JsonObject): readonly Listed[] {
  return listIn(body, 'Members').flatMap((member) => {
    if (!isJsonObject(member)) {
      const path = toBmcPath(member);
      return path === undefined ? [] : [{ path, body: undefined }];
    }
    const path = selfIn(member);
    return path === undefined ? [] : [{ path, body: isWhole(member) ? member : undefined }];
  });
}

/** A member given in place, and not only a link with a name beside it. */
export function isWhole(body: JsonObject): boolean {
  return Object.hasOwn(body, 'Id') && Object.keys(body).length > 3;
}

async function fill(reading: Reading, listed: readonly Listed[]): Promise<readonly Member[]> {
  const members: Member[] = [];
  for (const { path, body } of listed) {
    const whole = body ?? (await reading.get(path));
    if (whole !== undefined) members.push({ path, body: whole });
  }
  return members;
}
