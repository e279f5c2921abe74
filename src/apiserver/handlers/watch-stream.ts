import type { ServerResponse } from 'node:http';
import type { RequestContext } from '../request-context.ts';
import type { ServedResource } from '../served-resource.ts';
import type { ApiError } from '../status.ts';
import { Fifo } from '../store/fifo.ts';
import type { Stored } from '../store/store.ts';
import { eventObject } from './present.ts';

/** A watch event that shows an object. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly stored: Stored;
}

/** A client that lets this many bytes of changes pile up is cut off; it will list again. */
const maxWaitingBytes = 16 * 1024 * 1024;

/** What waits: an event, rendered when its turn comes so that it is shared with the store; or the making of one. */
type Waiting = { readonly weight: number } & (
  | { readonly event: WatchEvent }
  | { readonly bookmark: string }
  | { readonly decide: () => Promise<WatchEvent | undefined> }
);

/**
 * One client's stream of events, in order. Writes no faster than the client reads: what the client asked to be told at
 * once (a state, history) waits as long as it takes; a client that falls too far behind what happens now is cut off.
 */
export class WatchStream {
  /** Settles when the client is gone or the stream has ended. */
  readonly closed: Promise<void>;
  readonly #context: RequestContext;
  readonly #served: ServedResource;
  readonly #response: ServerResponse;
  readonly #waiting = new Fifo<Waiting>();
  #waitingBytes = 0;
  #isRendering = false;
  #isDone = false;
  #hasSentColumns = false;

  constructor(context: RequestContext, served: ServedResource) {
    this.#context = context;
    this.#served = served;
    this.#response = context.response;
    const closed = Promise.withResolvers<void>();
    this.closed = closed.promise;
    const onClose = (): void => {
      this.#isDone = true;
      closed.resolve();
    };
    // A client that went away while it was being authenticated has had its `close` already.
    if (this.#response.destroyed) onClose();
    this.#response.on('close', onClose);
    this.#response.on('drain', () => this.#pump());
  }

  open(): void {
    if (this.#response.headersSent || this.#isDone) return;
    const { contentType } = this.#context.media;
    this.#response.writeHead(200, { 'Content-Type': contentType, 'Cache-Control': 'no-cache, private' });
    this.#response.flushHeaders();
  }

  /** Sends an object. `weight`: its bytes, or 0 when the client asked for it and may take its time over it. */
  send(event: WatchEvent, { weight }: { weight: number }): void {
    this.#push({ event, weight });
  }

  /** Sends what `decide` comes to when its turn has come, if anything; what follows waits for it. */
  sendLater({ weight }: { weight: number }, decide: () => Promise<WatchEvent | undefined>): void {
    this.#push({ decide, weight });
  }

  bookmark(metadata: object): void {
    const { kind, apiVersion } = this.#served;
    this.#push({ bookmark: JSON.stringify({ kind, apiVersion, metadata }), weight: 0 });
  }

  /** Says why there is nothing to watch, and ends. */
  fail(error: ApiError): void {
    this.open();
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
    this.#waitingBytes += item.weight;
    this.#pump();
    if (this.#waitingBytes > maxWaitingBytes) this.#response.destroy();
  }

  #pump(): void {
    while (!this.#isRendering && !this.#isDone && !this.#response.writableNeedDrain) {
      const item = this.#waiting.shift();
      if (item === undefined) return;
      this.#waitingBytes -= item.weight;
      if ('bookmark' in item) this.#write('BOOKMARK', item.bookmark);
      else if ('decide' in item) void this.#writeLater(item.decide());
      else this.#show(item.event);
    }
  }

  #show(event: WatchEvent): void {
    const rendered = this.#served.render(event.stored);
    if (typeof rendered === 'string') this.#write(event.type, rendered);
    else void this.#writeLater(Promise.resolve(event), rendered);
  }

  /** Conversion webhooks take their time; what comes after waits, to keep the order. */
  async #writeLater(deciding: Promise<WatchEvent | undefined>, rendering?: Promise<string>): Promise<void> {
    this.#isRendering = true;
    try {
      const event = await deciding;
      if (event !== undefined) this.#write(event.type, await (rendering ?? this.#served.render(event.stored)));
    } catch {
      this.#response.destroy(); // an event that cannot be shown must not be skipped: the client lists again
      return;
    } finally {
      this.#isRendering = false;
    }
    this.#pump();
  }

  #write(type: WatchEvent['type'] | 'BOOKMARK', json: string): void {
    if (this.#isDone) return;
    this.open();
    const isFirst = !this.#hasSentColumns;
    this.#hasSentColumns = true;
    const object = eventObject(this.#context, this.#served, json, { isBookmark: type === 'BOOKMARK', isFirst });
    this.#response.write(`{"type":"${type}","object":${object}}\n`);
  }
}
