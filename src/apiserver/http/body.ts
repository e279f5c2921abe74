import type { IncomingMessage } from 'node:http';
import { tooLarge } from '../status.ts';

/** The largest body the server takes, as kube-apiserver: 3 MiB. */
export const maxBodyBytes = 3 * 1024 * 1024;

/** Thrown when the client goes away before its body is complete; there is nobody to answer. */
export class TruncatedBody extends Error {
  override readonly name = 'TruncatedBody';
}

/** What a body passes on its way in. */
export interface BodyDoor {
  /** Told of every piece; throws what the request is refused with. */
  take(bytes: number): void;
  /** Asked once all of it is there; settles when the request may be worked on, undefined: at once. */
  enter(): Promise<void> | undefined;
}

const remembered = Symbol('the body of a request that was read');
const passed = Symbol('the door that the body of a request passes');

/** Keeps what was read with the request itself, for as long as that is worked on. */
interface ReadRequest extends IncomingMessage {
  [remembered]?: Promise<Buffer>;
  [passed]?: BodyDoor;
}

/** Has the body of a request pass a door when it is read: whoever sends slowly waits at nobody's expense. */
export function passBodyThrough(request: IncomingMessage, door: BodyDoor): void {
  const kept: ReadRequest = request;
  kept[passed] = door;
}

/** Reads the body of a request; asked again, for a request that is done over, it answers the same. */
export function readBody(request: IncomingMessage, limit: number = maxBodyBytes): Promise<Buffer> {
  const kept: ReadRequest = request;
  kept[remembered] ??= readOnce(request, limit, kept[passed]);
  return kept[remembered];
}

/**
 * Reads a whole body, refusing one past the limit without buffering the rest. A Content-Encoding is ignored, as
 * kube-apiserver does: nothing that is sent can unfold into more than it is.
 */
async function readOnce(request: IncomingMessage, limit: number, door: BodyDoor | undefined): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limit) throw tooLarge(`Request entity too large: limit is ${limit}`);
  const chunks = await readChunks(request, limit, door);
  const turn = door?.enter();
  if (turn !== undefined) await turn;
  const first = chunks[0];
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
}

function readChunks(request: IncomingMessage, limit: number, door: BodyDoor | undefined): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new TruncatedBody('the client closed the connection inside its request body'));
    // A client that went away while it was being authenticated will say nothing more.
    if (request.destroyed && !request.complete) giveUp();
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limit) throw tooLarge(`Request entity too large: limit is ${limit}`);
      door?.take(chunk.length);
      chunks.push(chunk);
    };
    request.on('data', (chunk: Buffer) => {
      try {
        take(chunk);
      } catch (error) {
        request.removeAllListeners('data');
        request.resume();
        reject(error);
      }
    });
    request.on('end', () => resolve(chunks));
    request.on('close', () => {
      if (!request.complete) giveUp();
    });
    request.on('error', giveUp);
  });
}
