import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { BmcError } from '../errors.ts';
import type { ImageFile } from '../firmware-update.ts';
import type { StreamBody } from '../gate/gate.ts';

const chunkBytes = 256 * 1024;

/** An image whose size and digest were found right. */
export interface OpenedImage {
  readonly path: string;
  /** The name to send it under: letters, digits, dots and dashes only. */
  readonly name: string;
  readonly sizeBytes: number;
  readonly digest: ImageFile['digest'];
}

/** A body with an image in it, and what was wrong with the file while it was sent. */
export interface ImageBody extends StreamBody {
  /** Set once a stream ended early because the file was not any more what it had been; the body never was complete. */
  readonly fault: BmcError | undefined;
}

/**
 * Reads the whole image and compares it with its digest before anything is sent. Throws BmcError `badImage`. The digest
 * is computed again while the image is sent, see imageBody.
 */
export async function openImage(
  file: ImageFile,
  limits: { readonly maxBytes?: number | undefined } = {},
): Promise<OpenedImage> {
  const handle = await openFile(file.path);
  try {
    const sizeBytes = await sizeOf(handle, file.path);
    if (limits.maxBytes !== undefined && sizeBytes > limits.maxBytes) {
      throw bad(file.path, `it has ${sizeBytes} bytes and the BMC takes at most ${limits.maxBytes}`);
    }
    const hash = createHash(file.digest.algorithm);
    for await (const chunk of chunksOf(handle, file.path)) hash.update(chunk);
    const digest = hash.digest('hex');
    if (digest !== file.digest.hex.trim().toLowerCase()) {
      const { algorithm, hex } = file.digest;
      throw bad(file.path, `its ${algorithm} is ${digest} and not ${hex}: fetch it again`);
    }
    return { path: file.path, name: sendableName(file.path), sizeBytes, digest: { ...file.digest, hex: digest } };
  } finally {
    await handle.close();
  }
}

/**
 * A streamed body: head, image, tail. The last piece of the image is held back until the digest of all of it was found
 * right, so that a file that changed since it was opened never arrives whole.
 */
export function imageBody(
  image: OpenedImage,
  frame: {
    readonly contentType: string;
    readonly head?: string;
    readonly tail?: string;
    /** Called before the last piece of the image leaves: until then the BMC cannot have all of it. */
    readonly onWhole?: (() => Promise<void>) | undefined;
  },
): ImageBody {
  const head = Buffer.from(frame.head ?? '');
  const tail = Buffer.from(frame.tail ?? '');
  let fault: BmcError | undefined;
  const note = (error: unknown): BmcError => {
    fault = error instanceof BmcError ? error : bad(image.path, 'it cannot be read', error);
    return fault;
  };
  const wholeAt = head.length + image.sizeBytes;
  const { onWhole = async () => {} } = frame;
  return {
    contentType: frame.contentType,
    lengthBytes: wholeAt + tail.length,
    open: () =>
      Readable.from(announced(framed({ image, head, tail, note }), { wholeAt, onWhole }), { objectMode: false }),
    get fault() {
      return fault;
    },
  };
}

interface Framed {
  readonly image: OpenedImage;
  readonly head: Buffer;
  readonly tail: Buffer;
  readonly note: (error: unknown) => BmcError;
}

async function* framed({ image, head, tail, note }: Framed): AsyncGenerator<Buffer> {
  try {
    if (head.length > 0) yield head;
    yield* checkedImage(image);
    if (tail.length > 0) yield tail;
  } catch (error) {
    throw note(error);
  }
}

/** What goes wrong with the announcement is no fault of the image. */
async function* announced(
  pieces: AsyncIterable<Buffer>,
  { wholeAt, onWhole }: { readonly wholeAt: number; readonly onWhole: () => Promise<void> },
): AsyncGenerator<Buffer> {
  let sent = 0;
  for await (const piece of pieces) {
    const before = sent;
    sent += piece.length;
    if (before < wholeAt && sent >= wholeAt) await onWhole();
    yield piece;
  }
}

async function* checkedImage(image: OpenedImage): AsyncGenerator<Buffer> {
  const handle = await openFile(image.path);
  try {
    if ((await sizeOf(handle, image.path)) !== image.sizeBytes) throw changed(image);
    const hash = createHash(image.digest.algorithm);
    let sent = 0;
    let held: Buffer | undefined;
    for await (const chunk of chunksOf(handle, image.path)) {
      hash.update(chunk);
      sent += chunk.length;
      if (sent > image.sizeBytes) throw changed(image);
      if (held !== undefined) yield held;
      held = chunk;
    }
    if (sent !== image.sizeBytes || hash.digest('hex') !== image.digest.hex) throw changed(image);
    if (held !== undefined) yield held;
  } finally {
    await handle.close();
  }
}

async function* chunksOf(handle: FileHandle, path: string): AsyncGenerator<Buffer> {
  for (;;) {
    // A fresh buffer each time: the one before may still be on its way to the socket.
    const { bytesRead, buffer } = await readChunk(handle, path);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

async function readChunk(handle: FileHandle, path: string): Promise<{ bytesRead: number; buffer: Buffer }> {
  try {
    return await handle.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes);
  } catch (error) {
    throw bad(path, 'it cannot be read', error);
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    throw bad(path, 'it cannot be opened: download it again', error);
  }
}

async function sizeOf(handle: FileHandle, path: string): Promise<number> {
  const stat = await handle.stat();
  if (!stat.isFile()) throw bad(path, 'it is not a file');
  if (stat.size === 0) throw bad(path, 'it is empty');
  return stat.size;
}

function sendableName(path: string): string {
  return basename(path).replaceAll(/[^\w.+-]/g, '_') || 'firmware.bin';
}

function changed(image: OpenedImage): BmcError {
  return bad(image.path, 'it changed after it was checked; nothing of it was installed');
}

function bad(path: string, detail: string, cause?: unknown): BmcError {
  return new BmcError('badImage', { path, detail }, cause === undefined ? {} : { cause });
}
