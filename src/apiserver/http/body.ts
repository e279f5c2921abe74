import type { IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { badRequest, tooLarge } from '../status.ts';

/** The largest body the server takes, as kube-apiserver: 3 MiB. */
export const maxBodyBytes = 3 * 1024 * 1024;

/** Thrown when the client goes away before its body is complete; there is nobody to answer. */
export class TruncatedBody extends Error {
  override readonly name = 'TruncatedBody';
}

/** Reads a whole body, refusing one past the limit without buffering the rest. */
export async function readBody(request: IncomingMessage, limit: number = maxBodyBytes): Promise<string> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limit) throw tooLarge(`Request entity too large: limit is ${limit}`);
  const chunks: Buffer[] = [];
  let size = 0;
  await new Promise<void>((resolve, reject) => {
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
    request.on('end', resolve);
    request.on('aborted', () => reject(new TruncatedBody('the client closed the connection inside its request body')));
    request.on('error', reject);
  });
  const first = chunks[0];
  const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
  return decodeBytes(bytes, request.headers['content-encoding'], limit);
}

function decodeBytes(bytes: Buffer, encoding: string | undefined, limit: number): string {
  if (encoding !== 'gzip') return bytes.toString('utf8');
  try {
    return gunzipSync(bytes, { maxOutputLength: limit }).toString('utf8');
  } catch (cause) {
    throw Object.assign(badRequest(`the request body is not valid gzip: ${String(cause)}`), { cause });
  }
}
