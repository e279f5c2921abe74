import type { LaneLimits } from './limits.ts';
import type { TurnBudget } from './turn-budget.ts';

/** A place among the requests that are worked on. Giving it back twice does no harm. */
export interface Seat {
  release(): void;
}

/** Why somebody did not get a seat. */
export type NoSeat = 'queue-full' | 'time-out' | 'gone';

/** A place in a queue. */
export interface Place {
  readonly seat: Promise<Seat | NoSeat>;
  /** The client has gone: its request need not be served any more. */
  leave(): void;
}

interface Waiting {
  readonly client: Client;
  readonly timer: NodeJS.Timeout;
  settle(outcome: Seat | NoSeat): void;
}

interface Client {
  readonly name: string;
  seats: number;
  /** In the order they came. */
  readonly waiting: Set<Waiting>;
}

/**
 * Bounded work, shared fairly: clients that wait are served in turn, one request each, however many each of them has.
 * Clients are remembered for only as long as they have requests here.
 */
export class FairQueue {
  readonly #limits: LaneLimits;
  readonly #budget: TurnBudget;
  readonly #clients = new Map<string, Client>();
  /** Those who wait; the first one's turn is next. */
  readonly #turns = new Set<Client>();
  #seats = 0;
  #waiting = 0;
  #isServing = false;

  constructor(limits: LaneLimits, budget: TurnBudget) {
    this.#limits = limits;
    this.#budget = budget;
  }

  /** Requests that have a seat. */
  get inFlight(): number {
    return this.#seats;
  }

  /** Requests that wait for one. */
  get queued(): number {
    return this.#waiting;
  }

  /** A seat at once where one is free; otherwise a place in the client's queue. */
  enter(name: string): Seat | Place | 'queue-full' {
    const client = this.#client(name);
    if (client.waiting.size === 0 && this.#hasRoomFor(client) && this.#budget.hasTime()) return this.#seat(client);
    const { waiting, waitingPerClient } = this.#limits;
    const isFull = this.#waiting >= waiting || client.waiting.size >= waitingPerClient;
    if (isFull) {
      this.#forgetIdle(client);
      return 'queue-full';
    }
    const place = this.#wait(client);
    // With room, it is only this turn's time that is over.
    if (this.#hasRoomFor(client)) this.#budget.onNextTurn(this.#serve);
    return place;
  }

  #client(name: string): Client {
    const known = this.#clients.get(name);
    if (known !== undefined) return known;
    const client: Client = { name, seats: 0, waiting: new Set() };
    this.#clients.set(name, client);
    return client;
  }

  #hasRoomFor(client: Client): boolean {
    return this.#seats < this.#limits.seats && client.seats < this.#limits.seatsPerClient;
  }

  #seat(client: Client): Seat {
    this.#seats += 1;
    client.seats += 1;
    return new TakenSeat(client, this.#free);
  }

  readonly #free = (client: Client): void => {
    this.#seats -= 1;
    client.seats -= 1;
    this.#forgetIdle(client);
    if (this.#waiting > 0) this.#serve();
  };

  #wait(client: Client): Place {
    const { promise, resolve } = Promise.withResolvers<Seat | NoSeat>();
    const timer = setTimeout(() => this.#refuse(waiting, 'time-out'), this.#limits.longestWaitMs);
    const waiting: Waiting = { client, timer, settle: resolve };
    client.waiting.add(waiting);
    this.#turns.add(client);
    this.#waiting += 1;
    return { seat: promise, leave: () => this.#refuse(waiting, 'gone') };
  }

  #refuse(waiting: Waiting, why: NoSeat): void {
    if (!waiting.client.waiting.has(waiting)) return;
    this.#remove(waiting);
    this.#forgetIdle(waiting.client);
    waiting.settle(why);
  }

  #remove(waiting: Waiting): void {
    const { client, timer } = waiting;
    clearTimeout(timer);
    client.waiting.delete(waiting);
    this.#waiting -= 1;
    if (client.waiting.size === 0) this.#turns.delete(client);
  }

  #forgetIdle(client: Client): void {
    if (client.seats === 0 && client.waiting.size === 0) this.#clients.delete(client.name);
  }

  /**
   * Seats the next one, lets it run as far as it gets by itself, and goes on: what it took of the turn is known only
   * then. Microtasks run to their end before the next tick, hence both.
   */
  readonly #serve = (): void => {
    if (this.#isServing || this.#waiting === 0) return;
    const client = this.#next();
    if (client === undefined) return; // whoever gives a seat back serves on
    if (!this.#budget.hasTime()) {
      this.#budget.onNextTurn(this.#serve);
      return;
    }
    this.#isServing = true;
    this.#seatFirst(client);
    queueMicrotask(() =>
      process.nextTick(() => {
        this.#isServing = false;
        this.#serve();
      }),
    );
  };

  #next(): Client | undefined {
    for (const client of this.#turns) if (this.#hasRoomFor(client)) return client;
    return undefined;
  }

  #seatFirst(client: Client): void {
    const [waiting] = client.waiting;
    if (waiting === undefined) return;
    // To the end of the line, for what else it has.
    this.#turns.delete(client);
    this.#turns.add(client);
    this.#remove(waiting);
    waiting.settle(this.#seat(client));
  }
}

/** Every request that does not come from an administrator has one: no more than it needs. */
class TakenSeat implements Seat {
  #client: Client | undefined;
  readonly #free: (client: Client) => void;

  constructor(client: Client, free: (client: Client) => void) {
    this.#client = client;
    this.#free = free;
  }

  release(): void {
    const client = this.#client;
    if (client === undefined) return;
    this.#client = undefined;
    this.#free(client);
  }
}
