import { Readable } from 'node:stream';
import { S3mini, S3NetworkError, S3ServiceError } from 's3mini';
import { StoreError } from '../errors.ts';
import type { ByteRange } from '../store.ts';

/** Where a bucket is and who asks. */
export interface BucketSettings {
  /** `https://s3.example:9000`; the bucket's name is put behind it. */
  readonly endpoint: string;
  readonly bucket: string;
  /** `us-east-1` unless given. */
  readonly region?: string | undefined;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** In front of all names, so that a bucket can be shared; none unless given. */
  readonly prefix?: string | undefined;
  /** How long one request may take; ten minutes unless given, since it may carry a whole part. */
  readonly requestMs?: number | undefined;
}

/** An object in a bucket. */
export interface BucketObject {
  readonly name: string;
  readonly sizeBytes: number;
  readonly changedAtMs: number;
}

/** The few things that are asked of a bucket. Names are below its prefix. */
export interface Bucket {
  list(prefix: string): Promise<readonly BucketObject[]>;
  /** All at once: for small things, and for single parts of large ones. */
  put(name: string, body: Uint8Array): Promise<void>;
  /** Piece by piece; what breaks off leaves nothing that can be seen. */
  putParts(name: string, parts: AsyncIterable<Uint8Array>): Promise<void>;
  read(name: string, range: ByteRange): Promise<Readable>;
  readText(name: string): Promise<string | undefined>;
  remove(name: string): Promise<void>;
  /** An address that works without credentials for a while. */
  sign(name: string, seconds: number): Promise<string>;
}

/** Opens a bucket; nothing is asked of it yet. Throws `badSource` for an address that is none. */
export function openBucket(settings: BucketSettings): Bucket {
  const { endpoint, bucket, region = 'us-east-1', accessKeyId, secretAccessKey, requestMs = 600_000 } = settings;
  if (!/^https?:\/\//.test(endpoint) || !URL.canParse(endpoint) || !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    const detail = 'give an http or https endpoint and the name of a bucket';
    throw new StoreError('badSource', { source: 'bucket', detail });
  }
  const address = `${endpoint.replace(/\/+$/, '')}/${bucket}`;
  const client = new S3mini({
    accessKeyId,
    secretAccessKey,
    endpoint: address,
    region,
    requestAbortTimeout: requestMs,
  });
  return new S3Bucket(client, { bucket, prefix: folderName(settings.prefix ?? '') });
}

function folderName(prefix: string): string {
  const bare = prefix.replaceAll(/^\/+|\/+$/g, '');
  return bare === '' ? '' : `${bare}/`;
}

class S3Bucket implements Bucket {
  readonly #client: S3mini;
  readonly #bucket: string;
  readonly #prefix: string;

  constructor(client: S3mini, about: { readonly bucket: string; readonly prefix: string }) {
    this.#client = client;
    this.#bucket = about.bucket;
    this.#prefix = about.prefix;
  }

  list(prefix: string): Promise<readonly BucketObject[]> {
    return this.#ask(async () => {
      const found = (await this.#client.listObjects('/', this.#prefix + prefix)) ?? [];
      return found.map(({ Key, Size, LastModified }) => ({
        name: String(Key).slice(this.#prefix.length),
        sizeBytes: Number(Size),
        changedAtMs: new Date(LastModified).getTime(),
      }));
    });
  }

  put(name: string, body: Uint8Array): Promise<void> {
    return this.#ask(async () => {
      await this.#client.putObject(this.#prefix + name, Buffer.from(body.buffer, body.byteOffset, body.length));
    });
  }

  putParts(name: string, parts: AsyncIterable<Uint8Array>): Promise<void> {
    const key = this.#prefix + name;
    return this.#ask(async () => {
      const id = await this.#client.getMultipartUploadId(key);
      try {
        const done = [];
        for await (const part of parts) {
          const bytes = Buffer.from(part.buffer, part.byteOffset, part.length);
          done.push(await this.#client.uploadPart(key, id, bytes, done.length + 1));
        }
        await this.#client.completeMultipartUpload(key, id, done);
      } catch (error) {
        await this.#client.abortMultipartUpload(key, id).catch(() => {
          // Whatever broke the upload may break this too: rules of the bucket take away what is left.
        });
        throw error;
      }
    });
  }

  read(name: string, { first, last }: ByteRange): Promise<Readable> {
    return this.#ask(async () => {
      const answer = await this.#client.getObjectRaw(this.#prefix + name, false, first, last + 1);
      if (answer.body === null) throw new TypeError('the answer has no body');
      return Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]);
    });
  }

  readText(name: string): Promise<string | undefined> {
    return this.#ask(async () => (await this.#client.getObject(this.#prefix + name)) ?? undefined);
  }

  remove(name: string): Promise<void> {
    return this.#ask(async () => {
      await this.#client.deleteObject(this.#prefix + name);
    });
  }

  sign(name: string, seconds: number): Promise<string> {
    return this.#ask(() => this.#client.getPresignedUrl('GET', this.#prefix + name, seconds));
  }

  async #ask<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof StoreError) throw error;
      throw this.#failure(error);
    }
  }

  /** Only codes: messages of the client may repeat signed addresses. */
  #failure(error: unknown): StoreError {
    const bucket = this.#bucket;
    const service = [error, (error as { cause?: unknown } | undefined)?.cause].find(
      (each) => each instanceof S3ServiceError,
    );
    if (service !== undefined) {
      const detail = `it answered ${service.status} ${service.serviceCode ?? ''}`.trim();
      const mayPass = service.status >= 500 || service.status === 429 || service.status === 408;
      return new StoreError(mayPass ? 'bucketFailed' : 'bucketRefused', { bucket, detail });
    }
    const code = error instanceof S3NetworkError ? error.code : (error as { name?: unknown } | undefined)?.name;
    return new StoreError('bucketFailed', { bucket, detail: `it cannot be reached (${String(code ?? 'unknown')})` });
  }
}
