import type { FakeClock } from '../../kube/index.ts';

/**
 * For tests: moves the clock on, a second at a time unless told otherwise, until something is so. Fails when it never
 * is. Requests on the loopback interface take some turns of the event loop, whatever the clock says.
 */
export async function until(
  clock: FakeClock,
  isSo: () => boolean | Promise<boolean>,
  { stepMs = 1000 }: { readonly stepMs?: number } = {},
): Promise<void> {
  for (let turn = 0; turn < 5000; turn++) {
    if (await isSo()) return;
    clock.advance(stepMs);
    for (let breath = 0; breath < 30; breath++) await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('it never came to be so');
}
