import type { ServerResponse } from 'node:http';
import type { CutOff, WatchGuard } from '../overload/watch-guard.ts';
import type { RequestContext } from '../request-context.ts';
import type { ServedResource } from '../served-resource.ts';
import type { ApiError } from '../status.ts';
import { Fifo } from '../store/fifo.ts';
import type { Stored } from '../store/store.ts';
import { type EventBytes, eventLine } from './event-bytes.ts';
import { eventObject } from './present.ts';

/** A watch event that shows an object. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly stored: Stored;
}

/** Why something waits: it is part of the state the client asked for, or of history, or it has just happened. */
export interface Debt {
  readonly of: 'state' | 'history' | 'present';
  readonly bytes: number;
}

const nothing: Debt = { of: 'state', bytes: 0 };

/** What waits: an event, rendered when its turn comes so that it is shared with the store; or the making of one. */
type Waiting = { readonly debt: Debt } & (
  | { readonly event: WatchEvent }
  | { readonly bookmark: string }
  | { readonly decide: () => Promise<WatchEvent | undefined> }
);

/**
 * One client's stream of events, in order. Writes no faster than the client reads: what the client asked to be told at
 * once (a state, history) waits for as long as the client goes on reading. A client that stops, or falls too far behind
 * what happens now, loses its connection: it will list again.
 */
export class WatchStream {
  /** Settles when the client is gone or the stream has ended. */
  readonly closed: Promise<void>;
  readonly #context: RequestContext;
  readonly #served: ServedResource;
  readonly #events: EventBytes;
  readonly #guard: WatchGuard;
  readonly #response: ServerResponse;
  #waiting = new Fifo<Waiting>();
  readonly #owed: Record<Debt['of'], number> = { state: 0, history: 0, present: 0 };
  #stalled: NodeJS.Timeout | undefined;
  #isRendering = false;
  #isDone = false;
  #hasSentColumns = false;

  constructor(context: RequestContext, served: ServedResource, parts: { events: EventBytes; watches: WatchGuard }) {
    this.#context = context;
    this.#served = served;
    this.#events = parts.events;
    this.#guard = parts.watches;
    this.#response = context.response;
    const closed = Promise.withResolvers<void>();
    this.closed = closed.promise;
    const onClose = (): void => {
      this.#isDone = true;
      this.#drop();
      closed.resolve();
    };
    // A client that went away while it was being authenticated has had its `close` already.
    if (this.#response.destroyed) onClose();
    this.#response.on('close', onClose);
    this.#response.on('drain', () => {
      this.#setStalled(undefined);
      this.#pump();
    });
  }

  open(): void {
    if (this.#response.headersSent || this.#isDone) return;
    const { contentType } = this.#context.media;
    this.#response.writeHead(200, { 'Content-Type': contentType, 'Cache-Control': 'no-cache, private' });
    this.#response.flushHeaders();
  }

  /** Sends an object. */
  send(event: WatchEvent, debt: Debt): void {
    this.#push({ event, debt });
  }

  /** Sends what `decide` comes to when its turn has come, if anything; what follows waits for it. */
  sendLater(debt: Debt, decide: () => Promise<WatchEvent | undefined>): void {
    this.#push({ decide, debt });
  }

  bookmark(metadata: object): void {
    const { kind, apiVersion } = this.#served;
    this.#push({ bookmark: JSON.stringify({ kind, apiVersion, metadata }), debt: nothing });
  }

  /** Says why there is nothing to watch, or no more, and ends. */
  fail(error: ApiError): void {
    if (this.#response.writableNeedDrain || this.#isDone) {
      this.end();
      return;
    }
    this.open();
    this.#isDone = true;
    this.#response.end(`{"type":"ERROR","object":${JSON.stringify(error.status)}}\n`);
  }

  /** Ends the stream. What still waits is dropped: the client goes on from the last version it saw. */
  end(): void {
    const isStuck = this.#response.writableNeedDrain;
    this.#isDone = true;
    if (isStuck) this.#response.destroy();
    else this.#response.end();
  }

  #push(item: Waiting): void {
    if (this.#isDone) return;
    this.#waiting.push(item);
    this.#owe(item.debt.of, item.debt.bytes);
    this.#pump();
    if (this.#owed.present > this.#guard.limits.waitingBytes) this.#cutOff('bytes');
  }

  #owe(of: Debt['of'], bytes: number): void {
    this.#owed[of] += bytes;
    if (of === 'history') this.#guard.addHistory(bytes);
  }

  /** Forgets what waits: a closed connection may be known here for a while yet. */
  #drop(): void {
    this.#setStalled(undefined);
    this.#waiting = new Fifo();
    this.#owe('history', -this.#owed.history);
  }

  #cutOff(why: CutOff): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#guard.cutOff(why);
    this.#drop();
    this.#response.destroy();
  }

  #setStalled(timer: NodeJS.Timeout | undefined): void {
    clearTimeout(this.#stalled);
    this.#stalled = timer;
  }

  #pump(): void {
    while (!this.#isRendering && !this.#isDone && !this.#response.writableNeedDrain) {
      const item = this.#waiting.shift();
      if (item === undefined) return;
      this.#owe(item.debt.of, -item.debt.bytes);
      if ('bookmark' in item) this.#write(eventLine('BOOKMARK', this.#present(item.bookmark, { isBookmark: true })));
      else if ('decide' in item) void this.#writeLater(item.decide());
      else this.#show(item.event);
    }
  }

  #show(event: WatchEvent): void {
    const rendered = this.#served.render(event.stored);
    if (typeof rendered === 'string') this.#writeEvent(event, rendered);
    else void this.#writeLater(Promise.resolve(event), rendered);
  }

  /** Conversion webhooks take their time; what comes after waits, to keep the order. */
  async #writeLater(deciding: Promise<WatchEvent | undefined>, rendering?: Promise<string>): Promise<void> {
    this.#isRendering = true;
    try {
      const event = await deciding;
      if (event !== undefined) this.#writeEvent(event, await (rendering ?? this.#served.render(event.stored)));
    } catch {
      this.#response.destroy(); // an event that cannot be shown must not be skipped: the client lists again
      return;
    } finally {
      this.#isRendering = false;
    }
    this.#pump();
  }

  /** An object that is shown as it is looks the same to everyone, a Table or its metadata alone is made for this client. */
  #writeEvent({ type, stored }: WatchEvent, json: string): void {
    const isShared = this.#context.media.as === 'object';
    this.#write(
      isShared ? this.#events.of({ type, stored, json }) : eventLine(type, this.#present(json, { isBookmark: false })),
    );
  }

  #present(json: string, { isBookmark }: { isBookmark: boolean }): string {
    const isFirst = !this.#hasSentColumns;
    this.#hasSentColumns = true;
    return eventObject(this.#context, this.#served, json, { isBookmark, isFirst });
  }

  #write(line: string | Buffer): void {
    if (this.#isDone) return;
    this.open();
    const isTaken = this.#response.write(line);
    if (isTaken || this.#stalled !== undefined) return;
    this.#setStalled(setTimeout(() => this.#cutOff('stalled'), this.#guard.limits.stallMs));
  }
}
