import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { type Logger, silentLogger } from '../../telemetry/index.ts';
import { isStoreError } from '../errors.ts';
import type { FirmwareStore, StoredImage } from '../store.ts';
import { readRange } from './http-range.ts';

/** Where images are served: the SHA-256 says which; the name behind it is for those who judge files by names. */
const route = /^\/v1\/images\/([0-9a-f]{64})(?:\/[^/]*)?$/i;

/**
 * Serves the images of a store to whoever knows their SHA-256: GET and HEAD, with ranges, so that a BMC that was cut off
 * goes on. An image never changes under its address, and its tag is its hash.
 */
export function imageHandler(
  store: Pick<FirmwareStore, 'find' | 'open'>,
  logger: Logger = silentLogger,
): RequestListener {
  return (request, response) => {
    answer(store, request, response).catch((error: unknown) => {
      // Those who hang up are no fault of ours.
      if (response.headersSent || response.destroyed) {
        response.destroy();
        return;
      }
      const status = isStoreError(error) ? error.status : 500;
      if (status >= 500) logger.warn('an image could not be served', { error });
      refuse(response, status, isStoreError(error) ? error.message : 'the image cannot be read now');
    });
  };
}

async function answer(
  store: Pick<FirmwareStore, 'find' | 'open'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const sha256 = route.exec((request.url ?? '').split('?')[0] ?? '')?.[1]?.toLowerCase();
  if (sha256 === undefined) return refuse(response, 404, 'images are at /v1/images/<sha256>');
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    return refuse(response, 405, 'images can only be read');
  }
  const image = await store.find(sha256);
  if (image === undefined) return refuse(response, 404, `there is no image ${sha256}`);
  await send(store, image, { request, response });
}

async function send(
  store: Pick<FirmwareStore, 'open'>,
  image: StoredImage,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
): Promise<void> {
  const { headers, method } = request;
  const etag = `"${image.sha256}"`;
  describe(response, image, etag);
  if (isAmong(etag, headers['if-none-match'])) {
    response.writeHead(304).end();
    return;
  }
  const mayBePart = method === 'GET' && (headers['if-range'] === undefined || headers['if-range'] === etag);
  const asked = readRange(mayBePart ? headers.range : undefined, image.sizeBytes);
  if (asked.kind === 'none') {
    response.setHeader('content-range', `bytes */${image.sizeBytes}`);
    return refuse(response, 416, 'the image has no such range');
  }
  const range = asked.kind === 'part' ? asked.range : { first: 0, last: image.sizeBytes - 1 };
  response.setHeader('content-length', range.last - range.first + 1);
  if (asked.kind === 'part') {
    response.setHeader('content-range', `bytes ${range.first}-${range.last}/${image.sizeBytes}`);
  }
  const status = asked.kind === 'part' ? 206 : 200;
  if (method === 'HEAD') {
    response.writeHead(status).end();
    return;
  }
  const { body } = await store.open(image.sha256, asked.kind === 'part' ? range : undefined);
  response.writeHead(status);
  await pipeline(body, response);
}

function describe(response: ServerResponse, { sha256, fileName }: StoredImage, etag: string): void {
  const digest = Buffer.from(sha256, 'hex').toString('base64');
  const headers = {
    etag,
    'accept-ranges': 'bytes',
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="${fileName}"`,
    'cache-control': 'public, max-age=31536000, immutable',
    'repr-digest': `sha-256=:${digest}:`,
    'x-content-type-options': 'nosniff',
  };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

function isAmong(etag: string, header: string | undefined): boolean {
  if (header === undefined) return false;
  return header.trim() === '*' || header.split(',').some((each) => each.trim().replace(/^W\//, '') === etag);
}

function refuse(response: ServerResponse, status: number, message: string): void {
  for (const name of ['etag', 'content-length', 'content-disposition', 'repr-digest']) response.removeHeader(name);
  response.writeHead(status, { 'content-type': 'text/plain', 'cache-control': 'no-store' }).end(`${message}\n`);
}
