import { setTimeout as sleep } from 'node:timers/promises';
import type { PortResults, PortState, SwitchDevice } from '../../../src/switches/index.ts';

/** What becomes of a change on its way: it begins late, or its answer is lost and it is carried out later. */
export interface Mishap {
  readonly kind: 'held' | 'lost';
  readonly ms: number;
}

/** Changes that were given up and may still be carried out. */
export interface LateChanges {
  /** The longest that one took after it was given up. */
  readonly longestMs: number;
  ended(): Promise<void>;
}

/** Makes devices whose changes go wrong in ways that are told, one after the other. */
export function createLateDevices(next: () => Mishap | undefined) {
  const late = new Set<Promise<unknown>>();
  let longestMs = 0;
  const open = (device: SwitchDevice): SwitchDevice => {
    const own = new Set<Promise<unknown>>();
    const change = async <T extends { readonly port: string }>(
      ports: readonly T[],
      make: (ports: readonly T[]) => Promise<PortResults<PortState>>,
    ): Promise<PortResults<PortState>> => {
      const mishap = next();
      if (mishap === undefined) return make(ports);
      if (mishap.kind === 'held') return sleep(mishap.ms).then(() => make(ports));
      const from = Date.now();
      const given = sleep(mishap.ms).then(() => make(ports));
      const ended = given.then(
        () => {
          longestMs = Math.max(longestMs, Date.now() - from);
        },
        () => undefined,
      );
      for (const each of [late, own]) {
        each.add(ended);
        void ended.then(() => each.delete(ended));
      }
      return new Map(ports.map(({ port }) => [port, { kind: 'uncertain', message: 'the answer was lost' }]));
    };
    return {
      ...device,
      // What was sent is carried out whoever waits for it.
      apply: (changes) => change(changes, (ports) => device.apply(ports)),
      clear: (ports) => change(ports, (each) => device.clear(each)),
      async close() {
        void Promise.all(own).then(() => device.close());
      },
    };
  };
  const changes: LateChanges = {
    get longestMs() {
      return longestMs;
    },
    async ended() {
      while (late.size > 0) await Promise.all(late);
    },
  };
  return { open, changes };
}
