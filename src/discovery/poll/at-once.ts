/** Does something for each item, so many at once, until all are done, one fails or the signal aborts. */
export async function eachAtOnce<T>(
  items: readonly T[],
  limits: { readonly concurrency: number; readonly signal?: AbortSignal | undefined },
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  let hasFailed = false;
  const worker = async (): Promise<void> => {
    for (const item of queue) {
      if (hasFailed || limits.signal?.aborted === true) return;
      try {
        await work(item);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  const workers = Array.from({ length: Math.min(limits.concurrency, items.length) }, worker);
  const ends = await Promise.allSettled(workers);
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
