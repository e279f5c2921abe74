import type { BareMetalHostStatus } from '../../api/index.ts';
import { stateOf } from '../status/host-status.ts';
import { limitedWork } from '../table/host-table.ts';

/** How a host stood before a round and after it. */
export interface RoundEnds {
  readonly before: BareMetalHostStatus;
  readonly after: BareMetalHostStatus;
  /** True when it waits because as many hosts as may be are worked on. */
  readonly isDelayed: boolean;
}

/**
 * Hosts that wait until fewer are worked on, first come first. Whoever makes room calls the next one, so that no room is
 * empty until somebody happens to look again.
 */
export interface WaitingLine {
  /** Takes note of how a round ended. */
  roundEnded(key: string, ends: RoundEnds): void;
  /** There is no such host any more. */
  gone(key: string): void;
}

/** Makes an empty line. */
export function createWaitingLine(wake: (key: string) => void): WaitingLine {
  const line = new Set<string>();
  /** Those that were told to look again and have not done so. */
  const called = new Set<string>();
  const callNext = (): void => {
    const [next] = line;
    if (next === undefined) return;
    line.delete(next);
    called.add(next);
    wake(next);
  };
  return {
    roundEnded(key, { before, after, isDelayed }) {
      const wasCalled = called.delete(key);
      if (isDelayed) {
        line.add(key);
        return;
      }
      line.delete(key);
      const isWorkedOn = isInRoom(after);
      // Whoever does not want the room any more, or has left it, leaves it to the next.
      if ((wasCalled || isInRoom(before)) && !isWorkedOn) callNext();
    },
    gone(key) {
      line.delete(key);
      if (called.delete(key)) callNext();
    },
  };
}

function isInRoom(status: BareMetalHostStatus): boolean {
  const state = stateOf(status);
  return status.operationalStatus === 'servicing' || (state !== undefined && limitedWork[state] !== undefined);
}
