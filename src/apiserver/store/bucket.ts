import { type HasPath, SortedEntries } from './sorted-entries.ts';
import type { ListPage, ListQuery, Stored } from './store.ts';
import { pathOf, pathRange } from './stored-version.ts';

/** One key of a bucket: what is committed, and what a writer must build on. */
export interface Entry extends HasPath {
  committed: Stored | undefined;
  head: Stored | undefined;
  /** How many writes of this key are neither committed nor taken back yet. */
  pending: number;
}

/** The state of each path that changed since some revision, as of that revision; undefined: it did not exist. */
export type Undo = ReadonlyMap<string, Stored | undefined>;

/** The objects of one resource in memory. */
export class Bucket {
  readonly #entries = new Map<string, Entry>();
  readonly #sorted = new SortedEntries<Entry>();

  get size(): number {
    return this.#sorted.size;
  }

  find(path: string): Entry | undefined {
    return this.#entries.get(path);
  }

  /** Makes a version (undefined: a deletion) the head; it has to be committed or rolled back later. */
  propose(path: string, version: Stored | undefined): Entry {
    let entry = this.#entries.get(path);
    if (entry === undefined) {
      entry = { path, committed: undefined, head: undefined, pending: 0 };
      this.#entries.set(path, entry);
    }
    entry.head = version;
    entry.pending += 1;
    return entry;
  }

  /** Makes the oldest proposed version (undefined: a deletion) the committed one. */
  commit(entry: Entry, version: Stored | undefined): void {
    if (entry.committed === undefined && version !== undefined) this.#sorted.insert(entry);
    if (entry.committed !== undefined && version === undefined) this.#sorted.remove(entry.path);
    entry.committed = version;
    this.#settle(entry);
  }

  /** Takes back a proposed version that was not committed, and with it all that build on it. */
  rollBack(entry: Entry): void {
    entry.head = entry.committed;
    this.#settle(entry);
  }

  /** Every committed object in path order, as of now: later commits do not show. */
  snapshot(): Stored[] {
    const items: Stored[] = [];
    for (const entry of this.#sorted.range('', undefined)) if (entry.committed) items.push(entry.committed);
    return items;
  }

  /** A page of the state at `revision`, `undo` being what changed since then. */
  list(query: ListQuery, revision: number, undo: Undo | undefined): ListPage {
    const { start, end } = pathRange(query.namespace);
    // A path cannot contain NUL, so this is the first possible path after the given one.
    const after = query.after === undefined ? start : `${pathOf(query.after)}\0`;
    // A token from a listing of another namespace must not reach outside this one.
    const from = after.startsWith(start) ? after : start;
    const limit = query.limit || Number.POSITIVE_INFINITY;
    const items: Stored[] = [];
    const states = undo === undefined ? this.#current(from, end) : this.#past(from, end, undo);
    for (const state of states) {
      if (items.length >= limit) return this.#cut(query, { items, revision, end, undo, rest: states });
      if (query.filter === undefined || query.filter(state)) items.push(state);
    }
    return { items, revision, next: undefined, remaining: undefined };
  }

  #cut(
    query: ListQuery,
    cut: { items: Stored[]; revision: number; end: string | undefined; undo: Undo | undefined; rest: Iterator<Stored> },
  ): ListPage {
    const last = cut.items.at(-1);
    const next = last && { namespace: last.namespace, name: last.name };
    let remaining: number | undefined;
    if (query.filter === undefined && next !== undefined) {
      if (cut.undo === undefined) remaining = this.#sorted.countRange(`${pathOf(next)}\0`, cut.end);
      else for (remaining = 1; !cut.rest.next().done; ) remaining += 1;
    }
    return { items: cut.items, revision: cut.revision, next, remaining };
  }

  *#current(from: string, end: string | undefined): Generator<Stored, undefined> {
    for (const entry of this.#sorted.range(from, end)) if (entry.committed) yield entry.committed;
  }

  *#past(from: string, end: string | undefined, undo: Undo): Generator<Stored, undefined> {
    const restored = [...undo]
      .filter(([path, state]) => state !== undefined && path >= from && (end === undefined || path < end))
      .sort(([a], [b]) => (a < b ? -1 : 1));
    let next = 0;
    for (const entry of this.#sorted.range(from, end)) {
      for (; next < restored.length && (restored[next]?.[0] as string) < entry.path; next++)
        yield restored[next]?.[1] as Stored;
      if (!undo.has(entry.path) && entry.committed) yield entry.committed;
    }
    for (; next < restored.length; next++) yield restored[next]?.[1] as Stored;
  }

  #settle(entry: Entry): void {
    entry.pending -= 1;
    // Deleted, with a creation and another deletion on their way, a key is empty for a moment only: a second entry made
    // meanwhile would be taken for this one when those land.
    if (entry.pending === 0 && entry.committed === undefined) this.#entries.delete(entry.path);
  }
}
