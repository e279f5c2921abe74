import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { LeaderElection } from '../kube/index.ts';
import { nobodyElse, type OpenExternalWork } from './ports.ts';
import { type HostApi, putHost, startHostApi, startHostRig, untilState } from './testing/rig.ts';
import { createScriptedProvisioners } from './testing/scripted-provisioners.ts';

/** Leads as often as it is told to. */
function playedElection() {
  let begin: ((leading: AbortSignal) => Promise<void>) | undefined;
  const begun = Promise.withResolvers<void>();
  const election: LeaderElection = {
    isLeader: () => true,
    async run(signal, work) {
      begin = work;
      begun.resolve();
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    },
  };
  return {
    election,
    /** Wins; what it gives loses again and resolves when all that was led has ended. */
    async win(): Promise<() => Promise<void>> {
      await begun.promise;
      const lost = new AbortController();
      const led = begin?.(lost.signal);
      return async () => {
        lost.abort();
        await led;
      };
    },
  };
}

describe('who leads hosts', () => {
  let api: HostApi;
  before(async () => {
    api = await startHostApi();
  });
  after(() => api.close());

  it('watches work outside while it leads, anew each time, and closes when all has ended', async (t) => {
    const log: string[] = [];
    let opened = 0;
    const holding = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const openExternalWork = (): OpenExternalWork => {
      opened += 1;
      const number = opened;
      log.push(`open ${number}`);
      return {
        ...nobodyElse,
        async hold() {
          if (number === 2) return { kind: 'held' };
          holding.resolve();
          await goOn.promise;
          if (!log.includes('asked 1')) log.push('asked 1');
          return { kind: 'held' };
        },
        close: async () => void log.push(`close ${number}`),
      };
    };
    const { election, win } = playedElection();
    const scripted = createScriptedProvisioners();
    const rig = await startHostRig(api, { election, openExternalWork, scripted });
    t.after(() => rig.controllers.stop());
    assert.deepEqual(log, []);
    const lose = await win();
    await putHost(api, 's21');
    await holding.promise;
    const lost = lose();
    goOn.resolve();
    await lost;
    assert.deepEqual(log, ['open 1', 'asked 1', 'close 1']);
    const loseAgain = await win();
    await untilState(api, 's21', 'available');
    await loseAgain();
    assert.deepEqual(log.slice(3), ['open 2', 'close 2']);
    await rig.stop();
    assert.equal(log.length, 5);
  });
});
