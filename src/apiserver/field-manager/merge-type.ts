import { isJsonObject, type Json, type JsonSchema } from '../../schema/index.ts';

/** How values at one place of an object are merged; a value may be a scalar, a list or a map where the schema is open. */
export interface MergeType {
  readonly scalar: ScalarType | undefined;
  readonly list: ListType | undefined;
  readonly map: MapType | undefined;
}

/** What a scalar may be; `untyped` is any of them. */
export type ScalarType = 'numeric' | 'string' | 'boolean' | 'untyped';

/** A list: one value as a whole (atomic), or items known by their keys, or by their value when there are no keys. */
export interface ListType {
  readonly isAtomic: boolean;
  /** Sorted. */
  readonly keys: readonly string[];
  /** Defaults of keys, which an item may leave out. */
  readonly keyDefaults: Readonly<Record<string, Json>>;
  readonly element: MergeType;
  /** Keys as the schema lists them, for messages. */
  readonly keysAsListed: readonly string[];
}

/** A map or struct. */
export interface MapType {
  readonly isAtomic: boolean;
  readonly fields: ReadonlyMap<string, MergeType>;
  /** The type of other keys; undefined when none are allowed. */
  readonly element: MergeType | undefined;
  /** Fields nobody ever owns. */
  readonly untracked: ReadonlySet<string> | undefined;
}

/** The three ways a value can be walked. */
export type Shape = 'map' | 'scalar' | 'list';

const untypedAtomic = openType({ isMapAtomic: true });

/** The type of values without a schema: maps are granular, lists atomic. */
export const deduced = openType({ isMapAtomic: false, listElement: untypedAtomic });

function openType(options: { isMapAtomic: boolean; listElement?: MergeType }): MergeType {
  const type: MergeType = {
    scalar: 'untyped',
    list: {
      isAtomic: true,
      keys: [],
      keyDefaults: {},
      keysAsListed: [],
      get element(): MergeType {
        return options.listElement ?? type;
      },
    },
    map: {
      isAtomic: options.isMapAtomic,
      fields: new Map(),
      get element(): MergeType {
        return type;
      },
      untracked: undefined,
    },
  };
  return type;
}

/** How a value of this type is walked; null and absent take the first shape the type allows. */
export function shapeOf(type: MergeType, value: Json | undefined): Shape {
  if (value !== null && value !== undefined) {
    if (typeof value !== 'object') {
      if (type.scalar !== undefined) return 'scalar';
    } else if (Array.isArray(value)) {
      if (type.list !== undefined) return 'list';
    } else if (type.map !== undefined) return 'map';
  }
  return type.map !== undefined ? 'map' : type.scalar !== undefined ? 'scalar' : 'list';
}

const neverTracked = {
  root: new Set(['apiVersion', 'kind']),
  metadata: new Set([
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ]),
};

/** Compiles the schema of a whole object; `metadata` is always the standard one. */
export function compileObjectType(schema: JsonSchema, options: { isBuiltIn: boolean }): MergeType {
  const type = compile(schema, { preservesUnknown: false, isBuiltIn: options.isBuiltIn, isRoot: true });
  const map = type.map;
  if (map === undefined) return type;
  const fields = withTypeMeta(map.fields, compileMetadata(neverTracked.metadata));
  return { scalar: undefined, list: undefined, map: { ...map, fields, untracked: neverTracked.root } };
}

interface Place {
  readonly preservesUnknown: boolean;
  readonly isBuiltIn: boolean;
  readonly isRoot?: boolean;
}

function compile(schema: JsonSchema, place: Place): MergeType {
  const preservesUnknown = place.preservesUnknown || schema['x-kubernetes-preserve-unknown-fields'] === true;
  const inside = { preservesUnknown, isBuiltIn: place.isBuiltIn };
  switch (schema['x-kubernetes-int-or-string'] === true ? undefined : schema.type) {
    case 'object':
      return { scalar: undefined, list: undefined, map: compileMap(schema, inside, place.isRoot === true) };
    case 'array':
      return { scalar: undefined, list: compileList(schema, inside), map: undefined };
    case 'integer':
    case 'number':
      return { scalar: 'numeric', list: undefined, map: undefined };
    case 'boolean':
      return { scalar: 'boolean', list: undefined, map: undefined };
    case 'string':
      return { scalar: compileString(schema), list: undefined, map: undefined };
    default:
      return compileOpen(schema, inside);
  }
}

/** No type given: anything goes, with whatever structure the schema still describes. */
function compileOpen(schema: JsonSchema, place: Place): MergeType {
  if (schema.properties === undefined && schema.items === undefined && schema.additionalProperties === undefined)
    return deduced;
  return { scalar: 'untyped', list: compileList(schema, place), map: compileMap(schema, place, false) };
}

function compileString(schema: JsonSchema): ScalarType {
  return schema.format === undefined || schema.format === '' || schema.format === 'byte' ? 'string' : 'untyped';
}

function compileMap(schema: JsonSchema, place: Place, isRoot: boolean): MapType {
  const fields = new Map<string, MergeType>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (isRoot && name === 'metadata') continue;
    fields.set(name, compile(property, place));
  }
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  return {
    isAtomic: schema['x-kubernetes-map-type'] === 'atomic',
    fields: isEmbedded ? withTypeMeta(fields, compileMetadata(undefined)) : fields,
    element: compileElement(schema, place),
    untracked: undefined,
  };
}

function compileElement(schema: JsonSchema, place: Place): MergeType | undefined {
  const others = schema.additionalProperties;
  if (others === undefined) {
    const isFreeForm = Object.keys(schema.properties ?? {}).length === 0;
    return place.preservesUnknown || isFreeForm ? deduced : undefined;
  }
  if (typeof others === 'boolean') return others ? deduced : undefined;
  return compile(others, place);
}

function compileList(schema: JsonSchema, place: Place): ListType {
  const element = schema.items === undefined ? untypedAtomic : compile(schema.items, place);
  const listed = listKeys(schema);
  const keyDefaults: Record<string, Json> = {};
  for (const key of listed ?? []) {
    const property = schema.items?.properties?.[key];
    const fallback = property?.default ?? (place.isBuiltIn ? zeroKey(key, property) : undefined);
    if (fallback !== undefined) keyDefaults[key] = fallback;
  }
  return {
    isAtomic: listed === undefined,
    keys: [...(listed ?? [])].sort(),
    keyDefaults,
    element,
    keysAsListed: listed ?? [],
  };
}

/** A key a Go struct always has, even when the schema does not say its default. */
function zeroKey(name: string, property: JsonSchema | undefined): Json {
  if (name === 'protocol') return 'TCP';
  return property?.type === 'integer' ? 0 : '';
}

/** The keys of a granular list, empty for a set; undefined for an atomic list. */
function listKeys(schema: JsonSchema): readonly string[] | undefined {
  switch (schema['x-kubernetes-list-type']) {
    case 'atomic':
      return undefined;
    case 'set':
      return [];
    case 'map':
      return schema['x-kubernetes-list-map-keys'] ?? [];
    default: {
      // Built-in kinds that predate list types say it with their patch strategy.
      const merges = schema['x-kubernetes-patch-strategy']?.split(',').includes('merge') ?? false;
      if (!merges) return undefined;
      const key = schema['x-kubernetes-patch-merge-key'];
      return key === undefined ? [] : [key];
    }
  }
}

const text: MergeType = { scalar: 'string', list: undefined, map: undefined };
const time: MergeType = { scalar: 'untyped', list: undefined, map: undefined };
const count: MergeType = { scalar: 'numeric', list: undefined, map: undefined };

function withTypeMeta(fields: ReadonlyMap<string, MergeType>, metadata: MergeType): ReadonlyMap<string, MergeType> {
  return new Map([...fields, ['apiVersion', text], ['kind', text], ['metadata', metadata]]);
}

/** Object metadata is the same for every kind. */
function compileMetadata(untracked: ReadonlySet<string> | undefined): MergeType {
  const map = (fields: Record<string, MergeType>, element?: MergeType): MapType => ({
    isAtomic: false,
    fields: new Map(Object.entries(fields)),
    element,
    untracked: undefined,
  });
  const list = (element: MergeType, keys?: string[]): MergeType => ({
    scalar: undefined,
    list: {
      isAtomic: keys === undefined,
      keys: keys ?? [],
      keyDefaults: { uid: '' },
      element,
      keysAsListed: keys ?? [],
    },
    map: undefined,
  });
  const strings: MergeType = { scalar: undefined, list: undefined, map: map({}, text) };
  const flag: MergeType = { scalar: 'boolean', list: undefined, map: undefined };
  const owner: MergeType = {
    scalar: undefined,
    list: undefined,
    map: {
      ...map({ apiVersion: text, blockOwnerDeletion: flag, controller: flag, kind: text, name: text, uid: text }),
      isAtomic: true,
    },
  };
  const fields = map({
    annotations: strings,
    creationTimestamp: time,
    deletionGracePeriodSeconds: count,
    deletionTimestamp: time,
    finalizers: list(text, []),
    generateName: text,
    generation: count,
    labels: strings,
    managedFields: list(deduced),
    name: text,
    namespace: text,
    ownerReferences: list(owner, ['uid']),
    resourceVersion: text,
    selfLink: text,
    uid: text,
  });
  return { scalar: undefined, list: undefined, map: { ...fields, untracked } };
}

/** The type of a map's entry; undefined when the key is not declared. */
export function typeOfField(map: MapType, name: string): MergeType | undefined {
  return map.fields.get(name) ?? map.element;
}

/** True for an object with keys; null and absent count as empty. */
export function isEmptyMap(value: Json | undefined): boolean {
  if (!isJsonObject(value)) return true;
  for (const _ in value) return false;
  return true;
}
