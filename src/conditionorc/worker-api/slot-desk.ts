import type { WorkerPort } from '../../engine/index.ts';
import { type Clock, sleep, type Timer } from '../../kube/index.ts';

/** A lease as its holder names it. */
export interface HeldLease {
  readonly conditionId: string;
  readonly token: number;
}

/** Lets workers from afar stand in line for slots, over several requests. */
export interface SlotDesk {
  /** Waits a while for the slot. Asking again keeps the place in the line. Throws what the engine throws. */
  acquire(
    lease: HeldLease,
    waiting: { readonly waitMs: number; readonly signal: AbortSignal },
  ): Promise<'granted' | 'waiting'>;
  /** Gives the slot back, or the place in the line. */
  release(lease: HeldLease): Promise<void>;
}

interface Place {
  readonly leaving: AbortController;
  readonly granted: Promise<() => Promise<void>>;
  isGranted: boolean;
  /** How many requests wait at this place. */
  asking: number;
  idle: Timer | undefined;
}

/** Somebody in line who does not ask again for so long has gone. */
const idleMs = 30_000;

/** How long to look for a slot that another process gave out. */
const lookMs = 2000;

/** More places than workers could have; the oldest are forgotten, and their slots end with their leases. */
const mostPlaces = 10_000;

/** Makes the desk. A slot that nobody gives back is free again when the lease of its holder ends. */
export function createSlotDesk(port: WorkerPort, clock: Clock): SlotDesk {
  const places = new Map<string, Place>();
  const keyOf = ({ conditionId, token }: HeldLease): string => `${conditionId} ${token}`;

  const begin = (lease: HeldLease): Place => {
    const key = keyOf(lease);
    const leaving = new AbortController();
    const granted = port.acquireSlot('upload', lease, leaving.signal);
    const place: Place = { leaving, granted, isGranted: false, asking: 0, idle: undefined };
    places.set(key, place);
    for (const oldest of places.keys()) {
      if (places.size <= mostPlaces) break;
      places.delete(oldest);
    }
    granted.then(
      () => {
        place.isGranted = true;
      },
      // Whoever waits is told by its own request; a place that failed is no place.
      () => {
        if (places.get(key) === place) places.delete(key);
      },
    );
    return place;
  };

  const watch = (lease: HeldLease, place: Place): void => {
    place.idle = clock.after(idleMs, () => {
      if (place.asking > 0 || place.isGranted) return;
      place.leaving.abort();
      places.delete(keyOf(lease));
    });
  };

  const leave = async (lease: HeldLease, place: Place): Promise<void> => {
    places.delete(keyOf(lease));
    place.idle?.cancel();
    if (!place.isGranted) place.leaving.abort();
    const giveBack = await place.granted.catch(() => undefined);
    await giveBack?.();
  };

  /** Another process may have given it out: asking for it again here gives the same slot. Nobody waits for that. */
  const look = async (lease: HeldLease): Promise<void> => {
    const place = begin(lease);
    const over = new AbortController();
    const granted = place.granted.then(
      () => over.abort(),
      () => over.abort(),
    );
    await Promise.race([granted, sleep(clock, lookMs, over.signal)]);
    over.abort();
    // A slot that is not given back now is free again when the lease of its holder ends.
    await leave(lease, place).catch(() => undefined);
  };

  return {
    async acquire(lease, { waitMs, signal }) {
      const place = places.get(keyOf(lease)) ?? begin(lease);
      place.asking += 1;
      place.idle?.cancel();
      const over = new AbortController();
      try {
        const waited = sleep(clock, waitMs, AbortSignal.any([signal, over.signal])).then(() => 'waiting' as const);
        return await Promise.race([place.granted.then(() => 'granted' as const), waited]);
      } finally {
        over.abort();
        place.asking -= 1;
        watch(lease, place);
      }
    },
    async release(lease) {
      const known = places.get(keyOf(lease));
      if (known !== undefined) await leave(lease, known);
      else void look(lease);
    },
  };
}
