import { existsSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type ConsoleFile, readConsoleFiles } from './console-files.ts';

/** What stands before the pages of the console. */
export interface ConsoleFront {
  /** Answers a request below `/console`; false when it is none. */
  handle(request: IncomingMessage, response: ServerResponse): boolean;
  /** Who answers below `/console/rest`; nobody does until the services run. */
  setRest(handle: RequestListener): void;
}

const below = '/console';
const restBelow = `${below}/rest/`;

/** Nothing but what comes from here, and nobody puts it in a frame. */
const safety = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

type Pages = ReadonlyMap<string, ConsoleFile>;

/** Makes the front of the built pages in a folder. They are read when a browser first asks, and kept. */
export function createConsoleFront(folder: string): ConsoleFront {
  let pages: Pages | undefined;
  let rest: RequestListener | undefined;
  // Set-up may build them while this process runs.
  const read = (): Pages | undefined => (existsSync(join(folder, 'index.html')) ? readConsoleFiles(folder) : undefined);
  return {
    handle(request, response) {
      const path = (request.url ?? '').split('?', 1)[0] ?? '';
      if (path === below) {
        response.writeHead(308, { Location: `${below}/`, 'Content-Length': 0 }).end();
        return true;
      }
      if (path.startsWith(restBelow)) {
        answerRest(rest, request, response);
        return true;
      }
      if (!path.startsWith(`${below}/`)) return false;
      pages ??= read();
      answerPage(pages, request, response, path.slice(below.length + 1));
      return true;
    },
    setRest(handle) {
      rest = handle;
    },
  };
}

function answerRest(rest: RequestListener | undefined, request: IncomingMessage, response: ServerResponse): void {
  if (rest === undefined) {
    sendText(response, 503, '{"message":"the REST services are being started"}', 'application/json');
    return;
  }
  // Only what proves who asks goes on, as it came: nothing of ours is added.
  request.url = (request.url ?? '').slice(restBelow.length - 1);
  rest(request, response as Parameters<RequestListener>[1]);
}

function answerPage(pages: Pages | undefined, request: IncomingMessage, response: ServerResponse, name: string): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    sendText(response, 405, 'only GET and HEAD', 'text/plain', { Allow: 'GET, HEAD' });
    return;
  }
  if (pages === undefined) {
    const text =
      'The console of this package is not built. "npm run setup" in its folder builds it; then reload this page.\n';
    sendText(response, 503, text, 'text/plain; charset=utf-8');
    return;
  }
  // The addresses of pages are made in the browser: all of them are one file here.
  const file = pages.get(name) ?? (/\.\w+$|\.\./.test(name) ? undefined : pages.get('index.html'));
  if (file === undefined) sendText(response, 404, 'there is no such file', 'text/plain');
  else sendFile(request, response, file);
}

function sendFile(request: IncomingMessage, response: ServerResponse, file: ConsoleFile): void {
  const common = {
    ...safety,
    ETag: file.etag,
    'Cache-Control': file.isFixed ? 'public, max-age=31536000, immutable' : 'no-cache',
    Vary: 'Accept-Encoding',
  };
  if (request.headers['if-none-match'] === file.etag) {
    response.writeHead(304, common).end();
    return;
  }
  const isPacked = file.packed !== undefined && /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  const bytes = isPacked && file.packed !== undefined ? file.packed : file.bytes;
  response.writeHead(200, {
    ...common,
    'Content-Type': file.contentType,
    'Content-Length': bytes.length,
    ...(isPacked ? { 'Content-Encoding': 'gzip' } : {}),
  });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

function sendText(
  response: ServerResponse,
  code: number,
  text: string,
  contentType: string,
  more: Readonly<Record<string, string>> = {},
): void {
  response
    .writeHead(code, {
      ...safety,
      'Cache-Control': 'no-store',
      'Content-Type': contentType,
      'Content-Length': Buffer.byteLength(text),
      ...more,
    })
    .end(text);
}
