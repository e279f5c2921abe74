import { PassThrough, type Readable } from 'node:stream';
import { Client, type Dispatcher } from 'undici';
import type { Clock, Timer } from '../../kube/index.ts';
import { type Connector, createConnector } from './connector.ts';
import { Exchange, type HttpAnswer, type HttpRequest } from './exchange.ts';
import { HttpFailure, toHttpFailure } from './http-failure.ts';
import type { Trust, TrustStore } from './trust.ts';

/** How to reach one BMC. */
export interface TransportOptions {
  /** Without brackets, with zone: `fe80::1%eth0`. */
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  readonly trust: Trust;
  readonly trustStore: TrustStore;
  readonly clock: Clock;
  readonly connectMs: number;
  /** How long a connection without requests is kept. */
  readonly keepAliveMs: number;
  readonly maxAnswerBytes: number;
  /** How long a stream may bring nothing. */
  readonly streamIdleMs: number;
}

/** HTTP to one BMC: as many connections as requests run at once, which is one unless the gate is set otherwise. */
export interface Transport {
  /** Sends it at once. Rejects with HttpFailure. */
  send(request: HttpRequest): Promise<HttpAnswer>;
  /** Opens an answer that does not end, on a connection of its own. */
  stream(request: HttpRequest): Promise<StreamedAnswer>;
  /** Ends all connections; what runs on them fails. */
  close(): void;
}

/** An answer whose body is still coming. */
export interface StreamedAnswer {
  readonly status: number;
  readonly body: Readable;
}

interface Line {
  readonly client: Client;
  readonly connector: Connector;
  isBusy: boolean;
  lastUsedMs: number;
}

const maxHeaderBytes = 64 * 1024;
/** A connection that idled this long may be closed by the BMC at the very moment something is sent on it. */
const freshMs = 250;

/** Makes a transport. Nothing is connected before something is sent. */
export function createTransport(options: TransportOptions): Transport {
  const lines: Line[] = [];
  const streams = new Set<Line>();
  let isClosed = false;

  const open = (): Line => {
    const connector = createConnector(options);
    return { connector, client: openClient(options, connector), isBusy: false, lastUsedMs: 0 };
  };
  const free = (): Line => {
    for (const line of lines) if (!line.isBusy) return line;
    const line = open();
    lines.push(line);
    return line;
  };

  return {
    send(request) {
      return new Promise((resolve, reject) => {
        if (isClosed || request.signal?.aborted) {
          return reject(new HttpFailure('cancelled', 'the connection is closed', { hasBegun: false }));
        }
        const line = free();
        // What must not be sent twice does not go out on a connection that may just be ending.
        if (request.method !== 'GET' && options.clock.monotonic() - line.lastUsedMs > freshMs)
          line.connector.dropIdle();
        line.isBusy = true;
        const exchange = new Exchange(request, {
          clock: options.clock,
          maxAnswerBytes: options.maxAnswerBytes,
          abandon: line.connector.abandon,
          done(answer, failure) {
            line.isBusy = false;
            line.lastUsedMs = options.clock.monotonic();
            if (answer === undefined) reject(failure);
            else resolve(answer);
          },
        });
        try {
          dispatch(line.client, request, exchange);
        } catch (error) {
          // A header or path that HTTP does not know: a mistake of ours, not of the BMC.
          line.isBusy = false;
          exchange.drop();
          reject(error);
        }
      });
    },
    stream(request) {
      const line = open();
      streams.add(line);
      line.client.once('disconnect', () => streams.delete(line));
      return openStream(line, request, options);
    },
    close() {
      isClosed = true;
      for (const { client, connector } of [...lines.splice(0), ...streams]) {
        connector.abandon(() => new HttpFailure('cancelled', 'the connection is closed', { hasBegun: false }));
        void client.destroy(null);
      }
    },
  };
}

function openClient(options: TransportOptions, connector: Connector): Client {
  const name = options.host.split('%')[0] ?? options.host;
  const host = name.includes(':') ? `[${name}]` : name;
  return new Client(`${options.isTls ? 'https' : 'http'}://${host}:${options.port}`, {
    connect: connector.connect,
    pipelining: 1,
    keepAliveTimeout: options.keepAliveMs,
    keepAliveMaxTimeout: options.keepAliveMs,
    // Time is the caller's: see Exchange.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: maxHeaderBytes,
  });
}

function dispatch(client: Client, request: HttpRequest, handler: Dispatcher.DispatchHandler): void {
  const { method, path, headers, body, lengthBytes } = request;
  if (lengthBytes !== undefined) headers.push('content-length', String(lengthBytes));
  client.dispatch({ method, path, headers, body: body ?? null }, handler);
}

function openStream(line: Line, request: HttpRequest, options: TransportOptions): Promise<StreamedAnswer> {
  const { signal, deadlineMs } = request;
  const { clock, streamIdleMs } = options;
  return new Promise((resolve, reject) => {
    const body = new PassThrough({ highWaterMark: 64 * 1024 });
    const end = (failure: HttpFailure): void => {
      deadline.cancel();
      idle?.cancel();
      signal?.removeEventListener('abort', onAbort);
      reject(failure);
      line.connector.abandon(() => failure);
      void line.client.destroy(null);
    };
    const onAbort = (): void => {
      end(new HttpFailure('cancelled', 'the caller gave up', { hasBegun: true }));
      body.destroy();
    };
    const deadline = clock.after(deadlineMs, () => {
      end(new HttpFailure('timeout', `no answer within ${deadlineMs} ms`, { hasBegun: true }));
      body.destroy();
    });
    let idle: Timer | undefined;
    let lastDataMs = 0;
    /** A reader that does not keep up is no silence of the BMC. */
    const watch = (): void => {
      const leftMs = body.writableNeedDrain ? streamIdleMs : lastDataMs + streamIdleMs - clock.monotonic();
      // A wait shorter than the clock can tell would never end.
      if (leftMs > 0) idle = clock.after(Math.ceil(leftMs), watch);
      else body.destroy(new HttpFailure('timeout', `nothing came within ${streamIdleMs} ms`, { hasBegun: true }));
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    body.once('close', () => end(new HttpFailure('cancelled', 'the stream is closed', { hasBegun: true })));
    // A reader that listens for nothing must not end the process when the BMC goes away.
    body.on('error', () => {});
    dispatch(line.client, request, {
      onRequestStart: () => {},
      onResponseStart(_, status) {
        if (status < 200) return;
        deadline.cancel();
        lastDataMs = clock.monotonic();
        watch();
        resolve({ status, body });
      },
      onResponseData(controller, chunk) {
        lastDataMs = clock.monotonic();
        if (body.write(chunk)) return;
        controller.pause();
        body.once('drain', () => controller.resume());
      },
      onResponseEnd: () => void body.end(),
      onResponseError(_, error) {
        const failure = toHttpFailure(error, { hasBegun: true });
        reject(failure);
        body.destroy(failure);
      },
    });
  });
}
