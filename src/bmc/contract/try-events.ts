import assert from 'node:assert/strict';
import { type EventHint, followEvents } from '../events/index.ts';
import { readPower, setPower } from '../power/index.ts';
import type { RunningTarget } from './target.ts';

/** Listens while the host is switched: a hint must come, and the stream must end with its signal. */
export function tryEvents(target: RunningTarget): Promise<void> {
  return target.asProcess(async (bmc) => {
    const controller = new AbortController();
    const { promise, resolve } = Promise.withResolvers<EventHint>();
    const following = followEvents(bmc, { signal: controller.signal, onHint: resolve });
    try {
      await setPower(bmc, { target: (await readPower(bmc)).state === 'on' ? 'off' : 'on' });
      const hint = await promise;
      assert.ok(hint.messageId !== undefined || hint.origin !== undefined);
      await setPower(bmc, { target: 'on' });
    } finally {
      controller.abort();
    }
    assert.ok((await following).hints > 0);
  });
}
