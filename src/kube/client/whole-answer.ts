import type { Dispatcher } from 'undici';
import type { TransportAnswer } from './transport.ts';

/**
 * Sends a request and resolves with its whole answer. A stream for each answer, as `request` makes one, costs more than
 * most answers of an API server do.
 */
export function sendForWhole(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  signal: AbortSignal,
): Promise<TransportAnswer> {
  return new Promise((resolve, reject) => {
    const answer = new WholeAnswer({ resolve, reject, signal });
    try {
      dispatcher.dispatch(options, answer);
    } catch (error) {
      answer.fail(error);
    }
  });
}

interface Ends {
  readonly resolve: (answer: TransportAnswer) => void;
  readonly reject: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/** Collects one answer. */
class WholeAnswer implements Dispatcher.DispatchHandler {
  readonly #ends: Ends;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: TransportAnswer['headers'] = {};

  constructor(ends: Ends) {
    this.#ends = ends;
    ends.signal.addEventListener('abort', this.#giveUp, { once: true });
  }

  /** One that still waits for a connection has no controller yet: then it is given up when it gets one. */
  readonly #giveUp = (): void => {
    const { signal } = this.#ends;
    if (this.#controller === undefined) this.fail(signal.reason);
    else this.#controller.abort(asError(signal.reason));
  };

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    const { signal } = this.#ends;
    if (signal.aborted) controller.abort(asError(signal.reason));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: TransportAnswer['headers']): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#leave();
    const chunks = this.#chunks;
    const [only = Buffer.alloc(0)] = chunks;
    const text = (chunks.length > 1 ? Buffer.concat(chunks) : only).toString('utf8');
    this.#ends.resolve({
      status: this.#status,
      headers: this.#headers,
      body: oneByOne(chunks),
      text: async () => text,
    });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  /** Whatever is told later finds that it is over. */
  fail(error: unknown): void {
    this.#leave();
    this.#ends.reject(error);
  }

  #leave(): void {
    this.#ends.signal.removeEventListener('abort', this.#giveUp);
  }
}

async function* oneByOne(chunks: readonly Buffer[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
