import { createHash } from 'node:crypto';
import { formatImageHeader, type ImageHeader } from './image-header.ts';
import { drawPayload, type PayloadOrder } from './payload.ts';

const kept = 256;

/** The digests of an image as it has to be. */
export interface ImageDigest {
  readonly payloadSha256: string;
  /** Of the whole file, header and payload. */
  readonly fileSha256: string;
}

/** Knows what the digest of an image has to be; one for a whole data centre, because every machine gets the same few images. */
export interface ImageDigests {
  of(header: ImageHeader): ImageDigest;
}

class RememberedDigests implements ImageDigests {
  readonly #digests = new Map<string, ImageDigest>();

  of(header: ImageHeader): ImageDigest {
    const bytes = formatImageHeader(header);
    const key = bytes.toString('latin1');
    const known = this.#digests.get(key);
    if (known !== undefined) return known;
    const oldest = this.#digests.keys().next().value;
    if (this.#digests.size >= kept && oldest !== undefined) this.#digests.delete(oldest);
    const digest = digestImage(header, bytes);
    this.#digests.set(key, digest);
    return digest;
  }
}

function digestImage(order: PayloadOrder, headerBytes: Buffer): ImageDigest {
  const payload = createHash('sha256');
  const file = createHash('sha256').update(headerBytes);
  for (const piece of drawPayload(order).passingPieces()) {
    payload.update(piece);
    file.update(piece);
  }
  return { payloadSha256: payload.digest('hex'), fileSha256: file.digest('hex') };
}

/** Makes a memory of image digests; the last 256 are kept. */
export function createImageDigests(): ImageDigests {
  return new RememberedDigests();
}
