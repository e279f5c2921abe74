import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const patienceMs = 20 * 60_000;
const lookMs = 500;

/**
 * Waits until no other process of this machine has what is named, and keeps it until it is given back or the process ends: for what
 * two suites that run side by side cannot both have.
 */
export async function holdAlone(name: string): Promise<() => Promise<void>> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    // A name of the kernel's rather than a file: nothing stays of it when its holder is killed.
    const server = createServer().listen(`\0rackwright-test-${name}`);
    const isHeld = await new Promise<boolean>((resolve) => {
      server.once('listening', () => resolve(true)).once('error', () => resolve(false));
    });
    if (isHeld) {
      server.unref();
      return async () => {
        server.close();
        await once(server, 'close');
      };
    }
    if (performance.now() > deadline) throw new Error(`${name} is used by another process for too long`);
    await delay(lookMs);
  }
}
