import type { ClientRequest, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import type { Json, JsonObject } from '../../src/schema/index.ts';
import { type ApiClient, type ApiRequest, flatten } from './api-client.ts';

/** One event of a watch, as sent. */
export type WatchEvent = JsonObject & { type: string; object: JsonObject };

/** An open watch whose events are taken in order. */
export class WatchStream {
  readonly code: number;
  readonly headers: Record<string, string>;
  readonly #events: Json[] = [];
  readonly #request: ClientRequest;
  #text = '';
  #ended = false;
  #wake: () => void = () => {};

  constructor(sent: ClientRequest, answer: IncomingMessage) {
    this.#request = sent;
    this.code = answer.statusCode ?? 0;
    this.headers = flatten(answer.headers);
    answer.setEncoding('utf8');
    answer.on('data', (chunk: string) => this.#feed(chunk));
    answer.on('end', () => this.#end());
    answer.on('error', () => this.#end());
    answer.on('close', () => this.#end());
  }

  #feed(chunk: string): void {
    this.#text += chunk;
    const lines = this.#text.split('\n');
    this.#text = lines.pop() ?? '';
    for (const line of lines) if (line !== '') this.#events.push(parseLast(line));
    this.#wake();
  }

  #end(): void {
    if (!this.#ended && this.#text.trim() !== '') this.#events.push(parseLast(this.#text));
    this.#text = '';
    this.#ended = true;
    this.#wake();
  }

  /** Takes events until `isLast` says so, the stream ends, or `timeoutMs` pass. */
  async takeUntil(isLast: (event: WatchEvent, taken: number) => boolean, timeoutMs = 180_000): Promise<Taken> {
    const deadline = Date.now() + timeoutMs;
    const events: Json[] = [];
    while (true) {
      const next = this.#events.shift();
      if (next !== undefined) {
        events.push(next);
        if (isLast(next as WatchEvent, events.length)) return { events, end: 'open' };
        continue;
      }
      if (this.#ended) return { events, end: 'closed by the server' };
      const left = deadline - Date.now();
      if (left <= 0) return { events, end: 'nothing more within the time limit' };
      await this.#wait(left);
    }
  }

  #wait(ms: number): Promise<void> {
    return new Promise((done) => {
      const timer = setTimeout(done, ms);
      this.#wake = () => {
        clearTimeout(timer);
        done();
      };
    });
  }

  close(): void {
    this.#request.destroy();
  }
}

/** Events taken from a watch and how the taking ended. */
export interface Taken {
  readonly events: Json[];
  readonly end: 'open' | 'closed by the server' | 'nothing more within the time limit';
}

function parseLast(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

const retries = 100;

/**
 * Opens a watch; resolves as soon as the answer's head is there. The real server answers 429 while the cache of a new
 * kind is filling, for as long as that takes; as clients do, this asks again.
 */
export async function openWatch(client: ApiClient, asked: ApiRequest): Promise<WatchStream> {
  for (let attempt = 1; ; attempt++) {
    const stream = await openOnce(client, asked);
    if (stream.code !== 429 || attempt >= retries) return stream;
    stream.close();
    await delay(100);
  }
}

function openOnce(client: ApiClient, asked: ApiRequest): Promise<WatchStream> {
  return new Promise((done, fail) => {
    const sent = request({ ...client.options(asked), agent: false, ca: client.target.caPem }, (answer) => {
      done(new WatchStream(sent, answer));
    });
    sent.on('error', fail);
    sent.end();
  });
}
