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
export interface Listed {
  readonly path: string;
  readonly body: JsonObject | undefined;
}

const mostPages = 200;
const mostMembers = 5000;
const mostUnexpandable = 3;

/** Options of a collection's reading. */
export interface CollectionOptions extends ReadingOptions {
  /** Only members whose path passes are read; all unless given. */
  readonly isWanted?: (path: string) => boolean;
}

/** All members of a collection. Throws when the collection itself cannot be read; members that cannot are gaps. */
export async function readCollection(bmc: Bmc, path: string, options: CollectionOptions = {}): Promise<Collection> {
  const { isWanted, ...readingOptions } = options;
  const reading = beginReading(bmc, readingOptions);
  const listed = await listCollection(reading, path);
  const members = await fill(reading, isWanted === undefined ? listed : listed.filter((each) => isWanted(each.path)));
  return { members, gaps: reading.gaps };
}

/** The same within a longer reading, which gets the gaps. */
export async function readMembers(reading: Reading, path: string): Promise<readonly Member[]> {
  return fill(reading, await listCollection(reading, path));
}

/** The same, but a collection that cannot be read is a gap too. */
export async function collect(reading: Reading, path: string | undefined): Promise<readonly Member[]> {
  if (path === undefined) return [];
  try {
    return await readMembers(reading, path);
  } catch (error) {
    reading.note(path, error);
    return [];
  }
}

/** Only where the members are: one request a page. */
export async function listPaths(bmc: Bmc, path: string, options: ReadingOptions = {}): Promise<readonly string[]> {
  return listPathsIn(beginReading(bmc, options), path);
}

/** The same within a longer reading, which gets the gaps: a list that was cut is not taken for a whole one. */
export async function listPathsIn(reading: Reading, path: string): Promise<readonly string[]> {
  return (await readPages(reading, path)).map((listed) => listed.path);
}

/**
 * A resource with what its links lead to in place of the links; undefined where the BMC cannot do that, so that the
 * caller asks for what it needs one by one.
 */
export async function readExpanded(reading: Reading, path: string): Promise<JsonObject | undefined> {
  const query = await expandQueryOf(reading.bmc, path);
  if (query === undefined) return undefined;
  try {
    return await reading.fetch(`${barePath(path)}?${query}`);
  } catch (error) {
    if (!isWrongAnswer(error)) reading.note(path, error);
    markUnexpandable(reading.bmc, path);
    return undefined;
  }
}

/** The members as one request a page gives them: with their bodies where the BMC can expand. Throws. */
export async function listCollection(reading: Reading, path: string): Promise<readonly Listed[]> {
  const query = await expandQueryOf(reading.bmc, path);
  if (query === undefined) return readPages(reading, path);
  try {
    const listed = await readPages(reading, path, query);
    // Advertised and not done: the members come one by one now, and the next collection is not asked that way.
    if (listed.length > 0 && listed.every(({ body }) => body === undefined)) markUnexpandable(reading.bmc, path);
    return listed;
  } catch (error) {
    if (!isWrongAnswer(error)) throw error;
    // Only if it can be read without is the expanding to blame.
    const listed = await readPages(reading, path);
    markUnexpandable(reading.bmc, path);
    return listed;
  }
}

/** What a BMC that cannot expand says to it; a BMC that is not there at all says something else. */
function isWrongAnswer(error: unknown): boolean {
  return isBmcError(error, 'refused', 'notFound', 'malformed', 'busy', 'timeout', 'unsupported');
}

function markUnexpandable({ notes }: Bmc, path: string): void {
  if (notes === undefined) return;
  notes.unexpandable ??= new Set();
  notes.unexpandable.add(barePath(path));
}

async function expandQueryOf(bmc: Bmc, path: string): Promise<string | undefined> {
  const wrong = bmc.notes?.unexpandable;
  if (wrong !== undefined && (wrong.size >= mostUnexpandable || wrong.has(barePath(path)))) return undefined;
  const root: ServiceRoot = await bareRoot(bmc);
  return root.hasExpand ? (root.expandQuery ?? '$expand=*($levels=1)') : undefined;
}

/** Follows the pages of a collection; ends where they lead in a circle or are too many. */
async function readPages(reading: Reading, path: string, query?: string): Promise<readonly Listed[]> {
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
    const body: JsonObject = await reading.fetch(page);
    noteStrangeList(reading, path, body);
    for (const listed of membersIn(body)) if (!isSamePath(listed.path, path)) found.set(barePath(listed.path), listed);
    page = nextPage(body, reading.bmc.gate.origin);
    noteShortList(reading, { path, body, isLast: page === undefined, listed: found.size });
  }
  if (found.size > mostMembers && page === undefined) {
    reading.addGap({ path, reason: `it lists ${found.size} members, of which ${mostMembers} are read` });
  }
  return [...found.values()].slice(0, mostMembers);
}

/** What is no list, or lists what leads nowhere, must not pass for an empty one. */
function noteStrangeList(reading: Reading, path: string, body: JsonObject): void {
  if (!Array.isArray(memberIn(body, 'Members'))) {
    reading.addGap({ path, reason: 'it has no list of members' });
    return;
  }
  const lost = listIn(body, 'Members').length - membersIn(body).length;
  if (lost > 0) reading.addGap({ path, reason: `it lists ${lost} members without saying where they are` });
}

function nextPage(body: JsonObject, origin: string): string | undefined {
  return toBmcPath(memberIn(body, 'Members@odata.nextLink') ?? memberIn(body, '@odata.nextLink'), origin);
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
