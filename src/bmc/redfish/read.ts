import type { JsonObject, JsonValue } from '../json.ts';
import { plainText } from '../plain-text.ts';
import { toBmcPath } from './path.ts';

/*
 * Readers of what a BMC sent. Nothing is taken for granted: a member that is missing, null or of another type than it
 * should be reads as absent, and members of Object.prototype are never seen.
 */

const nothing: JsonObject = Object.freeze({});
const longestText = 64 * 1024;

/** True for a JSON object, not for arrays and null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member of the object itself. */
export function memberIn(body: JsonObject, name: string): JsonValue | undefined {
  return isJsonObject(body) && Object.hasOwn(body, name) ? body[name] : undefined;
}

/** The value if it is an object, else an empty one. */
export function asObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : nothing;
}

/** The object at the end of a path of member names; an empty one where there is none. */
export function objectIn(body: JsonObject, ...names: readonly string[]): JsonObject {
  let here = body;
  for (const name of names) here = asObject(memberIn(here, name));
  return here;
}

/** The value as text: a string that says something, or a number; control characters and marks of direction become spaces. */
export function asText(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value !== 'string' || value.length > longestText) return undefined;
  const text = plainText(value).trim();
  return text === '' ? undefined : text;
}

/** A member as text. */
export function textIn(body: JsonObject, name: string): string | undefined {
  return asText(memberIn(body, name));
}

/** The first of several members that says something. */
export function firstTextIn(body: JsonObject, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const text = textIn(body, name);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** A member as a finite number; a string of digits counts, as some BMCs quote their numbers. */
export function numberIn(body: JsonObject, name: string): number | undefined {
  const value = memberIn(body, name);
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || !/^\s*-?\d{1,15}(?:\.\d{1,15})?\s*$/.test(value)) return undefined;
  return Number(value);
}

/** A member as a whole number. */
export function integerIn(body: JsonObject, name: string): number | undefined {
  const value = numberIn(body, name);
  return value !== undefined && Number.isSafeInteger(value) ? value : undefined;
}

/** A member as true or false; the words count too. */
export function booleanIn(body: JsonObject, name: string): boolean | undefined {
  const value = memberIn(body, name);
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  const word = value.trim().toLowerCase();
  if (word === 'true') return true;
  return word === 'false' ? false : undefined;
}

/** A member as a list; a single value counts as a list of one, as some BMCs leave the brackets out. */
export function listIn(body: JsonObject, name: string): readonly JsonValue[] {
  const value = memberIn(body, name);
  if (Array.isArray(value)) return value;
  return value === undefined || value === null ? [] : [value];
}

/** The objects of a list. */
export function objectsIn(body: JsonObject, name: string): readonly JsonObject[] {
  return listIn(body, name).filter(isJsonObject);
}

/** The texts of a list. */
export function textsIn(body: JsonObject, name: string): readonly string[] {
  return listIn(body, name)
    .map(asText)
    .filter((text) => text !== undefined);
}

/** Where a link leads; undefined unless it is a path on the BMC. A bare string counts as a link. */
export function linkIn(body: JsonObject, name: string): string | undefined {
  return asLink(memberIn(body, name));
}

/** Where the links of a list lead, each once. */
export function linksIn(body: JsonObject, name: string): readonly string[] {
  const links = listIn(body, name)
    .map(asLink)
    .filter((link) => link !== undefined);
  return [...new Set(links)];
}

function asLink(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return toBmcPath(value);
  return isJsonObject(value) ? toBmcPath(memberIn(value, '@odata.id')) : undefined;
}

/** The path of the resource itself. */
export function selfIn(body: JsonObject): string | undefined {
  return toBmcPath(memberIn(body, '@odata.id'));
}

/** A point in time as epoch milliseconds; UTC where the BMC says no zone. */
export function timeIn(body: JsonObject, name: string): number | undefined {
  const text = textIn(body, name);
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}/.test(text)) return undefined;
  const hasZone = /(?:z|[+-]\d{2}:?\d{2})$/i.test(text) || !text.includes('T');
  const time = Date.parse(hasZone ? text : `${text}Z`);
  return Number.isNaN(time) ? undefined : time;
}

/** The Status member that most resources have. */
export interface ResourceStatus {
  readonly state: string | undefined;
  readonly health: string | undefined;
}

/** State and health of a resource; the rolled-up health where it has none of its own. */
export function statusIn(body: JsonObject): ResourceStatus {
  const status = objectIn(body, 'Status');
  return { state: textIn(status, 'State'), health: firstTextIn(status, 'Health', 'HealthRollup') };
}

/** True for a slot that says it is empty. */
export function isAbsent(body: JsonObject): boolean {
  return statusIn(body).state === 'Absent';
}
