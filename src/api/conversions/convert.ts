import { isJsonObject, type Json, type JsonObject } from '../../schema/index.ts';
import { clusterAnnotations } from '../cluster/names.ts';
import { type ConversionContext, type Direction, type FieldMove, moveFields } from './field-moves.ts';
import { covers, restoreLeftovers } from './leftovers.ts';

/** Thrown when an object cannot be converted: its kind or one of the versions is not known here. */
export class ConversionError extends Error {
  override readonly name = 'ConversionError';
}

/** Settings of a conversion. */
export interface ConversionOptions {
  /** `apiVersion` of a referenced kind, for references that name only group and kind; v1beta1 of the group when not known. */
  readonly apiVersionOf?: (group: string, kind: string) => string | undefined;
}

/** The tables of one group: which fields of each kind moved between its two versions. */
export interface GroupConversion {
  readonly group: string;
  readonly oldVersion: string;
  readonly newVersion: string;
  readonly kinds: Readonly<Record<string, KindConversion>>;
}

/** How one kind is converted: a table, and what a table cannot say. */
export interface KindConversion {
  readonly moves: readonly FieldMove[];
  /** Runs after the moves and may change what it is given. */
  readonly finish?: (body: JsonObject, direction: Direction) => void;
}

interface Route {
  readonly conversion: KindConversion;
  readonly direction: Direction;
  readonly context: ConversionContext;
}

/**
 * Converts an object of the group to another of its versions. What that version cannot hold is kept in an annotation,
 * in both directions, and comes back when the object is converted back.
 */
export function convertWithin(
  group: GroupConversion,
  object: JsonObject,
  request: { toApiVersion: string; options?: ConversionOptions | undefined },
): JsonObject {
  if (object.apiVersion === request.toApiVersion) return object;
  const route = routeOf(group, object, request);
  const metadata = isJsonObject(object.metadata) ? object.metadata : {};
  const { apiVersion, kind, metadata: _, ...body } = object;
  const saved = savedBody(metadata, request.toApiVersion, `${group.group}/${group.newVersion}`);
  const moved = translate(body, route);
  const result =
    saved === undefined ? moved : (restoreLeftovers(moved, thereAndBack(saved, route), saved) as JsonObject);
  const isCarried = covers(translate(result, turned(route)), body, { isLenient: route.direction === 'up' });
  const leftovers = isCarried ? undefined : JSON.stringify({ apiVersion, kind, ...body });
  return { apiVersion: request.toApiVersion, kind, metadata: annotated(metadata, leftovers), ...result } as JsonObject;
}

function routeOf(
  group: GroupConversion,
  object: JsonObject,
  { toApiVersion, options }: { toApiVersion: string; options?: ConversionOptions | undefined },
): Route {
  const [older, newer] = [`${group.group}/${group.oldVersion}`, `${group.group}/${group.newVersion}`];
  const conversion = typeof object.kind === 'string' ? group.kinds[object.kind] : undefined;
  const direction = object.apiVersion === older && toApiVersion === newer ? 'up' : 'down';
  const isKnown = direction === 'up' || (object.apiVersion === newer && toApiVersion === older);
  if (conversion === undefined || !isKnown) {
    throw new ConversionError(`cannot convert ${object.kind} from ${object.apiVersion} to ${toApiVersion}`);
  }
  const namespace = isJsonObject(object.metadata) ? object.metadata.namespace : undefined;
  const apiVersionOf = (of: string, kind: string) => options?.apiVersionOf?.(of, kind) ?? `${of}/${group.oldVersion}`;
  const context = { namespace: typeof namespace === 'string' ? namespace : undefined, apiVersionOf };
  return { conversion, direction, context };
}

function translate(body: JsonObject, route: Route): JsonObject {
  const result = moveFields(body, route.conversion.moves, route);
  route.conversion.finish?.(result, route.direction);
  return result;
}

function turned(route: Route): Route {
  return { ...route, direction: route.direction === 'up' ? 'down' : 'up' };
}

function thereAndBack(body: JsonObject, route: Route): JsonObject {
  return translate(translate(body, turned(route)), route);
}

function savedBody(metadata: JsonObject, wanted: string, newest: string): JsonObject | undefined {
  const annotations = isJsonObject(metadata.annotations) ? metadata.annotations : {};
  const text = annotations[clusterAnnotations.conversionData];
  const saved = typeof text === 'string' ? parse(text) : undefined;
  if (!isJsonObject(saved)) return undefined;
  const { apiVersion, kind: _, metadata: __, ...body } = saved;
  // Cluster API's own webhooks may leave the version out; they only ever save the newest.
  return (apiVersion ?? newest) === wanted ? body : undefined;
}

// What somebody else wrote there, or broke, is no reason to refuse the object: it is dropped.
function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function annotated(metadata: JsonObject, leftovers: string | undefined): JsonObject {
  const { annotations, ...rest } = metadata;
  if (!isJsonObject(annotations) && leftovers === undefined) return metadata;
  const { [clusterAnnotations.conversionData]: dropped, ...others } = isJsonObject(annotations) ? annotations : {};
  const all = leftovers === undefined ? others : { ...others, [clusterAnnotations.conversionData]: leftovers };
  const isGone = Object.keys(all).length === 0 && dropped !== undefined;
  return isGone ? rest : { ...rest, annotations: all };
}
