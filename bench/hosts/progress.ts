import type { BareMetalHost } from '../../src/api/index.ts';
import { createInformer, type KubeClient, type KubeObject, systemClock } from '../../src/kube/index.ts';
import { fleet, refs } from './scene.ts';

/** Follows how far hosts are. */
export interface Progress {
  /** Resolves when so many hosts are available; rejects, saying how one of the others is, when that takes too long. */
  whenAvailable(count: number, limitMs: number): Promise<void>;
  stop(): Promise<void>;
}

type Host = BareMetalHost & KubeObject;

/** Starts to follow the hosts of the bench; of each only its state is kept. */
export async function followHosts(client: KubeClient): Promise<Progress> {
  const available = new Set<string>();
  const others = new Map<string, string>();
  let wanted: { readonly count: number; readonly resolve: () => void } | undefined;
  const informer = createInformer<Host>({
    client,
    resource: refs.hosts,
    namespace: fleet,
    clock: systemClock,
    random: Math.random,
    transform: ({ metadata, status }) => ({ metadata, status }) as Host,
  });
  informer.onChange((key, { current }) => {
    const state = current?.status?.provisioning.state;
    if (state === 'available') {
      available.add(key);
      others.delete(key);
    } else {
      available.delete(key);
      others.set(key, `${state ?? 'without a state'} ${current?.status?.errorMessage ?? ''}`);
    }
    if (wanted !== undefined && available.size >= wanted.count) wanted.resolve();
  });
  informer.start();
  await informer.whenSynced();
  return {
    async whenAvailable(count, limitMs) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const late = () => {
        const [[key, how] = ['none', '']] = others;
        reject(new Error(`${available.size} of ${count} hosts are available after ${limitMs} ms; ${key} is ${how}`));
      };
      const timer = setTimeout(late, limitMs);
      wanted = { count, resolve };
      if (available.size >= count) resolve();
      await promise.finally(() => clearTimeout(timer));
    },
    stop: () => informer.stop(),
  };
}
