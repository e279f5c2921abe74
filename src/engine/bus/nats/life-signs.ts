import { type KV, Kvm } from '@nats-io/kv';
import type { Link } from './dial.ts';
import type { NatsNames } from './names.ts';
import type { NatsSettings } from './nats-settings.ts';
import { isMissing } from './work-stream.ts';

/** Signs of life in a bucket of NATS, over one connection. */
export interface LifeSigns {
  keep(workerId: string, ttlMs: number): Promise<void>;
  read(): Promise<ReadonlySet<string>>;
}

/** The signs of life over a connection. */
export function lifeSignsOver(link: Link, names: NatsNames, settings: NatsSettings): LifeSigns {
  const open = (): Promise<KV> =>
    new Kvm(link.js).create(names.lifeBucket, {
      description: 'Signs of life of workers. Safe to delete: it is made again.',
      history: 1,
      ttl: settings.longestLifeMs,
      // Switches on lifetimes by key; the marks that expired keys leave vanish after this.
      markerTTL: 1000,
      replicas: settings.replicas,
      storage: 'memory',
    });
  let opened: Promise<KV> | undefined;
  const bucket = (): Promise<KV> => {
    if (opened !== undefined) return opened;
    const opening = open();
    opened = opening;
    // What failed is not remembered; whoever asked gets the error.
    opening.catch(() => {
      if (opened === opening) opened = undefined;
    });
    return opening;
  };
  const put = async (workerId: string, ttlMs: number): Promise<void> => {
    await bucket();
    // The client's put takes no lifetime; the bucket is a stream, and a message of a stream can have one.
    await link.js.publish(names.life(workerId), workerId, { ttl: lifetime(Math.min(ttlMs, settings.longestLifeMs)) });
  };
  const orMadeAgain = async <T>(act: () => Promise<T>): Promise<T> => {
    try {
      return await act();
    } catch (error) {
      if (!isMissing(error)) throw error;
      opened = undefined;
      return await act();
    }
  };
  return {
    keep: (workerId, ttlMs) => orMadeAgain(() => put(workerId, ttlMs)),
    read: () => orMadeAgain(async () => readAll(await bucket())),
  };
}

/** NATS counts lifetimes in seconds, at least one. */
function lifetime(ttlMs: number): string {
  return `${Math.max(1, Math.ceil(ttlMs / 1000))}s`;
}

async function readAll(bucket: KV): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for await (const entry of await bucket.history()) {
    if (entry.operation === 'PUT') ids.add(entry.string());
  }
  return ids;
}
