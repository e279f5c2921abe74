/** Anything that sorts by its path. */
export interface HasPath {
  readonly path: string;
}

/** The largest chunk; a full one is split in two halves. */
const maxChunk = 512;

/**
 * Entries in path order, in chunks: insertion and removal move at most one chunk, so a bucket of a hundred thousand
 * objects costs a write no more than a small one does.
 */
export class SortedEntries<T extends HasPath> {
  readonly #chunks: T[][] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds an entry whose path is not present yet. */
  insert(entry: T): void {
    this.#size += 1;
    const at = Math.max(0, this.#chunkOf(entry.path));
    const chunk = this.#chunks[at];
    if (chunk === undefined) {
      this.#chunks.push([entry]);
      return;
    }
    chunk.splice(lowerBound(chunk, entry.path), 0, entry);
    // An append to the very end (names that grow, loading in order) leaves full chunks behind instead of half-full ones.
    if (chunk.length > maxChunk) {
      const keep = at === this.#chunks.length - 1 && chunk.at(-1) === entry ? maxChunk : maxChunk >> 1;
      this.#chunks.splice(at + 1, 0, chunk.splice(keep));
    }
  }

  /** Takes the entry with this path out. */
  remove(path: string): void {
    const at = this.#chunkOf(path);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return;
    const index = lowerBound(chunk, path);
    if (chunk[index]?.path !== path) return;
    chunk.splice(index, 1);
    this.#size -= 1;
    if (chunk.length === 0) this.#chunks.splice(at, 1);
  }

  /** Entries from `start` (inclusive) to `end` (exclusive) in order. */
  *range(start: string, end: string | undefined): Generator<T, undefined> {
    const first = Math.max(0, this.#chunkOf(start));
    for (let at = first; at < this.#chunks.length; at++) {
      const chunk = this.#chunks[at] ?? [];
      for (let i = at === first ? lowerBound(chunk, start) : 0; i < chunk.length; i++) {
        const entry = chunk[i] as T;
        if (end !== undefined && entry.path >= end) return;
        yield entry;
      }
    }
  }

  /** How many entries lie from `start` (inclusive) to `end` (exclusive). */
  countRange(start: string, end: string | undefined): number {
    return (end === undefined ? this.#size : this.#rank(end)) - this.#rank(start);
  }

  /** How many entries lie before this path. */
  #rank(path: string): number {
    const at = this.#chunkOf(path);
    if (at < 0) return 0;
    let before = 0;
    for (let i = 0; i < at; i++) before += this.#chunks[i]?.length ?? 0;
    return before + lowerBound(this.#chunks[at] ?? [], path);
  }

  /** The last chunk that starts at or before the path; -1 when there is none. */
  #chunkOf(path: string): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const first = this.#chunks[middle]?.[0];
      if (first !== undefined && first.path <= path) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

function lowerBound(chunk: readonly HasPath[], path: string): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((chunk[middle] as HasPath).path < path) low = middle + 1;
    else high = middle;
  }
  return low;
}
