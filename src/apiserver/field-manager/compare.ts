import { isJsonObject, type Json, type JsonObject } from '../../schema/index.ts';
import { getOwn } from '../patch/clone.ts';
import { equalJson } from '../patch/equal-json.ts';
import { everyField } from './every-field.ts';
import { type FieldSet, SetBuilder } from './field-set.ts';
import { itemElement } from './list-item.ts';
import {
  deduced,
  isEmptyMap,
  type ListType,
  type MapType,
  type MergeType,
  type Shape,
  shapeOf,
  typeOfField,
} from './merge-type.ts';
import { fieldElement } from './path-element.ts';

/** What changed between two objects, as sets of fields. */
export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

type Value = Json | undefined;

/**
 * Compares two objects field by field. `zero` holds the structs that are always there in a kind's Go type, so that
 * an absent one and an empty one are the same.
 */
export function compareObjects(
  type: MergeType,
  objects: { before: JsonObject; after: JsonObject; zero: JsonObject | undefined },
): Comparison {
  const walk = new Walk();
  walk.compare(type, objects.before, objects.after, objects.zero);
  return { removed: walk.removed.set, modified: walk.modified.set, added: walk.added.set };
}

class Walk {
  readonly removed = new SetBuilder();
  readonly modified = new SetBuilder();
  readonly added = new SetBuilder();
  /** Names of fields, and list elements; turned into path elements only when something is found. */
  readonly #path: string[] = [];
  readonly #isField: boolean[] = [];

  compare(type: MergeType, before: Value, after: Value, zero?: JsonObject): void {
    if (before === after) return;
    if (before === undefined) {
      if (after !== undefined) this.added.insert(this.#elements(), everyField(type, after));
    } else if (after === undefined) this.removed.insert(this.#elements(), everyField(type, before));
    else {
      const shapeBefore = shapeOf(type, before);
      const shapeAfter = shapeOf(type, after);
      // A value that changed from one shape to another is a change in both.
      if (shapeBefore !== shapeAfter) this.#visit(shapeBefore, type, before, after, zero);
      this.#visit(shapeAfter, type, before, after, zero);
    }
  }

  #visit(shape: Shape, type: MergeType, before: Json, after: Json, zero: JsonObject | undefined): void {
    if (shape === 'map' && type.map !== undefined) this.#visitMap(type.map, before, after, zero);
    else if (shape === 'list' && type.list !== undefined) this.#visitList(type.list, before, after);
    else this.#leaf(before, after);
  }

  #leaf(before: Json, after: Json): void {
    if (!equalJson(before, after)) this.modified.insert(this.#elements());
  }

  #visitMap(map: MapType, before: Json, after: Json, zero: JsonObject | undefined): void {
    const left = isJsonObject(before) ? before : undefined;
    const right = isJsonObject(after) ? after : undefined;
    if (map.isAtomic || (isEmptyMap(left) && isEmptyMap(right))) {
      this.#leaf(before, after);
      return;
    }
    for (const key in left) {
      this.#field(map, key, left[key], getOwn(right, key), zero);
    }
    for (const key in right) {
      if (getOwn(left, key) === undefined) this.#field(map, key, undefined, right[key], zero);
    }
  }

  #field(map: MapType, key: string, before: Value, after: Value, zero: JsonObject | undefined): void {
    if (before === after || map.untracked?.has(key) === true) return;
    const fallback = getOwn(zero, key);
    this.#path.push(key);
    this.#isField.push(true);
    this.compare(
      typeOfField(map, key) ?? deduced,
      before === undefined ? fallback : before,
      after === undefined ? fallback : after,
      isJsonObject(fallback) ? fallback : undefined,
    );
    this.#path.pop();
    this.#isField.pop();
  }

  #elements(): string[] {
    return this.#path.map((part, i) => (this.#isField[i] === true ? fieldElement(part) : part));
  }

  #visitList(list: ListType, before: Json, after: Json): void {
    const left = Array.isArray(before) ? before : [];
    const right = Array.isArray(after) ? after : [];
    if (list.isAtomic || (left.length === 0 && right.length === 0)) {
      this.#leaf(before, after);
      return;
    }
    // Most lists did not change, and finding that out is much cheaper than telling their items apart.
    if (equalJson(before, after)) return;
    const leftItems = itemsByElement(list, left);
    const rightItems = itemsByElement(list, right);
    for (const [element, items] of leftItems) this.#items(list, element, items, rightItems.get(element) ?? []);
    for (const [element, items] of rightItems) if (!leftItems.has(element)) this.#items(list, element, [], items);
  }

  /** Items that share an element are owned as one; usually there is one on each side. */
  #items(list: ListType, element: string, before: readonly Json[], after: readonly Json[]): void {
    this.#path.push(element);
    this.#isField.push(false);
    if (before.length <= 1 && after.length <= 1) this.compare(list.element, before[0], after[0]);
    else if (before.length >= 2 && after.length >= 2) {
      if (!equalJson([...before], [...after])) this.modified.insert(this.#elements());
    } else if (before.length >= 2) {
      if (after.length !== 0) this.compare(list.element, undefined, after[0]);
      this.removed.insert(this.#elements());
    } else {
      if (before.length !== 0) this.compare(list.element, before[0], undefined);
      this.added.insert(this.#elements());
    }
    this.#path.pop();
    this.#isField.pop();
  }
}

function itemsByElement(list: ListType, items: readonly Json[]): Map<string, Json[]> {
  const found = new Map<string, Json[]>();
  for (const item of items) {
    const element = itemElement(list, item);
    const same = found.get(element);
    if (same === undefined) found.set(element, [item]);
    else same.push(item);
  }
  return found;
}
