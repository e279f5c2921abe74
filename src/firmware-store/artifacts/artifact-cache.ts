import { createHash, randomUUID } from 'node:crypto';
import { chmod, rename, stat } from 'node:fs/promises';
import { getCACertificates } from 'node:tls';
import { Agent, buildConnector } from 'undici';
import { createEgress, type Egress } from '../../egress/index.ts';
import { type Clock, type Random, systemClock } from '../../kube/index.ts';
import { type Logger, type Metrics, noMetrics, silentLogger } from '../../telemetry/index.ts';
import { StoreError } from '../errors.ts';
import { type CacheFolder, keyOf, openCacheFolder } from './cache-folder.ts';
import { type Digest, parseDigest } from './digest.ts';
import { type Downloaded, download, type Fetched } from './download.ts';
import { hashFile, isMissing, orDiskFull, remove, statOf } from './files.ts';
import type { SourceCredentials } from './http-source.ts';
import { type KeyLock, type LockContext, takeLock } from './key-lock.ts';
import { bytesUsed, type KeepRule, makeRoom } from './make-room.ts';
import { parseSource, type SourceSettings, shownSource } from './source.ts';
import { createTurns } from './turns.ts';
import { markUse } from './uses.ts';
import { withheld } from './withhold.ts';

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
  /** What may be connected to; all but guarded addresses unless given. */
  readonly egress?: Egress;
  /** Entries that are not thrown away to make room, by their key; none unless given. */
  readonly isKept?: KeepRule;
}

/** A cache whose files can also be put there and asked for without an address. */
export interface ArtifactFolder extends ArtifactCache {
  readonly folder: CacheFolder;
  readonly lockContext: LockContext;
  /** The file with this hash if it is there, whole and checked. */
  find(digest: Digest): Promise<Artifact | undefined>;
  /** Sees to it that so many bytes fit beside what else is there. */
  reserve(key: string, bytes: number): Promise<void>;
  /** Takes a whole, checked part as the file with this hash, unless that is there already. */
  adopt(partKey: string, digest: Digest): Promise<Artifact>;
}

/** Opens a cache; the folder is made where it is missing. */
export async function createArtifactCache(options: ArtifactCacheOptions): Promise<ArtifactCache> {
  return openArtifactFolder(options);
}

/** Opens a cache with all that can be done to it. */
export async function openArtifactFolder(options: ArtifactCacheOptions): Promise<ArtifactFolder> {
  const folder = await openCacheFolder(options.folder);
  return new FolderCache(options, folder);
}

const mostKnown = 1000;
const longestShareMs = 3_600_000;

class FolderCache implements ArtifactFolder {
  readonly #options: ArtifactCacheOptions;
  readonly folder: CacheFolder;
  readonly #clock: Clock;
  readonly #agent: Agent;
  readonly #egress: Egress;
  readonly #turns;
  readonly #closing = new AbortController();
  /** What an object looked like when its hash was found right: it is not hashed again until that changes. */
  readonly #known = new Map<string, string>();
  /** Marks of this process on objects, each for all that use its object now. */
  readonly #marks = new Map<string, SharedMark>();
  readonly #bytes;

  constructor(options: ArtifactCacheOptions, folder: CacheFolder) {
    this.#options = options;
    this.folder = folder;
    this.#clock = options.clock ?? systemClock;
    this.#turns = createTurns(options.maxParallel ?? 4);
    this.#egress = options.egress ?? createEgress();
    const { lookup } = this.#egress;
    const trust = options.caPem === undefined ? {} : { ca: [...getCACertificates('default'), options.caPem] };
    this.#agent = new Agent({ connect: this.#egress.guard(buildConnector({ ...trust, lookup })) });
    this.#bytes = (options.metrics ?? noMetrics).counter({
      name: 'flasher_download_bytes',
      help: 'Bytes of firmware images that were fetched.',
    });
  }

  async open(order: ArtifactOrder): Promise<Artifact> {
    const url = parseSource(order.url);
    const checksum = order.checksum?.trim() ?? '';
    const digest = checksum === '' ? undefined : parseDigest(checksum);
    if (digest === undefined && this.#options.areUnverifiedAllowed !== true) {
      throw new StoreError('digestMissing', { source: shownSource(url) });
    }
    if (digest === undefined) {
      this.#options.logger?.warn('a file is taken that has no checksum: nobody can tell what is in it', {
        source: shownSource(url),
      });
    }
    const key = digest === undefined ? `unverified-${hashOf(url.href)}` : keyOf(digest);
    const signal = AbortSignal.any([this.#closing.signal, ...(order.signal === undefined ? [] : [order.signal])]);
    const opened = async () =>
      (await this.#share(key, digest)) ?? this.#openKey(key, { ...order, url, digest, signal });
    try {
      return await this.#turns.inTurn(key, () => orDiskFull(shownSource(url), opened));
    } catch (error) {
      throw await withheld(error, { url, egress: this.#egress, logger: this.#options.logger });
    }
  }

  bytesUsed(): Promise<number> {
    return bytesUsed(this.folder);
  }

  async find(digest: Digest): Promise<Artifact | undefined> {
    const key = keyOf(digest);
    if ((await statOf(this.folder.object(key))) === undefined) return undefined;
    return this.#turns.inTurn(key, () =>
      this.#locked(key, async () => ((await this.#isWhole(key, digest)) ? this.#hand(key, digest) : undefined)),
    );
  }

  reserve(key: string, bytes: number): Promise<void> {
    return this.#makeRoom({ bytes, key, source: 'what is put there' });
  }

  adopt(partKey: string, digest: Digest): Promise<Artifact> {
    const key = keyOf(digest);
    return this.#turns.inTurn(key, () =>
      this.#locked(key, async (lock) => {
        if (await this.#isWhole(key, digest)) await remove(this.folder.part(partKey));
        else await this.#settle(partKey, key, { lock });
        return this.#hand(key, digest);
      }),
    );
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#agent.destroy();
  }

  async #openKey(key: string, order: KeyOrder): Promise<Artifact> {
    const { digest, signal } = order;
    return this.#locked(
      key,
      async (lock) => {
        if (digest !== undefined && (await this.#isWhole(key, digest))) return this.#hand(key, digest);
        const { digest: found, ino } = await this.#turns.limited(() => this.#fetch(key, order, lock));
        await this.#settle(key, keyOf(found), { lock, ino });
        return this.#hand(keyOf(found), found);
      },
      signal,
    );
  }

  async #locked<T>(key: string, work: (lock: KeyLock) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const lock = await takeLock(this.folder.lock(key), { ...this.lockContext, signal });
    try {
      return await work(lock);
    } finally {
      await lock.release();
    }
  }

  /**
   * Makes a part the whole file. A process that was frozen before this, and was thought dead, may find the part of another
   * one under its name: it is put aside first, and is taken only if it is the file that was hashed.
   */
  async #settle(partKey: string, key: string, held: { readonly lock: KeyLock; readonly ino?: bigint }): Promise<void> {
    await held.lock.beat();
    const part = this.folder.part(partKey);
    const aside = `${part}~${randomUUID()}`;
    await this.#rename(part, aside);
    const { ino } = await stat(aside, { bigint: true });
    if (held.ino !== undefined && ino !== held.ino) {
      await rename(aside, part);
      throw lost();
    }
    await chmod(aside, 0o400);
    await rename(aside, this.folder.object(key));
    await remove(this.folder.partNote(partKey));
    await this.#remember(key);
  }

  async #rename(part: string, aside: string): Promise<void> {
    try {
      await rename(part, aside);
    } catch (error) {
      if (isMissing(error)) throw lost(error);
      throw error;
    }
  }

  #makeRoom(order: { readonly bytes: number; readonly key: string; readonly source: string }): Promise<void> {
    const { maxBytes, isKept } = this.#options;
    return makeRoom(this.folder, { ...order, maxBytes, isKept }, this.lockContext);
  }

  async #fetch(key: string, order: KeyOrder, lock: KeyLock): Promise<Downloaded> {
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
        folder: this.folder,
        lock,
        sources: this.#sources,
        clock: this.#clock,
        random: random ?? Math.random,
        maxFileBytes: Math.min(maxBytes, maxFileBytes ?? maxBytes),
        maxTries: maxTries ?? 5,
        backoff: backoff ?? { baseMs: 1000, maxMs: 30_000 },
        reserve: (bytes) => this.#makeRoom({ bytes, key, source: shownSource(order.url) }),
        onBytes: (count) => this.#bytes.add(count),
      },
    );
  }

  /** Whether the object is there and is what its name says; a damaged one is thrown away. */
  async #isWhole(key: string, digest: Digest): Promise<boolean> {
    const path = this.folder.object(key);
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
    const seen = await statOf(this.folder.object(key));
    const [oldest] = this.#known.keys();
    if (this.#known.size >= mostKnown && oldest !== undefined) this.#known.delete(oldest);
    if (seen !== undefined) this.#known.set(key, seen.change);
  }

  /** The object if this process uses it already and it is as it was: hundreds of installs of one image need one mark. */
  async #share(key: string, digest: Digest | undefined): Promise<Artifact | undefined> {
    if (digest === undefined || !this.#marks.has(key)) return undefined;
    const seen = await statOf(this.folder.object(key));
    const mark = this.#marks.get(key);
    const isGood = seen !== undefined && this.#known.get(key) === seen.change;
    if (mark === undefined || !isGood || this.#clock.monotonic() - mark.madeAt > longestShareMs) return undefined;
    return this.#artifactOf(key, digest, { mark, sizeBytes: seen.size });
  }

  async #hand(key: string, digest: Digest): Promise<Artifact> {
    const mark: SharedMark = {
      users: 0,
      madeAt: this.#clock.monotonic(),
      remove: await markUse(this.folder, key, this.lockContext),
    };
    this.#marks.set(key, mark);
    const sizeBytes = (await statOf(this.folder.object(key)))?.size ?? 0;
    return this.#artifactOf(key, digest, { mark, sizeBytes });
  }

  #artifactOf(
    key: string,
    digest: Digest,
    { mark, sizeBytes }: { readonly mark: SharedMark; readonly sizeBytes: number },
  ): Artifact {
    mark.users += 1;
    let isReleased = false;
    return {
      path: this.folder.object(key),
      digest,
      sizeBytes,
      release: async () => {
        if (isReleased) return;
        isReleased = true;
        mark.users -= 1;
        if (mark.users > 0) return;
        if (this.#marks.get(key) === mark) this.#marks.delete(key);
        await mark.remove();
      },
      suspect: () => void this.#known.delete(key),
      warnings: warningsOf(digest),
    };
  }

  get lockContext(): LockContext {
    return { clock: this.#clock, newId: randomUUID };
  }

  get #sources(): SourceSettings {
    const { maxRedirects, idleMs, credentialsFor, fileFolders } = this.#options;
    return {
      dispatcher: this.#agent,
      egress: this.#egress,
      maxRedirects: maxRedirects ?? 5,
      idleMs: idleMs ?? 60_000,
      fileFolders: fileFolders ?? [],
      credentialsFor,
    };
  }
}

/** A mark on an object that it is in use. */
interface SharedMark {
  users: number;
  /** When it was made: a mark does not last for ever, so that it is not shared for ever either. */
  readonly madeAt: number;
  remove(): Promise<void>;
}

interface KeyOrder extends Omit<ArtifactOrder, 'url'> {
  readonly url: URL;
  readonly digest: Digest | undefined;
}

function lost(cause?: unknown): StoreError {
  return new StoreError('aborted', { what: 'a download that another process has taken over' }, { cause });
}

function warningsOf(digest: Digest): readonly string[] {
  if (digest.algorithm !== 'md5') return [];
  return ['its checksum is MD5, which a forged file can have too: publish its SHA-256'];
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
