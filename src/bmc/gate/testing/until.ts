import { setImmediate } from 'node:timers/promises';

/** Lets everything go on that can without time passing, until the condition holds. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await setImmediate();
}
