import type { HintListener } from '../hand-over.ts';
import type { WorkPlace } from './names.ts';
import type { Session } from './session.ts';
import { type TakerParts, takeWork } from './work-taker.ts';

/** What somebody takes. */
export interface TakerOrder {
  readonly facilities: readonly string[];
  readonly kinds: readonly string[];
  readonly listener: HintListener;
}

/** Those who take work here, whichever connection it comes over. */
export interface TakerDesk {
  /** Adds a taker; it takes as soon as there is a session. */
  add(order: TakerOrder): { readonly started: Promise<void>; stop(): void };
  /** Lets everybody take over a new session. */
  moveTo(session: Session): Promise<void>;
  stop(): void;
}

interface Taker {
  readonly places: readonly WorkPlace[];
  readonly listener: HintListener;
  readonly stopped: AbortController;
}

/** Makes the desk of one bus. */
export function createTakerDesk(parts: TakerParts): TakerDesk {
  const takers = new Set<Taker>();
  let current: Session | undefined;
  const start = async (session: Session, { places, listener, stopped }: Taker): Promise<void> => {
    const ended = AbortSignal.any([session.ended, stopped.signal]);
    const { link, stream } = session;
    await Promise.all(places.map((place) => takeWork(parts, { link, stream, place, listener, ended })));
  };
  const remove = (taker: Taker): void => {
    takers.delete(taker);
    taker.stopped.abort();
  };
  return {
    add(order) {
      const taker: Taker = { places: placesOf(order), listener: order.listener, stopped: new AbortController() };
      takers.add(taker);
      const started = current === undefined || current.ended.aborted ? Promise.resolve() : start(current, taker);
      return { started, stop: () => remove(taker) };
    },
    async moveTo(session) {
      current = session;
      await Promise.all([...takers].map((taker) => start(session, taker)));
    },
    stop() {
      for (const taker of takers) remove(taker);
    },
  };
}

function placesOf(order: TakerOrder): WorkPlace[] {
  const kinds = [...new Set(order.kinds)];
  return [...new Set(order.facilities)].flatMap((facility) => kinds.map((kind) => ({ facility, kind })));
}
