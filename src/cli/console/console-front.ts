import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type ConsoleFile, readConsoleFiles } from './console-files.ts';

/** What stands before the pages of the console. */
export interface ConsoleFront {
  /** Answers a request below `/console`; false when it is none. */
  handle(request: IncomingMessage, response: ServerResponse): boolean;
  /** Who answers below `/console/rest`; nobody does until the services run. */
  setRest(handle: RequestListener): void;
  close(): Promise<void>;
}

/** How the front gets its pages. */
export interface ConsoleFrontParts {
  /** Gives the folder of the built pages; asked when somebody first wants to see them, and again after it failed. */
  build(signal: AbortSignal): Promise<string>;
  /** Told why there are no pages. */
  onFault(message: string): void;
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

type Pages =
  | { readonly kind: 'none' }
  | { readonly kind: 'building' }
  | { readonly kind: 'ready'; readonly files: ReadonlyMap<string, ConsoleFile> }
  | { readonly kind: 'failed'; readonly why: string };

/** Makes the front. Pages are built when they are first asked for: whoever never looks at the console pays nothing. */
export function createConsoleFront(parts: ConsoleFrontParts): ConsoleFront {
  const ending = new AbortController();
  let pages: Pages = { kind: 'none' };
  let building: Promise<void> = Promise.resolve();
  let rest: RequestListener | undefined;
  const build = async (): Promise<void> => {
    try {
      pages = { kind: 'ready', files: readConsoleFiles(await parts.build(ending.signal)) };
    } catch (error) {
      if (ending.signal.aborted) return;
      const why = error instanceof Error ? error.message : String(error);
      pages = { kind: 'failed', why };
      parts.onFault(`the console could not be built: ${why}`);
    }
  };
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
      if (pages.kind === 'none') {
        pages = { kind: 'building' };
        building = build();
      }
      answerPage(pages, request, response, path.slice(below.length + 1));
      // Whoever reloads has perhaps mended it.
      if (pages.kind === 'failed') pages = { kind: 'none' };
      return true;
    },
    setRest(handle) {
      rest = handle;
    },
    async close() {
      ending.abort();
      await building;
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

function answerPage(pages: Pages, request: IncomingMessage, response: ServerResponse, name: string): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    sendText(response, 405, 'only GET and HEAD', 'text/plain', { Allow: 'GET, HEAD' });
    return;
  }
  if (pages.kind === 'ready') {
    // The addresses of pages are made in the browser: all of them are one file here.
    const file = pages.files.get(name) ?? (/\.\w+$|\.\./.test(name) ? undefined : pages.files.get('index.html'));
    if (file === undefined) sendText(response, 404, 'there is no such file', 'text/plain');
    else sendFile(request, response, file);
    return;
  }
  if (pages.kind === 'failed') {
    const text = `The console could not be built: ${pages.why}\n\nThe rest works without it. "npm run setup" installs what building it needs; reload to try again.\n`;
    sendText(response, 503, text, 'text/plain; charset=utf-8');
    return;
  }
  const page =
    '<!doctype html><html lang="en"><title>Rackwright</title><meta http-equiv="refresh" content="1"><p>The console is being built, once for this version. It takes some seconds.</p></html>';
  sendText(response, 200, page, 'text/html; charset=utf-8', { 'Retry-After': '1', 'X-Console': 'building' });
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
