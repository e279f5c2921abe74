import { objectOf } from '../client/index.ts';
import type { FakeBmc } from './fake-bmc.ts';
import { type FakeDiscovery, fakeDiscovery } from './fake-discovery.ts';
import { type Answer, FakeStore, Refusal } from './fake-store.ts';
import { nodeRoutes } from './node-routes.ts';
import { readRoutes } from './read-routes.ts';
import { stateRoutes } from './state-routes.ts';

/** The records of a fake, and what it answers. */
export interface FakeApi extends Pick<FakeStore, 'nodes' | 'ports' | 'history' | 'drivers'>, FakeDiscovery {
  /** The next work of that target on that node fails. */
  fail(node: string, order: { readonly target: string; readonly reason: string }): void;
  /** The node is locked for so many requests that would change it. */
  lock(node: string, times: number): void;
  /** Gives at most so many in one page of a list. */
  limitPages(limit: number): void;
  /** What is answered. Throws Refusal. */
  handle(method: string, url: string, body: unknown): Answer;
}

/** Makes the records. */
export function createFakeApi(bmcs: readonly FakeBmc[], newId: () => string): FakeApi {
  const store = new FakeStore(bmcs, newId);
  const routes = { ...nodeRoutes(store), ...stateRoutes(store), ...readRoutes(store) };
  const { nodes, ports, history, drivers } = store;
  return {
    nodes,
    ports,
    history,
    drivers,
    ...fakeDiscovery(store),
    fail: (node, { target, reason }) => void store.failures.set(`${node}/${target}`, reason),
    lock: (node, times) => void store.locks.set(store.find(node).uuid, times),
    limitPages(limit) {
      store.pageLimit = limit;
    },
    handle(method, url, raw) {
      const { pathname, searchParams: query } = new URL(url, 'http://fake');
      const [, ident = ''] = /^\/v1\/nodes\/([^/]+)/.exec(pathname) ?? [];
      const path = pathname.replace(/^(\/v1\/nodes\/)[^/]+/, '$1*').replace(/\/$/, '');
      const handler = routes[`${method} ${path}`];
      if (handler === undefined) throw new Refusal(404, `${method} ${pathname} is not there`);
      return handler({ ident: decodeURIComponent(ident), query, body: objectOf(raw), raw });
    },
  };
}
