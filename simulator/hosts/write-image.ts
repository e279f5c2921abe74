import { createHash } from 'node:crypto';
import { refusalToReach } from '../loopback/loopback-address.ts';
import { algorithmOf, type ImageOrder } from './image-order.ts';
import type { NodeSeed } from './node-seed.ts';

/** What is on a host's disk. */
export interface DiskContent {
  readonly url: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly hasConfigDrive: boolean;
  /** How it joins a cluster, where it does. */
  readonly node?: NodeSeed;
}

const hashNames: Readonly<Record<string, string>> = { md5: 'md5', sha256: 'sha256', sha512: 'sha512' };

/** Downloads an image for real and checks it; only its digest is kept. Throws with what is wrong. */
export async function writeImage(order: ImageOrder, signal: AbortSignal): Promise<DiskContent> {
  const hash = await readHash(order, signal);
  const algorithm = hashNames[hash.algorithm ?? 'sha256'];
  if (algorithm === undefined) throw new Error(`hash algorithm ${hash.algorithm} is not known`);
  const body = await download(order.url, signal);
  const wanted = createHash(algorithm);
  const sha256 = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of body) {
    wanted.update(chunk);
    sha256.update(chunk);
    sizeBytes += chunk.length;
  }
  const seen = wanted.digest('hex');
  if (hash.value !== undefined && seen !== hash.value.toLowerCase()) {
    throw new Error(`${order.url} has ${algorithm} ${seen}, not ${hash.value}`);
  }
  const { url, hasConfigDrive, node } = order;
  const digest = sha256.digest('hex');
  return { url, sizeBytes, sha256: digest, hasConfigDrive, ...(node === undefined ? {} : { node }) };
}

/** Images of this place need no server: each consists of its own address. */
export const simulatedImages = 'simulator.example';

/** The content of a simulated image, or of the list with its checksum, which has `.sha256` behind; undefined elsewhere. */
function simulatedContent(url: string): string | undefined {
  if (!URL.canParse(url) || new URL(url).hostname !== simulatedImages) return undefined;
  const image = url.replace(/\.sha256$/, '');
  if (image === url) return url;
  return `${createHash('sha256').update(image).digest('hex')}  ${new URL(image).pathname.split('/').at(-1)}\n`;
}

async function* onePiece(content: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(content);
}

async function download(url: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
  const simulated = simulatedContent(url);
  if (simulated !== undefined) return onePiece(simulated);
  const refusal = URL.canParse(url) ? await refusalToReach(new URL(url)) : undefined;
  if (refusal !== undefined) throw new Error(`downloading ${url} failed: ${refusal}`);
  const answer = await fetch(url, { signal, redirect: 'error' });
  if (!answer.ok || answer.body === null) throw new Error(`downloading ${url} failed with ${answer.status}`);
  return answer.body;
}

const mostListBytes = 1024 * 1024;

/** The checksum itself, also where only the address of a list of them is given, as `sha256sum` writes it. */
async function readHash(
  { url, hashAlgorithm, hashValue }: ImageOrder,
  signal: AbortSignal,
): Promise<{ readonly algorithm: string | undefined; readonly value: string | undefined }> {
  if (hashValue === undefined || !/^https?:/.test(hashValue)) return { algorithm: hashAlgorithm, value: hashValue };
  let text = '';
  for await (const chunk of await download(hashValue, signal)) {
    text += Buffer.from(chunk).toString('latin1');
    if (text.length > mostListBytes) throw new Error(`${hashValue} is no list of checksums: it is too long`);
  }
  const file = new URL(url).pathname.split('/').at(-1) ?? '';
  const lines = text.split('\n').map((line) => line.trim().split(/\s+\*?/));
  const value = (lines.find(([, name]) => name === file) ?? (lines.length <= 2 ? lines[0] : undefined))?.[0];
  if (value === undefined || value === '') throw new Error(`${hashValue} has no checksum of ${file}`);
  return { algorithm: hashAlgorithm ?? algorithmOf(value), value };
}
