import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../../kube/index.ts';
import { done, type SwitchFailure, type SwitchResult } from '../../switch-result.ts';
import { createJsonFrames } from './json-frames.ts';
import type { OvsdbRow } from './values.ts';

/** One operation of a transaction, as RFC 7047 section 5.2 writes it. */
export type OvsdbOperation = Readonly<Record<string, unknown>> & { readonly op: string };

/** What one operation came to. */
export interface OperationResult {
  readonly rows?: readonly OvsdbRow[];
  readonly count?: number;
}

/** One line to an OVSDB server. */
export interface OvsdbSession {
  call(method: string, params: readonly unknown[], signal: AbortSignal): Promise<SwitchResult<unknown>>;
  /** Runs a transaction; a failure of any of its operations is the failure of all. */
  transact(
    operations: readonly OvsdbOperation[],
    signal: AbortSignal,
  ): Promise<SwitchResult<readonly OperationResult[]>>;
  /** Tells what the server sends by itself, `update` and `update2`, to the listener given last. */
  onNotification(listener: (method: string, params: readonly unknown[]) => void): void;
  onEnd(listener: (why: string) => void): void;
  readonly isOpen: boolean;
  close(): void;
}

/** How a session is kept. */
export interface SessionOptions {
  readonly clock: Clock;
  /** What the server is called in messages. */
  readonly title: string;
  /** After so long without a word the server is asked for one, and after as long again it is gone. */
  readonly probeMs: number;
}

const maxMessageBytes = 64 * 1024 * 1024;
const database = 'Open_vSwitch';

/** Speaks OVSDB over a line that is open. */
export function startOvsdbSession(socket: Socket, options: SessionOptions): OvsdbSession {
  return new Session(socket, options);
}

class Session implements OvsdbSession {
  readonly #socket: Socket;
  readonly #options: SessionOptions;
  readonly #frames = createJsonFrames({ maxBytes: maxMessageBytes });
  readonly #waiting = new Map<number, (result: SwitchResult<unknown>) => void>();
  readonly #ended = new Set<(why: string) => void>();
  #told: ((method: string, params: readonly unknown[]) => void) | undefined;
  #nextId = 1;
  #probe: Timer;
  #isProbing = false;
  #isRefused = false;
  isOpen = true;

  constructor(socket: Socket, options: SessionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#probe = this.#schedule();
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('close', () => this.#end('the line was closed'));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // With TLS 1.3 a server refuses a client's certificate only after the client takes the line for open.
      this.#isRefused = /^ERR_SSL.*ALERT/i.test(error.code ?? '');
      this.#end(error.code ?? error.message);
    });
  }

  onNotification(listener: (method: string, params: readonly unknown[]) => void): void {
    this.#told = listener;
  }

  onEnd(listener: (why: string) => void): void {
    this.#ended.add(listener);
  }

  call(method: string, params: readonly unknown[], signal: AbortSignal): Promise<SwitchResult<unknown>> {
    return new Promise((resolve) => {
      if (!this.isOpen) return resolve(this.#gone('the line is closed'));
      const id = this.#nextId++;
      const leave = (result: SwitchResult<unknown>): void => {
        this.#waiting.delete(id);
        signal.removeEventListener('abort', give);
        resolve(result);
      };
      const give = (): void =>
        leave({ kind: 'cancelled', message: `${method} on ${this.#options.title} was given up` });
      if (signal.aborted) return give();
      signal.addEventListener('abort', give, { once: true });
      this.#waiting.set(id, leave);
      this.#send({ id, method, params });
    });
  }

  async transact(
    operations: readonly OvsdbOperation[],
    signal: AbortSignal,
  ): Promise<SwitchResult<readonly OperationResult[]>> {
    const answer = await this.call('transact', [database, ...operations], signal);
    if (answer.kind !== 'done') return answer;
    const results = Array.isArray(answer.value) ? answer.value : [];
    // Errors of single operations, and of the commit, are in the list of results; what follows one is null.
    const failed = results.find(
      (each): each is { error: unknown; details?: unknown } => isObject(each) && 'error' in each,
    );
    if (failed === undefined && results.length >= operations.length) return done(results);
    const words = failed === undefined ? 'an answer too short' : `${failed.error} ${failed.details ?? ''}`.trim();
    return { kind: 'refused', message: `${this.#options.title} refused the change: ${words}` };
  }

  close(): void {
    this.#end('closed by us');
  }

  #take(chunk: Uint8Array): void {
    this.#isProbing = false;
    this.#probe.cancel();
    this.#probe = this.#schedule();
    try {
      for (const message of this.#frames.push(chunk)) this.#read(message);
    } catch (error) {
      this.#end(`it does not speak OVSDB: ${error instanceof Error ? error.message : 'unreadable'}`);
    }
  }

  #read(message: unknown): void {
    if (!isObject(message)) return;
    const { id, method, params, result, error } = message;
    if (typeof method === 'string') {
      // A server that gets no echo takes the line for dead and closes it.
      if (method === 'echo') this.#send({ id, result: params, error: null });
      else this.#told?.(method, Array.isArray(params) ? params : []);
      return;
    }
    const leave = typeof id === 'number' ? this.#waiting.get(id) : undefined;
    if (error === null || error === undefined) leave?.(done(result));
    else leave?.({ kind: 'refused', message: `${this.#options.title} answered with ${errorWords(error)}` });
  }

  #send(message: unknown): void {
    if (this.isOpen) this.#socket.write(JSON.stringify(message));
  }

  #schedule(): Timer {
    return this.#options.clock.after(this.#options.probeMs, () => {
      if (this.#isProbing) return this.#end(`no answer for ${2 * this.#options.probeMs} ms`);
      this.#isProbing = true;
      this.#send({ id: 'probe', method: 'echo', params: [] });
      this.#probe = this.#schedule();
    });
  }

  #gone(why: string): SwitchFailure {
    if (this.#isRefused) return { kind: 'denied', message: `${this.#options.title} refused our certificate: ${why}` };
    return { kind: 'unreachable', message: `the line to ${this.#options.title} was lost: ${why}` };
  }

  #end(why: string): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#probe.cancel();
    this.#socket.destroy();
    for (const leave of [...this.#waiting.values()]) leave(this.#gone(why));
    for (const listener of this.#ended) listener(why);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function errorWords(error: unknown): string {
  if (typeof error === 'string') return error;
  return isObject(error) ? `${error.error ?? ''} ${error.details ?? ''}`.trim() : JSON.stringify(error);
}
