import { setTimeout as delay } from 'node:timers/promises';

/** What to wait for: `look` says undefined as long as it has not come. */
export interface Wait<T> {
  readonly what: string;
  readonly timeoutMs: number;
  readonly everyMs?: number;
  look(): Promise<T | undefined>;
  /** What is said besides when it does not come in time. */
  detail?(): string;
}

/** Looks again and again until there is something to see, and says it. */
export async function until<T>(wait: Wait<T>): Promise<T> {
  const deadline = performance.now() + wait.timeoutMs;
  for (;;) {
    const seen = await wait.look();
    if (seen !== undefined) return seen;
    if (performance.now() > deadline) {
      throw new Error(`${wait.what} did not come within ${wait.timeoutMs / 1000} s: ${wait.detail?.() ?? ''}`);
    }
    await delay(wait.everyMs ?? 100);
  }
}
