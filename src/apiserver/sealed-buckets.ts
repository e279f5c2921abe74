/** Outside the core group, what holds credentials. */
const sealedBuckets = new Set(['/secrets', 'metal.ironcore.dev/bmcsecrets']);

/** Whether a bucket holds credentials: they are encrypted on disk, and who reads them is in the audit log. */
export function isSealedBucket(bucket: string): boolean {
  return sealedBuckets.has(bucket);
}
