import type { Readable } from 'node:stream';
import type { Egress } from '../egress/index.ts';
import type { SourceCredentials } from './artifacts/http-source.ts';

/** What an image must be to be taken. */
export interface ExpectedImage {
  /** `sha256:...`, `sha512:...`, `md5:...` or bare hex; without one the image is refused unless the store allows it. */
  readonly checksum?: string | undefined;
  readonly sizeBytes?: number | undefined;
  /** BMCs judge images by how their names end. */
  readonly fileName?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An image that is to be fetched from somewhere. */
export interface ImageOrder extends ExpectedImage {
  /** `https:`, `http:`, or `file:` below an allowed folder. */
  readonly url: string;
  readonly onProgress?:
    | ((fetched: { readonly bytes: number; readonly ofBytes: number | undefined }) => void)
    | undefined;
}

/** An image in the store. */
export interface StoredImage {
  /** Its SHA-256 in small letters: its name in the store. */
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly fileName: string;
  /** When it was put there or used last, in milliseconds since 1970. */
  readonly usedAtMs: number;
}

/** A part of an image: from the first byte to the last, both included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** An image that is being read. Whoever opens it reads it to its end or destroys the body. */
export interface OpenedImage extends StoredImage {
  readonly body: Readable;
  readonly range: ByteRange;
}

/** What was thrown away. */
export interface Collected {
  readonly images: number;
  /** What was left of downloads and uploads that nobody goes on with. */
  readonly parts: number;
  readonly bytes: number;
}

/** Images inside the infrastructure, by what they hash to. Digests are `sha256:...` or bare hex. */
export interface FirmwareStore {
  /** Takes an image; what is not as expected leaves nothing behind. Putting it twice is putting it once. */
  put(body: AsyncIterable<Uint8Array>, expected: ExpectedImage): Promise<StoredImage>;
  /** Takes an image from where it is, going on where an earlier try stopped. */
  fetch(order: ImageOrder): Promise<StoredImage>;
  find(digest: string): Promise<StoredImage | undefined>;
  open(digest: string, range?: Partial<ByteRange>): Promise<OpenedImage>;
  /** Where BMCs and jobs get it. Throws `unknownImage`. */
  urlOf(digest: string): Promise<string>;
  /** Says that somebody needs an image: until that is taken back it is not thrown away. Throws `unknownImage`. */
  hold(digest: string, reference: string): Promise<void>;
  release(digest: string, reference: string): Promise<void>;
  references(digest: string): Promise<readonly string[]>;
  list(): Promise<readonly StoredImage[]>;
  /** Throws an image away; false when it was not there. Throws `imageInUse` while somebody needs it. */
  delete(digest: string): Promise<boolean>;
  /** Throws away what nobody needs and nobody used for long, and what crashed processes left. */
  collect(): Promise<Collected>;
  close(): Promise<void>;
}

/** What every store is told. */
export interface StoreLimits {
  /** The most that all images take together; room is made by throwing away what nobody needs. */
  readonly maxBytes: number;
  readonly maxImageBytes?: number | undefined;
  /** Take images that come without a checksum, and go by what they hash to. False unless given. */
  readonly areUnverifiedAllowed?: boolean | undefined;
  /** How long an image that nobody needs is kept by `collect`; a week unless given. */
  readonly keepUnreferencedMs?: number | undefined;
}

/** How stores get at sources. */
export interface StoreSources {
  readonly fileFolders?: readonly string[] | undefined;
  readonly caPem?: string | undefined;
  readonly credentialsFor?: ((origin: string) => Promise<SourceCredentials | undefined>) | undefined;
  /** What may be connected to. */
  readonly egress?: Egress | undefined;
  readonly maxTries?: number | undefined;
  readonly backoff?: { readonly baseMs: number; readonly maxMs: number } | undefined;
}
