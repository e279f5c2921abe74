import { type IncomingHttpHeaders, Agent as PlainAgent, request as plainRequest } from 'node:http';
import { Agent, request as tlsRequest } from 'node:https';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { HostileRequest } from './hostile-requests.ts';
import type { Port } from './target.ts';

/** What came of a request: a code, or 0 where the server closed the connection. */
export interface Outcome {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  /** As far as it says what went wrong. */
  readonly text: string;
  /** The server neither answered nor closed the connection in time. */
  readonly isStuck?: boolean;
}

const none: Outcome = { code: 0, headers: {}, text: '' };
/** Longer than the server itself lets any request take. */
const longestAnswerMs = 100_000;
/** Watches go on for ever: their beginning is enough. */
const longestBodyMs = 2000;
const longestRawMs = 300;
const mostText = 2000;

/** Sends requests over connections that are kept, to servers whose certificates are not looked at. */
export class Sender {
  readonly #tls = new Agent({ rejectUnauthorized: false, keepAlive: true, maxSockets: 64 });
  readonly #plain = new PlainAgent({ keepAlive: true, maxSockets: 64 });

  send({ port, isTls }: Port, hostile: HostileRequest, token: string | undefined): Promise<Outcome> {
    if (hostile.raw !== undefined) return sendRaw({ port, isTls }, hostile.raw);
    const { method, path, body } = hostile;
    return new Promise((resolve) => {
      const headers = {
        'user-agent': 'hostile/1.0',
        ...hostile.headers,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
      };
      const options = { host: '127.0.0.1', port, method, path: pathOf(path), headers };
      const request = isTls
        ? tlsRequest({ ...options, agent: this.#tls })
        : plainRequest({ ...options, agent: this.#plain });
      const timer = setTimeout(() => {
        resolve({ ...none, isStuck: true });
        request.destroy();
      }, longestAnswerMs);
      const end = (outcome: Outcome): void => {
        clearTimeout(timer);
        resolve(outcome);
      };
      // A server that refuses a body closes the connection while that is sent, after its answer.
      request.on('error', () => {
        if (!isAnswered) end(none);
      });
      let isAnswered = false;
      request.on('close', () => {
        if (!isAnswered) end(none);
      });
      request.on('response', (response) => {
        isAnswered = true;
        let text = '';
        const cut = setTimeout(() => response.destroy(), longestBodyMs);
        response.on('data', (chunk: Buffer) => {
          if (text.length < mostText) text += chunk.toString();
        });
        response.on('error', () => undefined);
        response.on('close', () => {
          clearTimeout(cut);
          end({ code: response.statusCode ?? 0, headers: response.headers, text });
        });
      });
      request.end(body);
    });
  }

  close(): void {
    this.#tls.destroy();
    this.#plain.destroy();
  }
}

/** Node's client refuses paths that the server is to refuse. */
function pathOf(path: string): string {
  return path.replaceAll(/[^\x21-\xff]/g, (character) => encodeURIComponent(character.toWellFormed())) || '/';
}

/** Sends bytes, and reads the first line of what comes back. */
function sendRaw({ port, isTls }: Pick<Port, 'port' | 'isTls'>, bytes: string): Promise<Outcome> {
  return new Promise((resolve) => {
    const where = { host: '127.0.0.1', port };
    const socket = isTls ? connectTls({ ...where, rejectUnauthorized: false }) : connect(where);
    let text = '';
    const timer = setTimeout(() => socket.destroy(), longestRawMs);
    socket.on(isTls ? 'secureConnect' : 'connect', () => socket.write(bytes, 'latin1'));
    socket.on('data', (chunk) => {
      if (text.length < mostText) text += chunk.toString();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve({ code: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), headers: {}, text });
    });
  });
}
