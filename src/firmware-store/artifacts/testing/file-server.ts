import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/** For tests: a file server that can be told to misbehave. */
export interface FileServer {
  readonly origin: string;
  /** Everything that was asked, with the headers that count. */
  readonly requests: { readonly url: string; readonly range?: string; readonly authorization?: string }[];
  put(path: string, body: Buffer): string;
  /** Answers the next request to anything in another way; `true` when it did. */
  misbehave(way: (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>): void;
}

/** For tests: starts a file server that ends with its test. It knows ranges and strong tags. */
export async function startFileServer(context: TestContext): Promise<FileServer> {
  const files = new Map<string, Buffer>();
  const requests: FileServer['requests'] = [];
  let misbehave: Parameters<FileServer['misbehave']>[0] | undefined;
  const server = createServer(async (request, response) => {
    const { url = '', headers } = request;
    const { range, authorization } = headers;
    requests.push({
      url,
      ...(range === undefined ? {} : { range }),
      ...(authorization === undefined ? {} : { authorization }),
    });
    const way = misbehave;
    misbehave = undefined;
    if (way !== undefined && (await way(request, response))) return;
    answer(files.get(url), request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    requests,
    put(path, body) {
      files.set(path, body);
      return `${origin}${path}`;
    },
    misbehave: (way) => {
      misbehave = way;
    },
  };
}

/** For tests: the SHA-256 of something. */
export function sha256Of(body: Buffer): string {
  return createHash('sha256').update(body).digest('hex');
}

function answer(file: Buffer | undefined, request: IncomingMessage, response: ServerResponse): void {
  if (file === undefined) {
    response.writeHead(404).end();
    return;
  }
  const etag = `"${sha256Of(file).slice(0, 16)}"`;
  const [, from] = /^bytes=(\d+)-$/.exec(request.headers.range ?? '') ?? [];
  const isSame = request.headers['if-range'] === etag;
  if (from === undefined || !isSame) {
    response.writeHead(200, { etag, 'content-length': file.length }).end(file);
    return;
  }
  const rest = file.subarray(Number(from));
  const range = `bytes ${from}-${file.length - 1}/${file.length}`;
  response.writeHead(206, { etag, 'content-range': range, 'content-length': rest.length }).end(rest);
}
