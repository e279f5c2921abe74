import { StoreError } from '../errors.ts';

/** Hash functions that images come with. MD5 is broken: it only tells a damaged file, never a forged one. */
export type DigestAlgorithm = 'sha256' | 'sha512' | 'md5';

/** What a file must hash to. */
export interface Digest {
  readonly algorithm: DigestAlgorithm;
  /** Small letters. */
  readonly hex: string;
}

const lengths: Readonly<Record<DigestAlgorithm, number>> = { md5: 32, sha256: 64, sha512: 128 };

const prefix = /^(md5|sha-?256|sha-?512)(?:sum)?\s*[:=]\s*/i;

/** Reads `sha256:ab12...`, `md5sum:...` or bare hex, whose length tells the function. Throws `badDigest`. */
export function parseDigest(text: string): Digest {
  const trimmed = text.trim();
  const named = prefix.exec(trimmed)?.[1]?.toLowerCase().replace('-', '') as DigestAlgorithm | undefined;
  const hex = trimmed.replace(prefix, '').toLowerCase();
  const shown = JSON.stringify(trimmed.slice(0, 140));
  if (!/^[0-9a-f]+$/.test(hex)) {
    throw new StoreError('badDigest', { digest: shown, detail: 'it is not hexadecimal, as in sha256:9f86d0...' });
  }
  const algorithm = named ?? algorithms.find((each) => lengths[each] === hex.length);
  if (algorithm === undefined || lengths[algorithm] !== hex.length) {
    const wanted = named === undefined ? '64 (SHA-256), 128 (SHA-512) or 32 (MD5)' : String(lengths[named]);
    throw new StoreError('badDigest', { digest: shown, detail: `it has ${hex.length} digits and not ${wanted}` });
  }
  return { algorithm, hex };
}

const algorithms: readonly DigestAlgorithm[] = ['sha256', 'sha512', 'md5'];
