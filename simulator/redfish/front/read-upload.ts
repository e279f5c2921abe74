import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { refuse } from '../resources/errors.ts';
import type { JsonObject, RedfishAnswer, UploadedFile } from '../route.ts';
import { contentTypeOf } from './exchange.ts';
import { malformed, parseObject } from './read-body.ts';

const headBytes = 4096;
/** What boundaries, part headers and parameters may add to an image. */
const multipartRoom = 64 * 1024;

/** What came of reading an upload. */
export type UploadRead =
  | { readonly body: JsonObject; readonly upload?: UploadedFile }
  | { readonly refusal: RedfishAnswer }
  | 'too-large'
  | 'gone';

/** What an upload has to keep to. */
export interface UploadRules {
  readonly mostBytes: number | undefined;
  readonly isLengthNeeded: boolean;
}

/** What can be said about an upload before a byte of it is read. */
export function judgeUpload(
  request: IncomingMessage,
  rules: UploadRules,
): { refusal: RedfishAnswer } | 'too-large' | 'ok' {
  const length = request.headers['content-length'];
  if (length === undefined && rules.isLengthNeeded) return { refusal: lengthNeeded() };
  const room = contentTypeOf(request) === 'multipart/form-data' ? multipartRoom : 0;
  const isTooLarge = rules.mostBytes !== undefined && Number(length ?? '0') > rules.mostBytes + room;
  return isTooLarge ? 'too-large' : 'ok';
}

/** Reads an upload to its end and keeps its head and its digest only. */
export function readUpload(request: IncomingMessage, rules: UploadRules): Promise<UploadRead> {
  const isMultipart = contentTypeOf(request) === 'multipart/form-data';
  return isMultipart ? readMultipart(request, rules) : readRaw(request, rules);
}

/** Takes a file in and forgets it, except for what tells files apart. */
class FileDigest {
  readonly #hash: Hash = createHash('sha256');
  readonly #head: Buffer[] = [];
  sizeBytes = 0;

  add(chunk: Buffer): void {
    // A copy, or the few bytes would keep the whole chunk in memory.
    if (this.sizeBytes < headBytes) this.#head.push(Buffer.from(chunk.subarray(0, headBytes - this.sizeBytes)));
    this.#hash.update(chunk);
    this.sizeBytes += chunk.length;
  }

  finish(filename?: string): UploadedFile {
    const file = { sizeBytes: this.sizeBytes, sha256: this.#hash.digest('hex'), head: Buffer.concat(this.#head) };
    return filename === undefined ? file : { ...file, filename };
  }
}

async function readRaw(request: IncomingMessage, rules: UploadRules): Promise<UploadRead> {
  const digest = new FileDigest();
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      digest.add(chunk);
      if (digest.sizeBytes > (rules.mostBytes ?? Number.POSITIVE_INFINITY)) return 'too-large';
    }
  } catch {
    // The client went away in the middle: there is nobody to tell.
    return 'gone';
  }
  return { body: {}, upload: digest.finish() };
}

function readMultipart(request: IncomingMessage, rules: UploadRules): Promise<UploadRead> {
  return new Promise((resolve) => {
    const form = openForm(request);
    if (form === undefined) {
      resolve({ refusal: badForm('it names no boundary') });
      return;
    }
    let parameters: string | undefined;
    let upload: UploadedFile | undefined;
    let isTooLarge = false;
    form.on('field', (name, value) => {
      if (name === 'UpdateParameters') parameters = value;
    });
    form.on('file', (name, stream, filename) => {
      takeFile(stream, rules.mostBytes, (file) => {
        if (file === 'too-large') isTooLarge = true;
        else if (name === 'UpdateFile') upload = { ...file, filename };
      });
    });
    form.on('finish', () => resolve(isTooLarge ? 'too-large' : joinParts(parameters, upload)));
    form.on('error', () => resolve(request.complete ? { refusal: badForm('it ends in the middle') } : 'gone'));
    request.on('error', () => {
      form.destroy();
      resolve('gone');
    });
    request.pipe(form);
  });
}

function openForm(request: IncomingMessage): InstanceType<typeof Busboy> | undefined {
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': request.headers['content-type'] ?? '' },
      limits: { fields: 16, files: 4, parts: 20, fieldSize: 256 * 1024 },
      // Some clients give the parameters a file name too.
      isPartAFile: (name, type, filename) =>
        name !== 'UpdateParameters' && (filename !== undefined || type === 'application/octet-stream'),
    });
  } catch {
    // A header without a boundary is the only thing it throws for.
    return undefined;
  }
}

function takeFile(
  stream: Readable,
  mostBytes: number | undefined,
  done: (file: UploadedFile | 'too-large') => void,
): void {
  const digest = new FileDigest();
  stream.on('data', (chunk: Buffer) => digest.add(chunk));
  stream.on('end', () => {
    done(digest.sizeBytes > (mostBytes ?? Number.POSITIVE_INFINITY) ? 'too-large' : digest.finish());
  });
  // Reported by the form as well.
  stream.on('error', () => undefined);
}

function joinParts(parameters: string | undefined, upload: UploadedFile | undefined): UploadRead {
  const parsed = parameters === undefined ? { body: {} } : parseObject(parameters);
  if ('refusal' in parsed) return { refusal: malformed() };
  return upload === undefined ? parsed : { ...parsed, upload };
}

function lengthNeeded(): RedfishAnswer {
  return refuse(411, {
    messageId: 'Base.1.8.HeaderMissing',
    message: 'The header Content-Length is required to upload a file.',
    resolution: 'Send the file with its length instead of in chunks.',
    args: ['Content-Length'],
    severity: 'Critical',
  });
}

function badForm(why: string): RedfishAnswer {
  return refuse(400, {
    messageId: 'Base.1.8.HeaderInvalid',
    message: `The multipart body cannot be read: ${why}.`,
    args: ['Content-Type'],
    severity: 'Critical',
  });
}
