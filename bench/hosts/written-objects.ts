import type { AnyKubeObject, KubeClient } from '../../src/kube/index.ts';
import { fleet, refs, secretNameOf } from './scene.ts';

/** A write that a watch told of. */
export interface SeenWrite {
  readonly resource: string;
  readonly name: string;
  /** Of an event: the name of the object that it tells of. */
  readonly about?: string | undefined;
}

/** What the writes of a run say about who writes to what. */
export interface WrittenObjects {
  /** The object that is no host's own and was written most often. */
  readonly shared: { readonly object: string; readonly writes: number };
  /** The same of objects that are. */
  readonly own: { readonly object: string; readonly writes: number };
}

/** Tells apart what belongs to one host (by its name, or as its Secret, or as an event about it) and what does not. */
export function tallyWrites(writes: readonly SeenWrite[], hosts: readonly string[]): WrittenObjects {
  const owned = new Set(hosts.flatMap((name) => [name, secretNameOf(name)]));
  const counts = new Map<string, { readonly isOwn: boolean; writes: number }>();
  for (const { resource, name, about } of writes) {
    const key = `${resource}/${name}`;
    const count = counts.get(key) ?? { isOwn: owned.has(about ?? name), writes: 0 };
    count.writes += 1;
    counts.set(key, count);
  }
  const most = (isOwn: boolean) =>
    [...counts]
      .filter(([, each]) => each.isOwn === isOwn)
      .map(([object, each]) => ({ object, writes: each.writes }))
      .reduce((left, right) => (right.writes > left.writes ? right : left), { object: 'none', writes: 0 });
  return { shared: most(false), own: most(true) };
}

/** Watches everything that an operator of hosts writes; answers with what was written once it is stopped. */
export async function watchWrites(client: KubeClient): Promise<() => Promise<readonly SeenWrite[]>> {
  const ending = new AbortController();
  const seen: SeenWrite[] = [];
  const follow = async (ref: (typeof refs)[keyof typeof refs], resourceVersion: string | undefined): Promise<void> => {
    const resource = client.resource<AnyKubeObject>(ref);
    let version = resourceVersion;
    // A kube-apiserver ends watches of a kind that is quite new: they go on from the last change, so that none is missed.
    while (!ending.signal.aborted) {
      try {
        for await (const event of resource.watch({
          namespace: fleet,
          resourceVersion: version,
          signal: ending.signal,
        })) {
          const { metadata, involvedObject } = event.object;
          version = metadata?.resourceVersion ?? version;
          if (event.type === 'BOOKMARK') continue;
          const about = (involvedObject as { name?: string } | undefined)?.name;
          seen.push({ resource: ref.resource, name: metadata?.name ?? '', about });
        }
      } catch (error) {
        if (!ending.signal.aborted) throw error;
      }
    }
  };
  const following = await Promise.all(
    Object.values(refs).map(async (ref) => {
      const { resourceVersion } = await client.resource<AnyKubeObject>(ref).list({ namespace: fleet });
      return { done: follow(ref, resourceVersion) };
    }),
  );
  const all = Promise.all(following.map(({ done }) => done));
  all.catch(() => {});
  return async () => {
    ending.abort();
    await all;
    return seen;
  };
}
