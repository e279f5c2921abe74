import { fc } from '#fast-check';
import type { JsonObject, JsonValue } from '../json.ts';

/** What a broken BMC puts where something else should be. */
const strange = fc.oneof(
  fc.constantFrom<JsonValue>(null, '', 0, -1, true, [], {}, 'null', 1e308, '/redfish/v1', 'https://evil.test/'),
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>,
  fc.string({ maxLength: 20 }),
);

/** One thing that is wrong with a tree of resources. */
export interface Mutation {
  /** Which resource, which member: taken modulo what is there. */
  readonly resource: number;
  readonly depth: readonly number[];
  readonly kind: 'replace' | 'remove' | 'wrap' | 'rename' | 'loop';
  readonly value: JsonValue;
}

/** Mutations of a tree, some at a time. */
export const mutations: fc.Arbitrary<readonly Mutation[]> = fc.array(
  fc.record({
    resource: fc.nat(1000),
    depth: fc.array(fc.nat(50), { minLength: 1, maxLength: 4 }),
    kind: fc.constantFrom('replace', 'replace', 'remove', 'wrap', 'rename', 'loop'),
    value: strange,
  }),
  { minLength: 1, maxLength: 6 },
);

/** The tree with these things wrong. */
export function mutate(
  tree: Readonly<Record<string, JsonObject>>,
  changes: readonly Mutation[],
): Record<string, JsonObject> {
  const copy = { ...tree };
  for (const change of changes) {
    const paths = Object.keys(copy);
    const path = paths[change.resource % paths.length] ?? '';
    copy[path] = mutateValue(copy[path] ?? {}, change, 0) as JsonObject;
  }
  return copy;
}

function mutateValue(value: JsonValue, change: Mutation, level: number): JsonValue {
  if (level >= change.depth.length || typeof value !== 'object' || value === null) return replaced(value, change);
  const pick = change.depth[level] ?? 0;
  if (Array.isArray(value)) {
    if (value.length === 0) return replaced(value, change);
    const at = pick % value.length;
    return value.map((each, index) => (index === at ? mutateValue(each, change, level + 1) : each));
  }
  return mutateObject(value, change, { pick, level });
}

function mutateObject(
  value: JsonObject,
  change: Mutation,
  at: { readonly pick: number; readonly level: number },
): JsonValue {
  const names = Object.keys(value);
  const name = names[at.pick % Math.max(1, names.length)];
  if (name === undefined) return replaced(value, change);
  const isLast = at.level === change.depth.length - 1;
  const { [name]: old, ...rest } = value;
  if (isLast && change.kind === 'remove') return rest;
  if (isLast && change.kind === 'rename') return { ...rest, [`${name}x`]: old };
  return { ...value, [name]: mutateValue(old ?? null, change, at.level + 1) };
}

function replaced(value: JsonValue, change: Mutation): JsonValue {
  if (change.kind === 'wrap') return [value];
  if (change.kind === 'loop') return { '@odata.id': '/redfish/v1/Systems', Members: [value] };
  return change.value;
}
