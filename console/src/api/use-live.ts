import { useEffect, useSyncExternalStore } from 'react';
import type { KubeObject, Resource, Where } from './kinds.ts';
import { pathOf } from './kinds.ts';
import { LiveList, type Snapshot } from './live-list.ts';
import { onSession } from './session.ts';

// A browser gives one server six connections, and every watch keeps one: a page follows three lists at most and asks
// again for the rest now and then (useQuery with refetchInterval).

const lists = new Map<string, LiveList<unknown>>();
/** So that going from page to page and back does not read everything anew. */
const keepMs = 5000;

onSession(() => {
  // Whoever logs in next sees with their own eyes.
  for (const list of lists.values()) list.stop();
  lists.clear();
});

/** Follows a resource for as long as the page is there. `view` names the projection: the same name, the same function. */
export function useLiveList<Row>(
  resource: Resource,
  where: Where,
  { view, project }: { readonly view: string; readonly project: (object: KubeObject) => Row },
): Snapshot<Row> {
  const key = `${pathOf(resource, where)} ${view}`;
  let list = lists.get(key) as LiveList<Row> | undefined;
  if (list === undefined) {
    list = new LiveList<Row>({ resource, where, project, schedule: onNextFrame });
    lists.set(key, list as LiveList<unknown>);
  }
  const followed = list;
  useEffect(() => {
    followed.start();
    return () => {
      setTimeout(() => {
        if (followed.isWatched) return;
        followed.stop();
        if (lists.get(key) === followed) lists.delete(key);
      }, keepMs);
    };
  }, [followed, key]);
  return useSyncExternalStore(followed.subscribe, followed.snapshot);
}

/** Whole objects, for short lists. */
export function useLiveObjects<T extends KubeObject>(resource: Resource, where: Where = {}): Snapshot<T> {
  return useLiveList<T>(resource, where, wholeView as { view: string; project: (object: KubeObject) => T });
}

const wholeView = { view: 'whole', project: (object: KubeObject) => object };

/** A page in the background is drawn no more, but what it holds must not pile up. */
function onNextFrame(flush: () => void): void {
  if (document.hidden) setTimeout(flush, 1000);
  else requestAnimationFrame(flush);
}
