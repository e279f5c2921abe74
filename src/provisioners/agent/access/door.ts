import type { Clock } from '../../../kube/index.ts';
import { AgentError } from '../errors.ts';
import type { AgentLimits, Pace } from '../limits.ts';
import { peerKeyOf } from './peer-key.ts';

/** Lets requests in as fast as they can be taken. */
export interface Door {
  /** Counts a request from an address; throws where that one comes too often. */
  enter(peer: string): void;
  /** Counts an introduction; throws where there are too many, from wherever. */
  introduce(): void;
}

interface Bucket {
  left: number;
  atMs: number;
}

/** Opens the door. What it keeps in mind is bounded, however many addresses knock. */
export function createDoor({ clock, limits }: { readonly clock: Clock; readonly limits: AgentLimits }): Door {
  const peers = new Map<string, Bucket>();
  const introductions = fullBucket(limits.introductions, clock.monotonic());
  const bucketOf = (peer: string): Bucket => {
    const bucket = peers.get(peer) ?? fullBucket(limits.perPeer, clock.monotonic());
    // Whoever comes goes to the end, so that the first is the one that was quiet for longest.
    peers.delete(peer);
    peers.set(peer, bucket);
    const [first] = peers.keys();
    if (peers.size > limits.peers && first !== undefined) peers.delete(first);
    return bucket;
  };
  const take = (bucket: Bucket, pace: Pace, whose: string): void => {
    const waitMs = takeFrom(bucket, pace, clock.monotonic());
    if (waitMs === 0) return;
    const seconds = Math.max(1, Math.ceil(waitMs / 1000));
    throw new AgentError('tooMany', { whose, seconds }, { headers: { 'retry-after': String(seconds) } });
  };
  return {
    enter: (peer) => take(bucketOf(peerKeyOf(peer)), limits.perPeer, 'from this address'),
    introduce: () => take(introductions, limits.introductions, 'to introduce machines'),
  };
}

function fullBucket({ burst }: Pace, atMs: number): Bucket {
  return { left: burst, atMs };
}

/** How long to wait until there is something in it; 0 where something was taken. */
function takeFrom(bucket: Bucket, { burst, perSecond }: Pace, nowMs: number): number {
  bucket.left = Math.min(burst, bucket.left + ((nowMs - bucket.atMs) / 1000) * perSecond);
  bucket.atMs = nowMs;
  if (bucket.left < 1) return Math.max(1, ((1 - bucket.left) / perSecond) * 1000);
  bucket.left -= 1;
  return 0;
}
