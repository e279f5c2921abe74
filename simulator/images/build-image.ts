import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { formatImageHeader, type ImageHeader, imageHeadBytes } from './image-header.ts';
import { drawPayload } from './payload.ts';

/** What an image is for and how large its payload is. */
export type ImageOrder = Omit<ImageHeader, 'payloadSha256'>;

/** An image that is made anew each time it is read. */
export interface FirmwareImage {
  readonly header: ImageHeader;
  /** Of the whole file. */
  readonly lengthBytes: number;
  readonly sha256: string;
  /** The first 4 KiB, where the header is. */
  readonly head: Uint8Array;
  /** The whole file, piece by piece. */
  stream(): Readable;
  /** The whole file at once, for small ones. */
  bytes(): Buffer;
}

/** Makes a firmware image that the simulated BMCs accept: the same order gives the same bytes. */
export function buildImage(order: ImageOrder): FirmwareImage {
  if (formatImageHeader({ ...order, payloadSha256: '0'.repeat(64) }).length > imageHeadBytes) {
    throw new RangeError(
      `the header of image ${order.softwareId} ${order.version} is longer than ${imageHeadBytes} bytes; name fewer models`,
    );
  }
  const payload = drawPayload(order);
  const header: ImageHeader = { ...order, payloadSha256: digest(payload.passingPieces()) };
  const headerBytes = formatImageHeader(header);
  const start = [headerBytes];
  function* pieces(): Generator<Buffer> {
    yield* start;
    yield* payload.pieces();
  }
  let sha256: string | undefined;
  return {
    header,
    lengthBytes: headerBytes.length + order.payloadBytes,
    // Most are made to be sent, and hashing is most of the work.
    get sha256() {
      sha256 ??= digest(start, payload.passingPieces());
      return sha256;
    },
    head: headOf(pieces()),
    stream: () => Readable.from(pieces(), { objectMode: false }),
    bytes: () => Buffer.concat([...pieces()]),
  };
}

function digest(...parts: readonly Iterable<Buffer>[]): string {
  const hash = createHash('sha256');
  for (const pieces of parts) for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

function headOf(pieces: Iterable<Buffer>): Uint8Array {
  const head: Buffer[] = [];
  let length = 0;
  for (const piece of pieces) {
    head.push(piece);
    length += piece.length;
    if (length >= imageHeadBytes) break;
  }
  return Buffer.from(Buffer.concat(head).subarray(0, imageHeadBytes));
}
