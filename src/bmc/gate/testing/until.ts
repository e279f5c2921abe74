import { setImmediate } from 'node:timers/promises';
import type { FakeClock } from '../../../kube/index.ts';

/** Lets everything go on that can without time passing, until the condition holds. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await setImmediate();
}

/** Moves the clock from timer to timer until the promise settles, and gives what it settled with. */
export async function hurry<T>(clock: FakeClock, promise: Promise<T>, limitMs = 60_000): Promise<T> {
  let isSettled = false;
  const settled = promise.finally(() => {
    isSettled = true;
  });
  settled.catch(() => {});
  while (!isSettled) {
    // Real sockets need real turns of the loop; only when nothing comes of them is time what is waited for.
    for (let i = 0; i < 20 && !isSettled; i += 1) await setImmediate();
    const nextMs = clock.nextInMs();
    if (!isSettled && nextMs !== undefined && nextMs < limitMs) clock.advance(nextMs);
  }
  return settled;
}
