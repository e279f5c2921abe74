import { type HashedSource, isStoreError } from '../../firmware-store/index.ts';
import type { Clock } from '../../kube/index.ts';
import type { ImageLinks, LinkAnswer } from '../../provisioners/index.ts';

/** What links are read with. */
export interface ImageLinkOptions {
  readonly hash: (url: string) => Promise<HashedSource>;
  readonly clock: Clock;
  /** How long an answer is waited for before it is said that the image is being read; 2 s unless given. */
  readonly waitMs?: number;
  /** How long an answer counts: hosts that name the same image at the same time read it once. A minute unless given. */
  readonly keepMs?: number;
}

/** Reads images by their links, each once for all hosts that name it at the time. */
export function createImageLinks({ hash, clock, waitMs = 2000, keepMs = 60_000 }: ImageLinkOptions): ImageLinks {
  const known = new Map<string, Promise<LinkAnswer>>();
  const begin = (url: string): Promise<LinkAnswer> => {
    const reading = answerOf(hash(url));
    known.set(url, reading);
    void reading.finally(() => clock.after(keepMs, () => known.delete(url)));
    return reading;
  };
  return {
    async read(url) {
      const reading = known.get(url) ?? begin(url);
      const late = Promise.withResolvers<LinkAnswer>();
      const timer = clock.after(waitMs, () => late.resolve({ kind: 'reading' }));
      return Promise.race([reading, late.promise]).finally(() => timer.cancel());
    },
  };
}

async function answerOf(hashed: Promise<HashedSource>): Promise<LinkAnswer> {
  try {
    return { kind: 'image', image: await hashed };
  } catch (error) {
    if (!isStoreError(error)) throw error;
    return { kind: 'refused', message: `${error.message}; correct the link, or publish the image there` };
  }
}
