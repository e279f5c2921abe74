import { isJsonObject, type Json, type JsonObject } from '../../schema/index.ts';

/** What a field mapping may have to know beyond the value. */
export interface ConversionContext {
  /** Namespace of the object; references of v1beta2 are always within it. */
  readonly namespace: string | undefined;
  /** `apiVersion` for a reference that only names group and kind. */
  readonly apiVersionOf: (group: string, kind: string) => string;
}

/** Maps a value to how the other version writes it; undefined when that version cannot hold it. */
export type ValueMapping = (value: Json, context: ConversionContext) => Json | undefined;

/**
 * Where one field of the old version is in the new one. Without a mapping the value is the same in both; a null path
 * says that the version does not have the field. Fields that no row names are at the same place in both versions.
 */
export interface FieldMove {
  readonly old: string | null;
  readonly new: string | null;
  readonly up?: ValueMapping;
  readonly down?: ValueMapping;
}

/** `up` is from the old version to the new one. */
export type Direction = 'up' | 'down';

/** Rewrites the body of an object (spec, status) by a table of moves; the input is left as it is. */
export function moveFields(
  body: JsonObject,
  moves: readonly FieldMove[],
  towards: { direction: Direction; context: ConversionContext },
): JsonObject {
  const result = structuredClone(body);
  const isUp = towards.direction === 'up';
  // All values are taken out first: one field's new place can be another field's old one.
  const taken = moves.map((move) => take(result, isUp ? move.old : move.new));
  for (const [index, move] of moves.entries()) {
    const value = taken[index];
    const path = isUp ? move.new : move.old;
    if (value === undefined || path === null) continue;
    const mapping = isUp ? move.up : move.down;
    const mapped = mapping === undefined ? value : mapping(value, towards.context);
    if (mapped !== undefined) put(result, path.split('.'), mapped);
  }
  return result;
}

/** The same moves one or more levels deeper: `under(moves, 'spec.template')`. */
export function under(moves: readonly FieldMove[], prefix: string): FieldMove[] {
  const deeper = (path: string | null) => (path === null ? null : `${prefix}.${path}`);
  return moves.map((move) => ({ ...move, old: deeper(move.old), new: deeper(move.new) }));
}

function take(root: JsonObject, path: string | null): Json | undefined {
  if (path === null) return undefined;
  const names = path.split('.');
  const last = names.at(-1) ?? '';
  const parents = parentsOf(root, names.slice(0, -1));
  const parent = parents.at(-1);
  if (parent === undefined || !Object.hasOwn(parent, last)) return undefined;
  const value = parent[last];
  delete parent[last];
  removeEmptied(parents, names);
  return value;
}

// The objects from the root to the one that holds the field; empty when one of them is not there.
function parentsOf(root: JsonObject, names: readonly string[]): JsonObject[] {
  const parents = [root];
  for (const name of names) {
    const next = parents.at(-1)?.[name];
    if (!isJsonObject(next)) return [];
    parents.push(next);
  }
  return parents;
}

// An object whose last field moved away goes with it; spec and status themselves stay.
function removeEmptied(parents: readonly JsonObject[], names: readonly string[]): void {
  for (let depth = parents.length - 1; depth >= 2; depth -= 1) {
    const [child, parent, name] = [parents[depth], parents[depth - 1], names[depth - 1]];
    if (child === undefined || parent === undefined || name === undefined || Object.keys(child).length > 0) return;
    delete parent[name];
  }
}

function put(root: JsonObject, names: readonly string[], value: Json): void {
  let at = root;
  for (const name of names.slice(0, -1)) {
    const next = at[name];
    if (isJsonObject(next)) {
      at = next;
    } else {
      const made: JsonObject = {};
      at[name] = made;
      at = made;
    }
  }
  at[names.at(-1) ?? ''] = value;
}
