import type { FakeClock } from '../../kube/index.ts';

/** For tests: moves the clock on, a second at a time, until something is so. Fails when it never is. */
export async function until(clock: FakeClock, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 2000; turn++) {
    if (await isSo()) return;
    clock.advance(1000);
    // Requests on the loopback interface take some turns of the event loop, whatever the clock says.
    for (let breath = 0; breath < 5; breath++) await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('it never came to be so');
}
