import { setTimeout as delay } from 'node:timers/promises';
import type { BareMetalHost } from '../../../src/api/index.ts';
import { createClient, isExpired, type KubeClient, type KubeObject } from '../../../src/kube/index.ts';
import { until } from '../../real/ironic/until.ts';

/** A host as the API server has it. */
export type SeenHost = BareMetalHost & KubeObject;

/** An event that somebody can read about a host. */
export interface HostEvent extends KubeObject {
  readonly reason: string;
  readonly message: string;
  readonly count?: number;
  readonly involvedObject: { readonly kind: string; readonly name: string };
}

/** Every version of the hosts of a namespace, in the order in which they were written. */
export interface HostDiary {
  readonly client: KubeClient;
  /** How many versions of a host there are: what is written from now on is after it. */
  mark(host: string): number;
  /** The newest version; undefined for a host that is not there. */
  latest(host: string): SeenHost | undefined;
  /** The versions after a mark. */
  since(host: string, mark: number): readonly SeenHost[];
  /** The states that a host went through since a mark, the one that it was in then first. */
  states(host: string, mark: number): readonly string[];
  /** What was told about a host, with how often. */
  events(host: string): Promise<ReadonlyMap<string, number>>;
  /** The messages of the events with a reason. */
  messages(host: string, reason: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

const hostsRef = {
  group: 'metal3.io',
  version: 'v1alpha1',
  resource: 'baremetalhosts',
  namespaced: true,
  kind: 'BareMetalHost',
};
const eventsRef = { group: '', version: 'v1', resource: 'events', namespaced: true, kind: 'Event' };

/** The state of a host, with words for none. */
export function stateOf(host: SeenHost | undefined): string {
  return host?.status?.provisioning?.state || 'none';
}

/** Follows the hosts of a namespace by a watch, which misses nothing that was written. */
export async function openHostDiary(place: {
  readonly kubeconfig: string;
  readonly namespace: string;
}): Promise<HostDiary> {
  const client = await createClient({ kubeconfig: place.kubeconfig });
  const versions = new Map<string, SeenHost[]>();
  const gone = new Set<string>();
  const ending = new AbortController();
  const following = follow();
  // Told where it is waited for; unhandled it would end the process.
  following.catch(() => {});

  async function follow(): Promise<void> {
    let resourceVersion = '0';
    const hosts = client.resource<SeenHost>(hostsRef);
    while (!ending.signal.aborted) {
      try {
        const selection = { namespace: place.namespace, resourceVersion, signal: ending.signal };
        for await (const event of hosts.watch(selection)) {
          resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
          if (event.type !== 'BOOKMARK') note(event.object, event.type);
        }
      } catch (error) {
        if (ending.signal.aborted) return;
        if (isExpired(error)) resourceVersion = '0';
        await delay(100);
      }
    }
  }

  function note(host: SeenHost, type: string): void {
    const name = host.metadata.name ?? '';
    const known = versions.get(name) ?? [];
    versions.set(name, known);
    if (type === 'DELETED') gone.add(name);
    else gone.delete(name);
    const isSeen = known.some(({ metadata }) => metadata.resourceVersion === host.metadata.resourceVersion);
    if (!isSeen) known.push(host);
  }

  const all = (host: string): readonly SeenHost[] => versions.get(host) ?? [];
  const told = async (host: string): Promise<readonly HostEvent[]> => {
    const { items } = await client.resource<HostEvent>(eventsRef).list({ namespace: place.namespace });
    return items.filter(({ involvedObject: { kind, name } }) => kind === 'BareMetalHost' && name === host);
  };
  return {
    client,
    mark: (host) => all(host).length,
    latest: (host) => (gone.has(host) ? undefined : all(host).at(-1)),
    since: (host, mark) => all(host).slice(mark),
    states: (host, mark) =>
      all(host)
        .slice(Math.max(mark - 1, 0))
        .map(stateOf)
        .filter((state, index, states) => state !== states[index - 1]),
    async events(host) {
      const counts = new Map<string, number>();
      for (const { reason, count = 1 } of await told(host)) counts.set(reason, (counts.get(reason) ?? 0) + count);
      return counts;
    },
    async messages(host, reason) {
      return (await told(host)).filter((event) => event.reason === reason).map(({ message }) => message);
    },
    async close() {
      ending.abort();
      await following;
      await client.close();
    },
  };
}

/** Much longer than it takes on a busy machine: what is waited for here comes, or something is broken. */
export const patienceMs = 600_000;

/** Waits until the diary says so of a host; tells its newest version and what the caller knows when it does not. */
export function untilHost(
  diary: HostDiary,
  host: string,
  wait: { readonly what: string; isSo(host: SeenHost): boolean; detail(): string },
): Promise<SeenHost> {
  return until({
    what: `${host}: ${wait.what}`,
    timeoutMs: patienceMs,
    look: async () => {
      const seen = diary.latest(host);
      return seen !== undefined && wait.isSo(seen) ? seen : undefined;
    },
    detail: () =>
      [
        `states: ${diary.states(host, 0).join(', ')}`,
        JSON.stringify(diary.latest(host)?.status, null, 1),
        wait.detail(),
      ].join('\n'),
  });
}
