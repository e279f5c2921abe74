import { isJsonObject, type Json, type JsonObject } from '../../schema/index.ts';
import { getOwn, setOwn } from '../patch/clone.ts';
import { itemElement } from './list-item.ts';
import {
  deduced,
  isEmptyMap,
  type ListType,
  type MapType,
  type MergeType,
  shapeOf,
  typeOfField,
} from './merge-type.ts';

type Value = Json | undefined;

/** Lays the applied object over the live one. Nothing is removed; a leaf in both takes the applied value. */
export function mergeObjects(type: MergeType, live: JsonObject, applied: JsonObject): JsonObject {
  const merged = merge(type, live, applied);
  return isJsonObject(merged) ? merged : {};
}

function merge(type: MergeType, live: Value, applied: Value): Value {
  const shape = shapeOf(type, applied === undefined ? live : applied);
  if (shape === 'map' && type.map !== undefined) return mergeMap(type.map, live, applied);
  if (shape === 'list' && type.list !== undefined) return mergeList(type.list, live, applied);
  return leaf(live, applied);
}

function leaf(live: Value, applied: Value): Value {
  return applied === undefined ? live : applied;
}

function mergeMap(map: MapType, live: Value, applied: Value): Value {
  const left = isJsonObject(live) ? live : undefined;
  const right = isJsonObject(applied) ? applied : undefined;
  if (map.isAtomic || (isEmptyMap(left) && isEmptyMap(right))) return leaf(live, applied);
  const out: JsonObject = {};
  for (const key in left) put(out, key, merge(typeOfField(map, key) ?? deduced, left[key], getOwn(right, key)));
  for (const key in right) {
    if (getOwn(left, key) === undefined) put(out, key, merge(typeOfField(map, key) ?? deduced, undefined, right[key]));
  }
  return isEmptyMap(out) ? undefined : out;
}

function put(out: JsonObject, key: string, value: Value): void {
  if (value !== undefined) setOwn(out, key, value);
}

function mergeList(list: ListType, live: Value, applied: Value): Value {
  const left = Array.isArray(live) ? live : [];
  const right = Array.isArray(applied) ? applied : [];
  if (list.isAtomic || (left.length === 0 && right.length === 0)) return leaf(live, applied);
  const merged = new ListMerge(list, left, right).run();
  return merged.length === 0 ? undefined : merged;
}

/**
 * Merges two granular lists. Items in both follow the order of the applied list; items only in the live list keep
 * their place relative to their neighbours.
 */
class ListMerge {
  readonly #list: ListType;
  readonly #live: readonly Json[];
  readonly #liveElements: string[];
  readonly #appliedElements: string[];
  /** Undefined value: the element occurs more than once and is not merged into. */
  readonly #liveByElement = new Map<string, Value>();
  readonly #appliedByElement = new Map<string, Json>();
  readonly #taken = new Set<string>();
  readonly #shared: string[];
  readonly #out: Json[] = [];

  constructor(list: ListType, live: readonly Json[], applied: readonly Json[]) {
    this.#list = list;
    this.#live = live;
    this.#appliedElements = applied.map((item) => itemElement(list, item));
    this.#liveElements = live.map((item) => itemElement(list, item));
    for (const [i, element] of this.#appliedElements.entries()) this.#appliedByElement.set(element, applied[i] as Json);
    for (const [i, element] of this.#liveElements.entries()) {
      this.#liveByElement.set(element, this.#liveByElement.has(element) ? null : live[i]);
    }
    this.#shared = this.#appliedElements.filter((element) => this.#liveByElement.has(element));
  }

  run(): Json[] {
    const live = this.#liveElements;
    const applied = this.#appliedElements;
    let next = 0;
    let l = 0;
    let a = 0;
    while (l < live.length || a < applied.length) {
      const here = live[l];
      const wanted = applied[a];
      if (here !== undefined && wanted !== undefined) {
        if (here === wanted) {
          this.#takeApplied(wanted);
          l++;
          a++;
          next++;
          continue;
        }
        const expected = this.#shared[next];
        if (this.#appliedByElement.has(here) && expected !== undefined && expected !== here) {
          // It comes later, when the applied list reaches it.
          l++;
          continue;
        }
      }
      if (here !== undefined) {
        if (!this.#appliedByElement.has(here)) {
          this.#push(merge(this.#list.element, this.#live[l], undefined));
          l++;
          continue;
        }
        if (this.#taken.has(here)) l++;
      }
      if (wanted !== undefined) {
        this.#takeApplied(wanted);
        a++;
        if (this.#shared[next] === wanted) next++;
      }
    }
    return this.#out;
  }

  #takeApplied(element: string): void {
    this.#taken.add(element);
    this.#push(merge(this.#list.element, this.#liveByElement.get(element), this.#appliedByElement.get(element)));
  }

  #push(value: Value): void {
    if (value !== undefined) this.#out.push(value);
  }
}
