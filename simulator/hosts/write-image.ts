import { createHash } from 'node:crypto';
import { refusalToReach } from '../loopback/loopback-address.ts';
import type { ImageOrder } from './image-order.ts';

/** What is on a host's disk. */
export interface DiskContent {
  readonly url: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly hasConfigDrive: boolean;
}

const hashNames: Readonly<Record<string, string>> = { md5: 'md5', sha256: 'sha256', sha512: 'sha512' };

/** Downloads an image for real and checks it; only its digest is kept. Throws with what is wrong. */
export async function writeImage(order: ImageOrder, signal: AbortSignal): Promise<DiskContent> {
  const algorithm = hashNames[order.hashAlgorithm ?? 'sha256'];
  if (algorithm === undefined) throw new Error(`hash algorithm ${order.hashAlgorithm} is not known`);
  const refusal = URL.canParse(order.url) ? await refusalToReach(new URL(order.url)) : undefined;
  if (refusal !== undefined) throw new Error(`downloading ${order.url} failed: ${refusal}`);
  const answer = await fetch(order.url, { signal, redirect: 'error' });
  if (!answer.ok || answer.body === null) throw new Error(`downloading ${order.url} failed with ${answer.status}`);
  const wanted = createHash(algorithm);
  const sha256 = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of answer.body) {
    wanted.update(chunk);
    sha256.update(chunk);
    sizeBytes += chunk.length;
  }
  const seen = wanted.digest('hex');
  if (order.hashValue !== undefined && seen !== order.hashValue.toLowerCase()) {
    throw new Error(`${order.url} has ${algorithm} ${seen}, not ${order.hashValue}`);
  }
  return { url: order.url, sizeBytes, sha256: sha256.digest('hex'), hasConfigDrive: order.hasConfigDrive };
}
