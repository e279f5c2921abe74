import type { IncomingMessage, ServerResponse } from 'node:http';
import { type BodyDoor, passBodyThrough, TruncatedBody } from '../http/body.ts';
import type { RequestInfo } from '../http/request-info.ts';
import type { UserInfo } from '../resource.ts';
import { FairQueue, type Seat } from './fair-queue.ts';
import { type Lane, laneOf } from './flow.ts';
import type { OverloadLimits } from './limits.ts';
import { Overloaded } from './overloaded.ts';
import { Tally } from './tally.ts';
import { TurnBudget } from './turn-budget.ts';

/** A request that asks to be let in. */
export interface Visitor {
  readonly info: RequestInfo;
  readonly user: UserInfo;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** What the gate tells of itself. */
export interface GateListener {
  onRejected(why: Overloaded['why']): void;
}

/** What a request has been given; it gives all of it back. */
export interface Visit {
  /** Settles when the request may be worked on; undefined: at once. Throws 429. */
  readonly admitted: Promise<void> | undefined;
  /** Gives way to the next request: for what goes on for as long as its client likes. */
  giveWay(): void;
  /** The request has been answered, though perhaps not all of the answer has been taken. */
  end(): void;
}

/** What may lie in the buffers of a connection before its answer counts as not taken. */
const smallAnswerBytes = 64 * 1024;

/** Where requests wait for their turn: reads and writes apart, each user in a queue of its own. */
export class RequestGate {
  readonly #limits: OverloadLimits;
  readonly #listener: GateListener;
  readonly #lanes: Readonly<Record<'read' | 'write', FairQueue>>;
  readonly #leases = new Tally();
  readonly #watches = new Tally();
  #bodyBytes = 0;
  readonly #bodyBytesOf = new Map<string, number>();

  constructor(limits: OverloadLimits, listener: GateListener, now: () => number) {
    this.#limits = limits;
    this.#listener = listener;
    const budget = new TurnBudget(limits.turnMs, now);
    this.#lanes = { read: new FairQueue(limits.reads, budget), write: new FairQueue(limits.writes, budget) };
  }

  /** How many requests of a kind are worked on, and how many wait. */
  load(lane: 'read' | 'write'): { readonly inFlight: number; readonly queued: number } {
    return this.#lanes[lane];
  }

  /** Lets a request in at once, makes it wait, or throws 429. One with a body waits once that is there. */
  admit(visitor: Visitor): Visit {
    const held = new Held(visitor.response, this.#limits.answerMs);
    const lane = laneOf(visitor.info, visitor.user);
    if (lane === 'exempt') return held;
    try {
      if (visitor.info.verb === 'watch') this.#takeWatch(visitor, held);
      const kind = this.#laneNow(lane, visitor, held);
      if (kind === 'read') held.admitted = this.#enter('read', visitor, held);
      else if (kind === 'write') passBodyThrough(visitor.request, this.#doorOf(visitor, held));
      return held;
    } catch (error) {
      held.giveAll();
      throw error;
    }
  }

  /** A lease is not kept waiting, unless its client has more of them at once than any elector would. */
  #laneNow(lane: Lane, { info, user }: Visitor, held: Held): Lane {
    if (lane !== 'lease') return lane;
    const isSane = this.#leases.take(user.username, this.#limits.leasesPerClient);
    if (!isSane) return info.verb === 'get' ? 'read' : 'write';
    held.onEnd(() => this.#leases.give(user.username));
    return 'exempt';
  }

  #takeWatch({ user }: Visitor, held: Held): void {
    const { watchesPerClient } = this.#limits.watch;
    if (!this.#watches.take(user.username, watchesPerClient)) throw this.#rejected('too-many-watches');
    held.onEnd(() => this.#watches.give(user.username));
  }

  #doorOf(visitor: Visitor, held: Held): BodyDoor {
    const { username } = visitor.user;
    let taken = 0;
    held.onEnd(() => this.#countBytes(username, -taken));
    return {
      take: (bytes) => {
        const { bodyBytes, bodyBytesPerClient } = this.#limits;
        const isTooMuch = this.#bodyBytes + bytes > bodyBytes;
        if (isTooMuch || (this.#bodyBytesOf.get(username) ?? 0) + bytes > bodyBytesPerClient)
          throw this.#rejected('body-bytes');
        taken += bytes;
        this.#countBytes(username, bytes);
      },
      enter: () => this.#enter('write', visitor, held),
    };
  }

  #countBytes(username: string, bytes: number): void {
    this.#bodyBytes += bytes;
    const sum = (this.#bodyBytesOf.get(username) ?? 0) + bytes;
    if (sum > 0) this.#bodyBytesOf.set(username, sum);
    else this.#bodyBytesOf.delete(username);
  }

  #enter(lane: 'read' | 'write', { user, response }: Visitor, held: Held): Promise<void> | undefined {
    const entered = this.#lanes[lane].enter(user.username);
    if (entered === 'queue-full') throw this.#rejected(entered);
    if ('release' in entered) {
      held.sit(entered);
      return undefined;
    }
    response.once('close', entered.leave);
    return entered.seat.then((outcome) => {
      response.off('close', entered.leave);
      if (outcome === 'gone') throw new TruncatedBody('the client closed the connection before its turn came');
      if (typeof outcome === 'string') throw this.#rejected(outcome);
      held.sit(outcome);
    });
  }

  #rejected(why: Overloaded['why']): Overloaded {
    this.#listener.onRejected(why);
    return new Overloaded(why);
  }
}

/** What one request holds on to. */
class Held implements Visit {
  admitted: Promise<void> | undefined;
  readonly #response: ServerResponse;
  readonly #answerMs: number;
  #onEnd: (() => void)[] | undefined;
  #seat: Seat | undefined;
  #isOver = false;

  constructor(response: ServerResponse, answerMs: number) {
    this.#response = response;
    this.#answerMs = answerMs;
  }

  sit(seat: Seat): void {
    if (this.#isOver) seat.release();
    else this.#seat = seat;
  }

  onEnd(give: () => void): void {
    this.#onEnd ??= [];
    this.#onEnd.push(give);
  }

  giveWay(): void {
    this.#seat?.release();
    this.#seat = undefined;
  }

  giveAll(): void {
    this.giveWay();
    this.#isOver = true;
    for (const give of this.#onEnd ?? []) give();
    this.#onEnd = undefined;
  }

  /** A large answer stays in memory until its client has read it, and so does its request in its seat. */
  end(): void {
    const response = this.#response;
    if (isTaken(response)) {
      this.giveAll();
      return;
    }
    const timer = setTimeout(() => response.destroy(), this.#answerMs);
    response.once('close', () => {
      clearTimeout(timer);
      this.giveAll();
    });
  }
}

function isTaken(response: ServerResponse): boolean {
  return response.destroyed || (response.writableEnded && response.writableLength <= smallAnswerBytes);
}
