import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';

/** Waits until something is so; fails with what it saw when that takes longer than the bound. */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  {
    boundMs = 120_000,
    everyMs = 5,
    seen = () => '',
  }: { boundMs?: number; everyMs?: number; seen?: () => unknown } = {},
): Promise<void> {
  const end = performance.now() + boundMs;
  for (let round = 0; !(await isSo()); round++) {
    if (performance.now() > end) throw new Error(`waited ${boundMs} ms in vain until ${what}; seen: ${seen()}`);
    await (round < 50 && everyMs <= 5 ? nextTurn() : delay(everyMs));
  }
}
