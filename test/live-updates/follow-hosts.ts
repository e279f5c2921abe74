import type { BareMetalHost } from '../../src/api/index.ts';
import { type HostApi, fleet as namespace } from '../../src/hosts/testing/rig.ts';
import { createInformer, type KubeObject, systemClock } from '../../src/kube/index.ts';

type Host = BareMetalHost & KubeObject;

/** Hosts as their owner sees them. */
export interface FollowedHosts {
  get(name: string): Host | undefined;
  /** Resolves when a host is as told; rejects with how it was when that takes longer than anything may. */
  when(name: string, what: string, isSo: (host: Host) => boolean): Promise<Host>;
  /** Resolves after so many changes of any hosts, or so much time. */
  whenChanged(changes: number, longestMs: number): Promise<void>;
  /** How many say now that they are serviced. */
  readonly servicing: number;
  /** The most that ever said so at once. */
  readonly mostServicing: number;
  stop(): Promise<void>;
}

/** Follows all hosts. */
export async function followHosts(api: HostApi, { limitMs }: { readonly limitMs: number }): Promise<FollowedHosts> {
  const hosts = createInformer<Host>({
    client: api.client,
    clock: systemClock,
    random: Math.random,
    resource: api.hosts.ref,
  });
  const waiting = new Map<string, Set<(host: Host) => void>>();
  const serviced = new Set<string>();
  let changed = (): void => undefined;
  let most = 0;
  hosts.onChange((key, { current }) => {
    if (current?.status?.operationalStatus === 'servicing') serviced.add(key);
    else serviced.delete(key);
    most = Math.max(most, serviced.size);
    changed();
    if (current !== undefined) for (const look of waiting.get(key) ?? []) look(current);
  });
  hosts.start();
  await hosts.whenSynced();
  return {
    get: (name) => hosts.get(`${namespace}/${name}`),
    when(name, what, isSo) {
      const key = `${namespace}/${name}`;
      return new Promise((resolve, reject) => {
        const lookers = waiting.get(key) ?? new Set();
        waiting.set(key, lookers);
        const end = (): void => {
          clearTimeout(limit);
          lookers.delete(look);
        };
        const look = (host: Host): void => {
          if (!isSo(host)) return;
          end();
          resolve(host);
        };
        const limit = setTimeout(() => {
          end();
          reject(new Error(`${name} did not come to ${what}: ${JSON.stringify(hosts.get(key)?.status)}`));
        }, limitMs);
        lookers.add(look);
        const now = hosts.get(key);
        if (now !== undefined) look(now);
      });
    },
    whenChanged(changes, longestMs) {
      return new Promise((resolve) => {
        let left = changes;
        const end = (): void => {
          clearTimeout(limit);
          changed = () => undefined;
          resolve();
        };
        const limit = setTimeout(end, longestMs);
        changed = () => {
          left -= 1;
          if (left <= 0) end();
        };
      });
    },
    get servicing() {
      return serviced.size;
    },
    get mostServicing() {
      return most;
    },
    stop: () => hosts.stop(),
  };
}
