import type { ServiceFeatures } from '../../personalities/personality.ts';
import { refuse } from '../resources/errors.ts';
import type { JsonObject, JsonValue, RedfishAnswer } from '../route.ts';

/** More levels than this are answered as this many. */
const mostLevels = 6;

/** What a GET's query asks to be done with the body. */
export interface BodyQuery {
  readonly skip: number;
  /** Most members to send; Infinity when neither client nor service sets one. */
  readonly top: number;
  readonly expand: Expansion | undefined;
}

/** Which links to replace by what they lead to. */
export interface Expansion {
  /** `.`: all but those in Links; `~`: only those in Links; `*`: all. */
  readonly links: '.' | '~' | '*';
  readonly levels: number;
}

/** Reads a query, or refuses it. What the service does not offer is ignored, as most BMCs do. */
export function readQuery(query: URLSearchParams, service: ServiceFeatures): BodyQuery | RedfishAnswer {
  const skip = readCount(query.get('$skip')) ?? 0;
  const top = Math.min(
    readCount(query.get('$top')) ?? Number.POSITIVE_INFINITY,
    service.pageSize ?? Number.POSITIVE_INFINITY,
  );
  const expand = service.hasExpand ? readExpand(query.get('$expand')) : undefined;
  if (Number.isNaN(skip)) return refuseParameter('$skip', query);
  if (Number.isNaN(top)) return refuseParameter('$top', query);
  if (expand === 'bad') return refuseParameter('$expand', query);
  return { skip, top, expand };
}

function readCount(text: string | null): number | undefined {
  if (text === null) return undefined;
  return /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
}

function readExpand(text: string | null): Expansion | undefined | 'bad' {
  if (text === null) return undefined;
  const parts = /^([.~*])(?:\(\$levels=(\d{1,3})\))?$/.exec(text);
  if (parts === null) return 'bad';
  return { links: parts[1] as Expansion['links'], levels: Math.min(Number(parts[2] ?? '1'), mostLevels) };
}

function refuseParameter(name: string, query: URLSearchParams): RedfishAnswer {
  return refuse(400, {
    messageId: 'Base.1.8.QueryParameterValueFormatError',
    message: `The value '${query.get(name)}' for the parameter ${name} is of a different format than the parameter can accept.`,
    args: [query.get(name) ?? '', name],
  });
}

/** Cuts a collection down to the page that was asked for, with a link to the next one. */
export function pageOf(body: JsonObject, page: BodyQuery, at: { path: string; query: URLSearchParams }): JsonObject {
  const members = body.Members;
  if (!Array.isArray(members)) return body;
  const end = Math.min(page.skip + page.top, members.length);
  if (page.skip === 0 && end >= members.length) return body;
  const shown: JsonObject = { ...body, Members: members.slice(page.skip, end) };
  if (end >= members.length) return shown;
  return { ...shown, 'Members@odata.nextLink': nextLink(at, end) };
}

function nextLink(at: { path: string; query: URLSearchParams }, skip: number): string {
  const kept = [...at.query]
    .filter(([name]) => name !== '$skip')
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `${at.path}?${[...kept, `$skip=${skip}`].join('&')}`;
}

/** Reads another resource of the same BMC; undefined when there is none. */
export type ReadResource = (path: string) => Promise<JsonObject | undefined>;

/** Replaces links by the resources they lead to, level by level. */
export async function expand(body: JsonObject, expansion: Expansion, read: ReadResource): Promise<JsonObject> {
  if (expansion.levels < 1) return body;
  const own = body['@odata.id'];
  const replace = async (value: JsonValue | undefined, isInLinks: boolean): Promise<JsonValue | undefined> => {
    if (Array.isArray(value)) return replaceAll(value, isInLinks);
    if (value === null || typeof value !== 'object') return value;
    const target = linkTarget(value);
    if (target === undefined) return replaceMembers(value, isInLinks);
    const isWanted = expansion.links === '*' || (expansion.links === '~') === isInLinks;
    const found = isWanted && target !== own ? await read(target) : undefined;
    return found === undefined ? value : expand(found, { ...expansion, levels: expansion.levels - 1 }, read);
  };
  const replaceAll = async (values: JsonValue[], isInLinks: boolean): Promise<JsonValue[]> => {
    const replaced: JsonValue[] = [];
    for (const value of values) replaced.push((await replace(value, isInLinks)) ?? null);
    return replaced;
  };
  const replaceMembers = async (object: JsonObject, isInLinks: boolean): Promise<JsonObject> => {
    const replaced: JsonObject = {};
    for (const [member, value] of Object.entries(object)) {
      replaced[member] = await replace(value, isInLinks || member === 'Links');
    }
    return replaced;
  };
  return replaceMembers(body, false);
}

/** A link is an object with nothing but an id; a fragment leads into a resource and is left alone. */
function linkTarget(value: JsonObject): string | undefined {
  const id = value['@odata.id'];
  return typeof id === 'string' && !id.includes('#') && Object.keys(value).length === 1 ? id : undefined;
}
