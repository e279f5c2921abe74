import type { IncomingMessage } from 'node:http';
import { tooLarge } from '../status.ts';

/** The largest body the server takes, as kube-apiserver: 3 MiB. */
export const maxBodyBytes = 3 * 1024 * 1024;

/** Thrown when the client goes away before its body is complete; there is nobody to answer. */
export class TruncatedBody extends Error {
  override readonly name = 'TruncatedBody';
}

const remembered = Symbol('the body of a request that was read');

/** Keeps what was read with the request itself, for as long as that is worked on. */
interface ReadRequest extends IncomingMessage {
  [remembered]?: Promise<Buffer>;
}

/** Reads the body of a request; asked again, for a request that is done over, it answers the same. */
export function readBody(request: IncomingMessage, limit: number = maxBodyBytes): Promise<Buffer> {
  const kept: ReadRequest = request;
  kept[remembered] ??= readOnce(request, limit);
  return kept[remembered];
}

/**
 * Reads a whole body, refusing one past the limit without buffering the rest. A Content-Encoding is ignored, as
 * kube-apiserver does: nothing that is sent can unfold into more than it is.
 */
async function readOnce(request: IncomingMessage, limit: number): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limit) throw tooLarge(`Request entity too large: limit is ${limit}`);
  const chunks = await readChunks(request, limit);
  const first = chunks[0];
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
}

function readChunks(request: IncomingMessage, limit: number): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new TruncatedBody('the client closed the connection inside its request body'));
    // A client that went away while it was being authenticated will say nothing more.
    if (request.destroyed && !request.complete) giveUp();
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) {
        request.removeAllListeners('data');
        request.resume();
        reject(tooLarge(`Request entity too large: limit is ${limit}`));
        return;
      }
      chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks));
    request.on('close', () => {
      if (!request.complete) giveUp();
    });
    request.on('error', giveUp);
  });
}
