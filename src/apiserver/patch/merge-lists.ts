import { isJsonObject, type Json, type JsonObject } from '../../schema/index.ts';
import { cannotApply, patchFailed } from './errors.ts';
import { goTypeOf, printGoValue } from './go-format.ts';

/** How two lists are merged. */
export interface ListMerging {
  /** Empty for lists of scalars. */
  readonly mergeKey: string;
  /** Merges a patch item into the live item of the same key. */
  mergeItem(live: JsonObject, patch: JsonObject): JsonObject;
  /** True when the patch lists what to take out. */
  readonly isDeletion?: boolean;
}

/** Merges a patch list into a live list: by key for maps, as a set for scalars. */
export function mergeLists(live: readonly Json[], patch: readonly Json[], merging: ListMerging): Json[] {
  if (live.length === 0 && patch.length === 0) return [];
  checkSameType(live, patch);
  const { mergeKey } = merging;
  if (!isJsonObject(live[0] ?? patch[0])) {
    if (merging.isDeletion === true) return withoutThese(live, patch);
    return orderItems(withoutDoubles([...live, ...patch]), { wanted: patch, live, mergeKey: '' });
  }
  if (mergeKey === '') throw patchFailed('cannot merge lists without merge key for struct');
  const special = obeyDirectives(live as JsonObject[], patch as JsonObject[], mergeKey);
  const merged = mergeItems(special.live, special.patch, merging);
  return orderItems(merged, { wanted: special.patch, live: special.live, mergeKey });
}

/** Throws unless there are items, all of one type, and they are not lists. */
export function checkSameType(live: readonly Json[], patch: readonly Json[]): void {
  const [first, ...rest] = [...live, ...patch].map(goTypeOf);
  if (first === undefined) throw patchFailed('no elements in any of the given slices');
  if (first === '[]interface {}') throw cannotApply();
  if (rest.some((type) => type !== first)) {
    throw patchFailed(`list element types are not identical: ${printGoValue([[...live], [...patch]])}`);
  }
}

function withoutDoubles(items: Json[]): Json[] {
  return [...new Set(items)];
}

function withoutThese(items: readonly Json[], gone: readonly Json[]): Json[] {
  const unwanted = new Set(gone);
  return items.filter((item) => !unwanted.has(item));
}

interface Lists {
  readonly live: JsonObject[];
  readonly patch: JsonObject[];
}

function obeyDirectives(live: JsonObject[], patch: JsonObject[], mergeKey: string): Lists {
  const gone = new Set<Json | undefined>();
  const plain: JsonObject[] = [];
  let replaces = false;
  for (const item of patch) {
    const order = item.$patch;
    if (order === undefined) plain.push(item);
    else if (order === 'delete') gone.add(keyOf(item, mergeKey));
    else if (order === 'replace') replaces = true;
    else if (order === 'merge') throw patchFailed('merging lists cannot yet be specified in the patch');
    else throw patchFailed(`unknown patch type: ${printGoValue(order)} in map: ${printGoValue(item)}`);
  }
  if (replaces) return { live: plain, patch: [] };
  return { live: live.filter((candidate) => !gone.has(candidate[mergeKey])), patch: plain };
}

function mergeItems(live: JsonObject[], patch: JsonObject[], { mergeKey, mergeItem }: ListMerging): JsonObject[] {
  const merged = [...live];
  const places = rankBy(live, (item) => (item as JsonObject)[mergeKey]);
  for (const item of patch) {
    const key = keyOf(item, mergeKey);
    const at = places.get(key) ?? -1;
    const current = merged[at];
    if (current === undefined) places.set(key, merged.push(item) - 1);
    else {
      const result = mergeItem(current, item);
      merged[at] = result;
      // A key of null is taken away by the merge; the next item without one is then the first of that key.
      if (result[mergeKey] !== key) {
        places.set(
          key,
          merged.findIndex((candidate, i) => i > at && candidate[mergeKey] === key),
        );
      }
    }
  }
  return merged;
}

function keyOf(item: JsonObject, mergeKey: string): Json {
  const key = item[mergeKey];
  if (key === undefined)
    throw patchFailed(`map: ${printGoValue(item)} does not contain declared merge key: ${mergeKey}`);
  return key;
}

/** Items the patch names come in the order it wants; the others keep their place relative to them in the live list. */
export function orderItems(
  merged: readonly Json[],
  orders: { wanted: readonly Json[]; live: readonly Json[]; mergeKey: string },
): Json[] {
  const { mergeKey } = orders;
  const identity = (item: Json): Json | undefined => (mergeKey !== '' && isJsonObject(item) ? item[mergeKey] : item);
  const wanted = rankBy(orders.wanted, identity);
  const live = rankBy(orders.live, identity);
  const rank = (ranks: Map<Json | undefined, number>, item: Json) => ranks.get(identity(item)) ?? -1;
  const named = merged.filter((item) => wanted.has(identity(item))).sort((a, b) => rank(wanted, a) - rank(wanted, b));
  const others = merged.filter((item) => !wanted.has(identity(item))).sort((a, b) => rank(live, a) - rank(live, b));
  const out: Json[] = [];
  let next = 0;
  for (const item of named) {
    const place = rank(live, item);
    // Only an item that was in the live list says which of the others stood before it.
    while (place >= 0 && next < others.length && isBefore(rank(live, others[next] as Json), place))
      out.push(others[next++] as Json);
    out.push(item);
  }
  return [...out, ...others.slice(next)];
}

function isBefore(rank: number, place: number): boolean {
  return rank >= 0 && rank < place;
}

function rankBy(items: readonly Json[], identity: (item: Json) => Json | undefined): Map<Json | undefined, number> {
  const ranks = new Map<Json | undefined, number>();
  for (const [i, item] of items.entries()) if (!ranks.has(identity(item))) ranks.set(identity(item), i);
  return ranks;
}

/**
 * The live order an explicit order list is completed with. The real server edits the live list in place while it
 * merges: deletions close the gap and the first new items land in the room that is left. Which item comes first
 * depends on that, so it is repeated here.
 */
export function liveOrderAfter(live: readonly Json[], patch: readonly Json[], mergeKey: string): Json[] {
  if (mergeKey === '') return [...live];
  const items = patch.filter(isJsonObject);
  const deletions = items.filter(({ $patch }) => $patch === 'delete').map((item) => item[mergeKey]);
  const { kept, left } = closeGaps(live, deletions, mergeKey);
  if (items.some(({ $patch }) => $patch === 'replace')) return [...kept, ...left];
  const keys = new Set(kept.filter(isJsonObject).map((item) => item[mergeKey]));
  let filled = 0;
  for (const item of items.filter(({ $patch }) => $patch === undefined)) {
    if (filled === left.length) break;
    if (keys.has(item[mergeKey])) continue;
    keys.add(item[mergeKey]);
    left[filled++] = item;
  }
  return [...kept, ...left];
}

/**
 * Takes items out one after the other as the real server does: what follows moves up, so at each step the room that is
 * left at the end still shows the item that was last.
 */
function closeGaps(
  live: readonly Json[],
  deletions: readonly (Json | undefined)[],
  mergeKey: string,
): { kept: Json[]; left: Json[] } {
  const places = new Map<Json | undefined, number[]>();
  for (const [i, item] of live.entries()) {
    if (!isJsonObject(item)) continue;
    const known = places.get(item[mergeKey]);
    if (known === undefined) places.set(item[mergeKey], [i]);
    else known.push(i);
  }
  const gone = new Set<number>();
  const left: Json[] = [];
  let last = live.length - 1;
  for (const key of new Set(deletions)) {
    for (const at of places.get(key) ?? []) {
      while (gone.has(last)) last--;
      left.push(live[last] as Json);
      gone.add(at);
    }
  }
  return { kept: live.filter((_, i) => !gone.has(i)), left: left.reverse() };
}
