import { compareResourceVersions, formatKey, type Informer, type KubeObject, keyOf } from '../../kube/index.ts';

/** Objects as they were last seen or written: what we have just written is ahead of what a watch has told. */
export interface Newest<T extends KubeObject> {
  get(key: string): T | undefined;
  /** Takes the answer to a write. */
  wrote(object: T): void;
  /** Forgets what was written: it may be out of date. */
  forget(key: string): void;
  /** True for a version that we wrote: who is told of it by a watch knows it already. */
  isOwn(object: T): boolean;
  /** Stops following the cache. */
  close(): void;
}

/** So many of our own writes to one object are told from those of others. */
const rememberedWrites = 16;

/** Follows a cache and is ahead of it by our own writes. */
export function createNewest<T extends KubeObject>(informer: Informer<T>): Newest<T> {
  const ahead = new Map<string, T>();
  const own = new Map<string, string[]>();
  const versionOf = (object: T | undefined): string | undefined => object?.metadata?.resourceVersion;
  const isOvertaken = (written: T, current: T | undefined): boolean => {
    if (current === undefined || current.metadata?.uid !== written.metadata?.uid) return true;
    return (compareResourceVersions(versionOf(current), versionOf(written)) ?? 0) >= 0;
  };
  const leave = informer.onChange((key, { previous, current }) => {
    if (current === undefined) own.delete(key);
    const written = ahead.get(key);
    // A deletion that is told before our creation is of an earlier object.
    const isEarlier = current === undefined && previous?.metadata?.uid !== written?.metadata?.uid;
    if (written !== undefined && !isEarlier && isOvertaken(written, current)) ahead.delete(key);
  });
  return {
    get(key) {
      const written = ahead.get(key);
      const cached = informer.get(key);
      if (written === undefined) return cached;
      return cached !== undefined && isOvertaken(written, cached) ? cached : written;
    },
    wrote(object) {
      const key = formatKey(keyOf(object));
      const version = versionOf(object);
      if (version !== undefined) own.set(key, [...(own.get(key) ?? []).slice(1 - rememberedWrites), version]);
      const cached = informer.get(key);
      if (cached === undefined || !isOvertaken(object, cached)) ahead.set(key, object);
    },
    forget: (key) => void ahead.delete(key),
    isOwn(object) {
      const version = versionOf(object);
      return version !== undefined && (own.get(formatKey(keyOf(object)))?.includes(version) ?? false);
    },
    close: leave,
  };
}
