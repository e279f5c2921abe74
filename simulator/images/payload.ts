import { createRandomWords } from '../time/random.ts';
import type { ImageHeader } from './image-header.ts';

const blockBytes = 64 * 1024;

/** What an image's payload depends on. */
export type PayloadOrder = Pick<ImageHeader, 'vendor' | 'softwareId' | 'component' | 'version' | 'payloadBytes'>;

/** The payload of an image: noise that follows from the header, so that nobody has to keep it. */
export interface Payload {
  /** In pieces that whoever gets them may keep. */
  pieces(): Generator<Buffer>;
  /** In pieces that are one buffer, written over with each: for whoever is done with one before taking the next. */
  passingPieces(): Generator<Buffer>;
}

/**
 * Draws a payload. One block of noise is repeated with its number written over its start, because drawing every byte would
 * cost more than hashing it.
 */
export function drawPayload(order: PayloadOrder): Payload {
  const block = drawBlock(order);
  function* passingPieces(): Generator<Buffer> {
    const piece = Buffer.from(block);
    for (let sent = 0, number = 0; sent < order.payloadBytes; number++) {
      const length = Math.min(blockBytes, order.payloadBytes - sent);
      if (length >= 4) piece.writeUInt32LE(number, 0);
      sent += length;
      yield piece.subarray(0, length);
    }
  }
  function* pieces(): Generator<Buffer> {
    for (const piece of passingPieces()) yield Buffer.from(piece);
  }
  return { pieces, passingPieces };
}

function drawBlock({ vendor, softwareId, component, version, payloadBytes }: PayloadOrder): Buffer {
  const words = createRandomWords(0, vendor, softwareId, component, version);
  const block = new DataView(new ArrayBuffer(blockBytes));
  const drawn = Math.min(blockBytes, Math.ceil(payloadBytes / 4) * 4);
  for (let offset = 0; offset < drawn; offset += 4) block.setUint32(offset, words(), true);
  return Buffer.from(block.buffer);
}
