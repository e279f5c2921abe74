import { createHash, randomUUID } from 'node:crypto';
import { chmod, rename } from 'node:fs/promises';
import { getCACertificates } from 'node:tls';
import { Agent } from 'undici';
import { type Clock, type Random, systemClock } from '../../kube/index.ts';
import { type Logger, type Metrics, noMetrics, silentLogger } from '../../telemetry/index.ts';
import { FlasherError } from '../errors.ts';
import { type CacheFolder, keyOf, openCacheFolder } from './cache-folder.ts';
import { type Digest, parseDigest } from './digest.ts';
import { download, type Fetched } from './download.ts';
import { hashFile, remove, statOf } from './files.ts';
import type { SourceCredentials } from './http-source.ts';
import { type KeyLock, takeLock } from './key-lock.ts';
import { bytesUsed, makeRoom } from './make-room.ts';
import { parseSource, type SourceSettings, shownSource } from './source.ts';
import { createTurns } from './turns.ts';
import { markUse } from './uses.ts';

/** A file that somebody needs. */
export interface ArtifactOrder {
  /** `https:`, `http:` or `file:`. */
  readonly url: string;
  /** `sha256:...`, `sha512:...`, `md5:...` or bare hex; empty or undefined is refused unless the cache allows it. */
  readonly checksum?: string | undefined;
  readonly sizeBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((fetched: Fetched) => void) | undefined;
}

/** A file on this machine's disk, whole and checked. It stays there until it is released. */
export interface Artifact {
  readonly path: string;
  readonly digest: Digest;
  readonly sizeBytes: number;
  readonly warnings: readonly string[];
  release(): Promise<void>;
  /** The file was found not to be what it should be: it is looked at afresh when it is asked for next. */
  suspect(): void;
}

/** Files by what they hash to, on disk, shared by all processes that use the folder. */
export interface ArtifactCache {
  open(order: ArtifactOrder): Promise<Artifact>;
  bytesUsed(): Promise<number>;
  close(): Promise<void>;
}

/** What a cache is made of. */
export interface ArtifactCacheOptions {
  readonly folder: string;
  /** The most that whole and half-fetched files take together. */
  readonly maxBytes: number;
  /** The most that one file may have; all of `maxBytes` unless given. */
  readonly maxFileBytes?: number;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  /** Folders below which `file:` addresses may point; none unless given. */
  readonly fileFolders?: readonly string[];
  /** Take files that come without a checksum; they are fetched anew each time. False unless given. */
  readonly areUnverifiedAllowed?: boolean;
  /** Downloads of this process at once; 4 unless given. */
  readonly maxParallel?: number;
  readonly maxRedirects?: number;
  /** Tries of one download; 5 unless given. */
  readonly maxTries?: number;
  readonly backoff?: { readonly baseMs: number; readonly maxMs: number };
  /** How long a source may say nothing; a minute unless given. */
  readonly idleMs?: number;
  /** Authorities for sources, besides those of the system. */
  readonly caPem?: string;
  readonly credentialsFor?: (origin: string) => Promise<SourceCredentials | undefined>;
}

/** Opens a cache; the folder is made where it is missing. */
export async function createArtifactCache(options: ArtifactCacheOptions): Promise<ArtifactCache> {
  const folder = await openCacheFolder(options.folder);
  return new FolderCache(options, folder);
}

const mostKnown = 1000;

class FolderCache implements ArtifactCache {
  readonly #options: ArtifactCacheOptions;
  readonly #folder: CacheFolder;
  readonly #clock: Clock;
  readonly #agent: Agent;
  readonly #turns;
  readonly #closing = new AbortController();
  /** What an object looked like when its hash was found right: it is not hashed again until that changes. */
  readonly #known = new Map<string, string>();
  readonly #bytes;

  constructor(options: ArtifactCacheOptions, folder: CacheFolder) {
    this.#options = options;
    this.#folder = folder;
    this.#clock = options.clock ?? systemClock;
    this.#turns = createTurns(options.maxParallel ?? 4);
    this.#agent = new Agent({
      connect: options.caPem === undefined ? {} : { ca: [...getCACertificates('default'), options.caPem] },
    });
    this.#bytes = (options.metrics ?? noMetrics).counter({
      name: 'rackwright_flasher_download_bytes_total',
      help: 'Bytes of firmware images that were fetched.',
    });
  }

  async open(order: ArtifactOrder): Promise<Artifact> {
    const url = parseSource(order.url);
    const checksum = order.checksum?.trim() ?? '';
    const digest = checksum === '' ? undefined : parseDigest(checksum);
    if (digest === undefined && this.#options.areUnverifiedAllowed !== true) {
      throw new FlasherError('digestMissing', { source: shownSource(url) });
    }
    const key = digest === undefined ? `unverified-${hashOf(url.href)}` : keyOf(digest);
    const signal = AbortSignal.any([this.#closing.signal, ...(order.signal === undefined ? [] : [order.signal])]);
    return this.#turns.inTurn(key, () => this.#openKey(key, { ...order, url, digest, signal }));
  }

  bytesUsed(): Promise<number> {
    return bytesUsed(this.#folder);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#agent.destroy();
  }

  async #openKey(key: string, order: KeyOrder): Promise<Artifact> {
    const lock = await takeLock(this.#folder.lock(key), { ...this.#lockContext, signal: order.signal });
    try {
      const { digest } = order;
      if (digest !== undefined && (await this.#isWhole(key, digest))) return await this.#hand(key, digest);
      const found = await this.#turns.limited(() => this.#fetch(key, order, lock));
      const final = keyOf(found);
      // Somebody else may have it by now, if its process was thought dead.
      await lock.beat();
      await chmod(this.#folder.part(key), 0o400);
      await rename(this.#folder.part(key), this.#folder.object(final));
      await remove(this.#folder.partNote(key));
      await this.#remember(final);
      return await this.#hand(final, found);
    } finally {
      await lock.release();
    }
  }

  async #fetch(key: string, order: KeyOrder, lock: KeyLock): Promise<Digest> {
    const { maxBytes, maxFileBytes, random, maxTries, backoff } = this.#options;
    return download(
      {
        url: order.url,
        key,
        digest: order.digest,
        sizeBytes: order.sizeBytes,
        signal: order.signal,
        onProgress: order.onProgress,
      },
      {
        folder: this.#folder,
        lock,
        sources: this.#sources,
        clock: this.#clock,
        random: random ?? Math.random,
        maxFileBytes: Math.min(maxBytes, maxFileBytes ?? maxBytes),
        maxTries: maxTries ?? 5,
        backoff: backoff ?? { baseMs: 1000, maxMs: 30_000 },
        reserve: (bytes) =>
          makeRoom(this.#folder, { bytes, maxBytes, key, source: shownSource(order.url) }, this.#lockContext),
        onBytes: (count) => this.#bytes.add(count),
      },
    );
  }

  /** Whether the object is there and is what its name says; a damaged one is thrown away. */
  async #isWhole(key: string, digest: Digest): Promise<boolean> {
    const path = this.#folder.object(key);
    const seen = await statOf(path);
    if (seen === undefined) return false;
    if (this.#known.get(key) === seen.change) return true;
    if ((await hashFile(path, digest.algorithm)).hex === digest.hex) {
      await this.#remember(key);
      return true;
    }
    const logger = this.#options.logger ?? silentLogger;
    logger.warn('a cached firmware image is damaged and is fetched again', { key });
    this.#known.delete(key);
    await remove(path);
    return false;
  }

  async #remember(key: string): Promise<void> {
    const seen = await statOf(this.#folder.object(key));
    const [oldest] = this.#known.keys();
    if (this.#known.size >= mostKnown && oldest !== undefined) this.#known.delete(oldest);
    if (seen !== undefined) this.#known.set(key, seen.change);
  }

  async #hand(key: string, digest: Digest): Promise<Artifact> {
    const path = this.#folder.object(key);
    const release = await markUse(this.#folder, key, this.#lockContext);
    const sizeBytes = (await statOf(path))?.size ?? 0;
    return {
      path,
      digest,
      sizeBytes,
      release,
      suspect: () => void this.#known.delete(key),
      warnings: warningsOf(digest),
    };
  }

  get #lockContext() {
    return { clock: this.#clock, newId: randomUUID };
  }

  get #sources(): SourceSettings {
    const { maxRedirects, idleMs, credentialsFor, fileFolders } = this.#options;
    return {
      dispatcher: this.#agent,
      maxRedirects: maxRedirects ?? 5,
      idleMs: idleMs ?? 60_000,
      fileFolders: fileFolders ?? [],
      credentialsFor,
    };
  }
}

interface KeyOrder extends Omit<ArtifactOrder, 'url'> {
  readonly url: URL;
  readonly digest: Digest | undefined;
}

function warningsOf(digest: Digest): readonly string[] {
  if (digest.algorithm !== 'md5') return [];
  return ['its checksum is MD5, which a forged file can have too: publish its SHA-256'];
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
