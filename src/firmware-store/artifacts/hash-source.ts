import { createHash } from 'node:crypto';
import { Agent, buildConnector } from 'undici';
import { createEgress, type Egress } from '../../egress/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import { StoreError } from '../errors.ts';
import { openSource, parseSource, shownSource } from './source.ts';
import { withheld } from './withhold.ts';

/** What is behind an address now. */
export interface HashedSource {
  /** `sha256:...` */
  readonly checksum: string;
  readonly sizeBytes: number;
}

/** How an address is read. */
export interface HashOptions {
  readonly signal?: AbortSignal | undefined;
  readonly maxBytes: number;
  /** Folders below which `file:` addresses may point; none unless given. */
  readonly fileFolders?: readonly string[];
  /** What may be connected to; all but guarded addresses unless given. */
  readonly egress?: Egress | undefined;
  readonly logger?: Logger | undefined;
}

/** Reads all that is behind an address to know what it hashes to. Nothing is kept. Throws StoreErrors. */
export async function hashSource(
  address: string,
  { signal, maxBytes, fileFolders = [], egress = createEgress(), logger }: HashOptions,
): Promise<HashedSource> {
  const url = parseSource(address);
  const dispatcher = new Agent({ connect: egress.guard(buildConnector({ lookup: egress.lookup })) });
  try {
    const wanted = { offset: 0, validator: undefined, signal };
    const opened = await openSource(url, wanted, { dispatcher, egress, maxRedirects: 5, idleMs: 60_000, fileFolders });
    const hash = createHash('sha256');
    let sizeBytes = 0;
    for await (const chunk of opened.body) {
      sizeBytes += (chunk as Buffer).length;
      if (sizeBytes > maxBytes) throw new StoreError('tooLarge', { source: shownSource(url), limit: maxBytes });
      hash.update(chunk as Buffer);
    }
    return { checksum: `sha256:${hash.digest('hex')}`, sizeBytes };
  } catch (error) {
    throw await withheld(asStoreError(url, error), { url, egress, logger });
  } finally {
    await dispatcher.destroy();
  }
}

function asStoreError(url: URL, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new StoreError('sourceFailed', { source: shownSource(url), detail }, { cause: error });
}
