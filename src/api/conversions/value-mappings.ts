import { isJsonObject, type Json, type JsonObject } from '../../schema/index.ts';
import type { ValueMapping } from './field-moves.ts';
import { goDurationToSeconds, secondsToGoDuration } from './go-duration.ts';

/** A full reference as group, kind and name. */
export const toContractReference: ValueMapping = (value) => {
  if (!isJsonObject(value)) return undefined;
  const apiVersion = typeof value.apiVersion === 'string' ? value.apiVersion : '';
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.lastIndexOf('/')) : '';
  return withoutEmpty({ apiGroup: group, kind: value.kind ?? '', name: value.name ?? '' });
};

/** Group, kind and name as a full reference within the namespace of the object. */
export const toFullReference: ValueMapping = (value, { namespace, apiVersionOf }) => {
  if (!isJsonObject(value)) return undefined;
  const [group, kind] = [value.apiGroup, value.kind];
  const isKnown = typeof group === 'string' && typeof kind === 'string';
  return withoutEmpty({
    apiVersion: isKnown ? apiVersionOf(group, kind) : '',
    kind: kind ?? '',
    name: value.name ?? '',
    namespace: namespace ?? '',
  });
};

/** A full reference to a Node as its name. */
export const toNodeName: ValueMapping = (value) =>
  isJsonObject(value) && typeof value.name === 'string' ? { name: value.name } : undefined;

/** The name of a Node as a full reference. */
export const fromNodeName: ValueMapping = (value) =>
  isJsonObject(value) && typeof value.name === 'string'
    ? { apiVersion: 'v1', kind: 'Node', name: value.name }
    : undefined;

/** A full reference as name and namespace. */
export const toNamespacedName: ValueMapping = (value) =>
  isJsonObject(value)
    ? nonEmpty(withoutEmpty({ name: value.name ?? '', namespace: value.namespace ?? '' }))
    : undefined;

/** Failure domains by name as a list, sorted by name. */
export const toFailureDomainList: ValueMapping = (value) => {
  if (!isJsonObject(value)) return undefined;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return nonEmpty(entries.map(([name, domain]) => ({ name, ...(isJsonObject(domain) ? domain : {}) })));
};

/** A list of failure domains as a map by name. */
export const toFailureDomainMap: ValueMapping = (value) => {
  if (!Array.isArray(value)) return undefined;
  const entries = value.filter(isJsonObject).map(({ name, ...domain }) => [String(name), domain] as const);
  return Object.fromEntries(entries);
};

/** A Go duration as whole seconds. */
export const toSeconds: ValueMapping = (value) => (typeof value === 'string' ? goDurationToSeconds(value) : undefined);

/** Seconds as a Go duration. */
export const fromSeconds: ValueMapping = (value) =>
  typeof value === 'number' ? secondsToGoDuration(value) : undefined;

/** The value, unless it is an empty list or object, which v1beta2 does not allow where v1beta1 does. */
export const unlessEmpty: ValueMapping = (value) => nonEmpty(value);

/** The object without fields that are empty strings or zero, which Go clients of v1beta1 send for "not set". */
export const withoutZeroes: ValueMapping = (value) => (isJsonObject(value) ? nonEmpty(withoutEmpty(value)) : undefined);

/** The fields that are neither an empty string nor zero. */
export function withoutEmpty(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== '' && value !== 0));
}

function nonEmpty(value: Json): Json | undefined {
  if (value === null) return undefined;
  return typeof value === 'object' && Object.keys(value).length === 0 ? undefined : value;
}
