import type { Change, ObjectStore, Stored, Subscription } from '../store/store.ts';

/** Told about every object of a bucket: first those that are there, then every change, in order. */
export interface BucketFollower {
  set(stored: Stored): void;
  remove(stored: Stored): void;
  /** Called once after what was there, and once after every batch of changes. */
  settled?(): void;
}

/** Follows a bucket from now on; nothing that is committed is missed. */
export function followBucket(store: ObjectStore, bucket: string, follower: BucketFollower): Subscription {
  const since = store.revision();
  for (const stored of store.scan(bucket)) follower.set(stored);
  follower.settled?.();
  const subscription = store.subscribe(bucket, since, (changes) => passOn(changes, follower));
  if (subscription === 'expired') throw new Error('the newest revision cannot be watched: the store is inconsistent');
  return subscription;
}

/** One object that cannot be taken must not keep those that changed with it from being taken. */
function passOn(changes: readonly Change[], follower: BucketFollower): void {
  const errors: unknown[] = [];
  for (const { type, current } of changes) {
    try {
      if (type === 'DELETED') follower.remove(current);
      else follower.set(current);
    } catch (error) {
      errors.push(error);
    }
  }
  follower.settled?.();
  if (errors.length > 0) throw errors[0];
}
