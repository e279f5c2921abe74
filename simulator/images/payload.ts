import { createRandomWords } from '../time/random.ts';
import type { ImageHeader } from './image-header.ts';

const blockBytes = 64 * 1024;

/** What an image's payload depends on. */
export type PayloadOrder = Pick<ImageHeader, 'vendor' | 'softwareId' | 'component' | 'version' | 'payloadBytes'>;

/**
 * The payload of an image in pieces: noise that follows from the header, so that nobody has to keep it. One block of noise
 * is repeated with its number written over its start, because drawing every byte would cost more than hashing it.
 */
export function* payloadPieces(order: PayloadOrder): Generator<Buffer> {
  const words = createRandomWords(0, order.vendor, order.softwareId, order.component, order.version);
  const block = Buffer.allocUnsafe(blockBytes);
  for (let offset = 0; offset < blockBytes; offset += 4) block.writeUInt32LE(words(), offset);
  for (let sent = 0, number = 0; sent < order.payloadBytes; number++) {
    const piece = Buffer.from(block.subarray(0, Math.min(blockBytes, order.payloadBytes - sent)));
    if (piece.length >= 4) piece.writeUInt32LE(number, 0);
    sent += piece.length;
    yield piece;
  }
}
