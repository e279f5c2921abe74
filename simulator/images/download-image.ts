import { createHash } from 'node:crypto';
import { Agent, type Dispatcher, request } from 'undici';
import { refusalToReach } from '../loopback/loopback-address.ts';
import type { ImageFile } from './check-image.ts';
import { imageHeadBytes } from './image-header.ts';

/** Why an image could not be fetched; no secret is in it. */
export interface DownloadFailure {
  readonly failure: string;
}

/** Fetches an image for a BMC that was told to pull it. Never rejects. */
export type ImageDownloader = (
  uri: string,
  credentials?: { readonly username: string; readonly password: string },
) => Promise<ImageFile | DownloadFailure>;

/** How images are fetched. */
export interface HttpDownloaderOptions {
  /** A gibibyte unless given. */
  readonly maxBytes?: number;
  /** Of the whole download, in real milliseconds; a minute unless given. */
  readonly timeoutMs?: number;
  /** The file server's authority. Without it any certificate will do, as with most BMCs. */
  readonly caPem?: string;
}

const giB = 2 ** 30;

/** A downloader that really asks the file server, over HTTP or HTTPS on loopback, without following redirects. */
export function createHttpDownloader(options: HttpDownloaderOptions = {}): ImageDownloader {
  const { maxBytes = giB, timeoutMs = 60_000, caPem } = options;
  return async (uri, credentials) => {
    const address = URL.canParse(uri) ? new URL(uri) : undefined;
    if (address === undefined) return { failure: 'the image address is not a URL' };
    if (address.protocol !== 'http:' && address.protocol !== 'https:') {
      return { failure: `the protocol ${address.protocol.replace(':', '')} is not served here; use http or https` };
    }
    const refusal = await refusalToReach(address);
    if (refusal !== undefined) return { failure: refusal };
    const authority = caPem === undefined ? { rejectUnauthorized: false } : { ca: caPem };
    // One connection for one file: a BMC pulls seldom, and an idle pool a machine would cost more than it saves.
    const agent = new Agent({ connections: 1, connect: authority });
    try {
      return await fetchImage(address, { agent, credentials, maxBytes, signal: AbortSignal.timeout(timeoutMs) });
    } catch (error) {
      return { failure: `the download broke: ${nameOf(error)}` };
    } finally {
      await agent.destroy();
    }
  };
}

interface Fetch {
  readonly agent: Dispatcher;
  readonly credentials: { readonly username: string; readonly password: string } | undefined;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

async function fetchImage(address: URL, fetch: Fetch): Promise<ImageFile | DownloadFailure> {
  const authorization = authorize(address, fetch.credentials);
  const bare = new URL(address);
  bare.username = '';
  bare.password = '';
  const answer = await request(bare, {
    method: 'GET',
    dispatcher: fetch.agent,
    signal: fetch.signal,
    headers: { accept: '*/*', 'accept-encoding': 'identity', ...authorization },
  });
  if (answer.statusCode !== 200) {
    await answer.body.dump({ limit: 64 * 1024, signal: fetch.signal });
    return { failure: `the file server answered ${answer.statusCode}` };
  }
  const expected = Number(answer.headers['content-length'] ?? Number.NaN);
  const file = await readFile(answer.body, fetch.maxBytes);
  if ('failure' in file) return file;
  if (!Number.isNaN(expected) && expected !== file.sizeBytes)
    return { failure: 'the file server sent less than it announced' };
  return file;
}

async function readFile(body: AsyncIterable<Buffer>, maxBytes: number): Promise<ImageFile | DownloadFailure> {
  const hash = createHash('sha256');
  const head = Buffer.alloc(imageHeadBytes);
  let sizeBytes = 0;
  for await (const piece of body) {
    if (sizeBytes < imageHeadBytes) piece.copy(head, sizeBytes);
    sizeBytes += piece.length;
    if (sizeBytes > maxBytes) return { failure: `the file is larger than ${maxBytes} bytes` };
    hash.update(piece);
  }
  return { head: head.subarray(0, Math.min(sizeBytes, imageHeadBytes)), sizeBytes, sha256: hash.digest('hex') };
}

function authorize(address: URL, credentials: Fetch['credentials']): Record<string, string> {
  const username = credentials?.username ?? decodeURIComponent(address.username);
  const password = credentials?.password ?? decodeURIComponent(address.password);
  if (username === '') return {};
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown reason';
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' ? code : error.name;
}
