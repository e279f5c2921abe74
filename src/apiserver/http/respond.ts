import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzip } from 'node:zlib';
import { type WrittenForm, writeForm } from '../heavy/text-task.ts';
import { drainRequest } from './linger.ts';
import type { MediaChoice } from './media.ts';

/** Bodies from this size on are compressed for clients that take gzip, as kube-apiserver does. */
const gzipFromBytes = 128 * 1024;

/** What goes out beside the JSON text. */
export interface ResponseFrame {
  readonly code: number;
  /** A text that is written already goes out as it is. */
  readonly media: Pick<MediaChoice, 'contentType' | 'pretty'> & { readonly format: MediaChoice['format'] | 'written' };
  readonly warnings: ReadonlySet<string>;
  readonly acceptsGzip: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** The request, when it is answered before all of it has arrived and its connection is closed afterwards. */
  readonly unread?: IncomingMessage | undefined;
}

/** Writes a JSON text as an answer, in the form the client asked for. */
export function respondJson(response: ServerResponse, json: string, frame: ResponseFrame): void {
  const text = formatted(json, frame.media);
  const headers: Record<string, string | number | string[]> = {
    'Cache-Control': 'no-cache, private',
    'Content-Type': frame.media.contentType,
    ...frame.headers,
  };
  if (frame.warnings.size > 0) headers.Warning = shortWarnings(frame.warnings).map(warningHeader);
  if (frame.acceptsGzip && text.length >= gzipFromBytes) {
    // Off this thread: a list of megabytes must not keep the others waiting.
    gzip(text, { level: 1 }, (error, packed) => {
      if (error !== null || response.destroyed) {
        response.destroy();
        return;
      }
      headers['Content-Encoding'] = 'gzip';
      headers.Vary ??= 'Accept-Encoding';
      headers['Content-Length'] = packed.length;
      send(response.writeHead(frame.code, headers), packed, frame.unread);
    });
    return;
  }
  headers['Content-Length'] = Buffer.byteLength(text);
  // Node would write headers in the encoding of a text that goes out with them, and warnings are bytes already.
  const body = frame.warnings.size > 0 ? Buffer.from(text) : text;
  send(response.writeHead(frame.code, headers), body, frame.unread);
}

function send(response: ServerResponse, body: string | Buffer, unread: IncomingMessage | undefined): void {
  if (unread === undefined) {
    response.end(body);
    return;
  }
  response.write(body);
  drainRequest(unread, () => response.end());
}

/** Whether an Accept-Encoding header names gzip, by itself and without a weight, as kube-apiserver reads it. */
export function acceptsGzip(request: IncomingMessage): boolean {
  const header = String(request.headers['accept-encoding'] ?? '');
  return header.split(',').some((token) => token.trim() === 'gzip');
}

function formatted(json: string, media: ResponseFrame['media']): string {
  if (media.format === 'written') return json;
  const form = writtenForm(media);
  return form === undefined ? `${json}\n` : writeForm(json, form);
}

/** The form that a JSON text has to be written in first; undefined when it goes out as it is. */
export function writtenForm({ format, pretty }: ResponseFrame['media']): WrittenForm | undefined {
  if (format === 'yaml') return 'yaml';
  return format === 'json' && pretty ? 'pretty' : undefined;
}

/** Past so many characters in all, warnings are cut, and the rest of them is left out, as kube-apiserver does. */
const maxWarningsLength = 4096;
const cutWarningLength = 256;

function shortWarnings(warnings: ReadonlySet<string>): string[] {
  const total = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + text.length, 0);
  const short: string[] = [];
  for (const text of warnings) {
    short.push(text);
    if (total(short) > maxWarningsLength) break;
  }
  if (total(short) <= maxWarningsLength) return short;
  const cut: string[] = [];
  for (const text of warnings) {
    if (total(cut) >= maxWarningsLength) break;
    cut.push(text.slice(0, cutWarningLength));
  }
  return cut;
}

function warningHeader(text: string): string {
  // Node writes each character of a header as one byte: these are the bytes of UTF-8. Control characters it refuses.
  const bytes = Buffer.from(text.replace(/\p{Cc}/gu, '?')).toString('latin1');
  const safe = bytes.replace(/["\\]/g, '\\$&');
  return `299 - "${safe}"`;
}

/** Writes a plain text answer. */
export function respondText(
  response: ServerResponse,
  code: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(code, {
    'Cache-Control': 'no-cache, private',
    'Content-Type': 'text/plain; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
    'Content-Length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}
