import { connect, type TLSSocket } from 'node:tls';

/** What one answer was, as far as a load generator needs to know. */
export interface Reply {
  readonly status: number;
  readonly body: Buffer;
}

/** Where to connect and as whom. */
export interface Endpoint {
  readonly port: number;
  readonly caPem: string;
  readonly token: string;
}

const headEnd = Buffer.from('\r\n\r\n');

/**
 * One kept TLS connection that carries one request at a time, written by hand so that the client costs little and
 * costs the same for every server measured.
 */
export class HttpConnection {
  readonly #socket: TLSSocket;
  readonly #endpoint: Endpoint;
  #pending: Buffer[] = [];
  #length = 0;
  #onReply: ((reply: Reply) => void) | undefined;
  #onFail: ((error: Error) => void) | undefined;
  #onChunk: ((chunk: Buffer) => void) | undefined;

  private constructor(socket: TLSSocket, endpoint: Endpoint) {
    this.#socket = socket;
    this.#endpoint = endpoint;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#feed(chunk));
    socket.on('error', (error) => this.#onFail?.(error));
    socket.on('close', () => this.#onFail?.(new Error('the server closed the connection')));
  }

  /** Opens a connection. */
  static open(endpoint: Endpoint): Promise<HttpConnection> {
    return new Promise((done, fail) => {
      const socket = connect({
        host: '127.0.0.1',
        port: endpoint.port,
        ca: endpoint.caPem,
        ALPNProtocols: ['http/1.1'],
      });
      socket.once('error', fail);
      socket.once('secureConnect', () => {
        socket.removeListener('error', fail);
        done(new HttpConnection(socket, endpoint));
      });
    });
  }

  /** Sends a request and waits for its whole answer. */
  request(method: string, path: string, body = '', contentType = 'application/json'): Promise<Reply> {
    return new Promise((done, fail) => {
      this.#onReply = done;
      this.#onFail = fail;
      this.#socket.write(this.#message(method, path, body, contentType));
    });
  }

  /** Sends a GET whose answer never ends and hands over its bytes as they come. */
  stream(path: string, onChunk: (chunk: Buffer) => void): void {
    this.#onChunk = onChunk;
    this.#onFail = () => {};
    this.#socket.write(this.#message('GET', path, '', 'application/json'));
  }

  close(): void {
    this.#onFail = undefined;
    this.#socket.destroy();
  }

  #message(method: string, path: string, body: string, contentType: string): string {
    const head =
      `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${this.#endpoint.port}\r\nUser-Agent: bench/1.0\r\n` +
      `Accept: application/json\r\nAuthorization: Bearer ${this.#endpoint.token}\r\n`;
    if (body === '') return `${head}\r\n`;
    return `${head}Content-Type: ${contentType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  }

  #feed(chunk: Buffer): void {
    if (this.#onChunk !== undefined) {
      this.#onChunk(chunk);
      return;
    }
    this.#pending.push(chunk);
    this.#length += chunk.length;
    const reply = parseReply(this.#pending, this.#length);
    if (reply === undefined) return;
    this.#pending = [];
    this.#length = 0;
    this.#onReply?.(reply);
  }
}

/** Reads an answer once all of it is there. */
function parseReply(pending: Buffer[], length: number): Reply | undefined {
  const first = pending[0];
  if (first === undefined) return undefined;
  let all = first;
  let end = first.indexOf(headEnd);
  if (end < 0) {
    all = Buffer.concat(pending);
    end = all.indexOf(headEnd);
    if (end < 0) return undefined;
  }
  const head = all.toString('latin1', 0, end).toLowerCase();
  const status = Number(head.slice(9, 12));
  const declared = /\r\ncontent-length: *(\d+)/.exec(head)?.[1];
  if (declared !== undefined) {
    const total = end + 4 + Number(declared);
    if (length < total) return undefined;
    const whole = pending.length === 1 ? first : Buffer.concat(pending);
    return { status, body: whole.subarray(end + 4, total) };
  }
  if (!head.includes('transfer-encoding: chunked')) return { status, body: Buffer.alloc(0) };
  const last = pending.at(-1);
  // The end of a chunked body is looked for only when the last bytes can be it.
  if (last === undefined || (last.length >= 5 && last.toString('latin1', last.length - 5) !== '0\r\n\r\n'))
    return undefined;
  const body = unchunk(Buffer.concat(pending), end + 4);
  return body === undefined ? undefined : { status, body };
}

function unchunk(all: Buffer, from: number): Buffer | undefined {
  const parts: Buffer[] = [];
  let at = from;
  while (true) {
    const lineEnd = all.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(all.toString('latin1', at, lineEnd), 16);
    if (size === 0) return Buffer.concat(parts);
    const next = lineEnd + 2 + size + 2;
    if (next > all.length) return undefined;
    parts.push(all.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = next;
  }
}
