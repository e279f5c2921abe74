import { setTimeout as delay } from 'node:timers/promises';
import type { KubeClient } from '../../src/kube/index.ts';

/** The version of everything that an API server holds, at a moment. */
export interface VersionSample {
  readonly atMs: number;
  readonly version: number;
}

/** An API server now and then writes for itself; that is not what is waited for. */
const ownWrites = 3;
const everyMs = 50;

/** When all but the last few writes were made: from then on the version hardly grew. */
export function lastWriteOf(samples: readonly VersionSample[]): number {
  const last = samples.at(-1)?.version ?? Number.NaN;
  return samples.find(({ version }) => version >= last - ownWrites)?.atMs ?? Number.NaN;
}

/** Looks at the version again and again until it is stopped; answers with the moment of the last write. */
export function followWrites(client: KubeClient, now: () => number): () => Promise<number> {
  const samples: VersionSample[] = [];
  let isStopping = false;
  const look = async (): Promise<void> => {
    const path = '/api/v1/namespaces?limit=1';
    const list = await client.request<{ metadata: { resourceVersion: string } }>({ method: 'GET', path });
    samples.push({ atMs: now(), version: Number(list.metadata.resourceVersion) });
  };
  const looking = (async () => {
    while (!isStopping) {
      await look();
      await delay(everyMs);
    }
  })();
  looking.catch(() => {});
  return async () => {
    isStopping = true;
    await looking;
    return lastWriteOf(samples);
  };
}
