import { InventoryError } from '../errors.ts';

/** What a file must hash to, by function; small letters. */
export interface Checksums {
  readonly sha256?: string;
  readonly sha512?: string;
  readonly md5?: string;
}

const lengths = { sha256: 64, sha512: 128, md5: 32 } as const;
const functions = ['sha256', 'sha512', 'md5'] as const;
const prefix = /^(md5|sha-?256|sha-?512)(?:sum)?\s*[:=]\s*/i;

/** What a checksum looks like: the name of its function, in any case or not at all, and as many digits as that has. */
export const checksumPattern = `^(${[
  '([mM][dD]5([sS][uU][mM])? *[:=] *)?[0-9A-Fa-f]{32}',
  '([sS][hH][aA]-?256([sS][uU][mM])? *[:=] *)?[0-9A-Fa-f]{64}',
  '([sS][hH][aA]-?512([sS][uU][mM])? *[:=] *)?[0-9A-Fa-f]{128}',
].join('|')})$`;

/** Reads checksums such as `sha256:ab12...`, `md5sum:...` or bare hex, whose length tells the function. */
export function parseChecksums(texts: readonly string[]): Checksums {
  const found: Record<string, string> = {};
  const problems: string[] = [];
  for (const text of texts) {
    const [name, hex] = readChecksum(text) ?? [];
    if (name === undefined || hex === undefined)
      problems.push(`"${text.slice(0, 140)}" is no SHA-256, SHA-512 or MD5 in hexadecimal`);
    else if ((found[name] ?? hex) !== hex) problems.push(`there are two different ${name} checksums`);
    else found[name] = hex;
  }
  if (problems.length > 0) throw new InventoryError('badValue', { what: 'checksum' }, { problems });
  return found;
}

function readChecksum(text: string): readonly [keyof typeof lengths, string] | undefined {
  const trimmed = text.trim();
  const named = prefix.exec(trimmed)?.[1]?.toLowerCase().replace('-', '');
  const hex = trimmed.replace(prefix, '').toLowerCase();
  if (!/^[0-9a-f]+$/.test(hex)) return undefined;
  const name = functions.find((one) => lengths[one] === hex.length);
  return name === undefined || (named !== undefined && named !== name) ? undefined : [name, hex];
}

/** The strongest one, as `sha256:ab12...`; empty when there is none. SHA-256 comes first, since everybody has it. */
export function bestChecksum(checksums: Checksums): string {
  const name = functions.find((one) => checksums[one] !== undefined);
  return name === undefined ? '' : `${name}:${checksums[name]}`;
}

/** What to say of checksums that do not protect; nothing when they do. */
export function checksumWarnings(checksums: Checksums): string[] {
  if (checksums.sha256 !== undefined || checksums.sha512 !== undefined) return [];
  return checksums.md5 === undefined
    ? ['there is no checksum: a damaged or forged file would not be noticed']
    : ['there is an MD5 checksum only, which tells a damaged file but not a forged one; add SHA-256'];
}
