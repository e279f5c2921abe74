import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../schema/index.ts';
import { writeWhole } from '../store/durable-file.ts';

/** A key that service account tokens are checked with. */
export interface TokenKey {
  readonly id: string;
  readonly publicKey: KeyObject;
}

/** The key that signs service account tokens, and every key whose tokens are still good. */
export interface TokenKeys {
  readonly signing: TokenKey & { readonly privateKey: KeyObject };
  readonly trusted: ReadonlyMap<string, TokenKey>;
}

/**
 * Reads the signing key `sa.key`, making it when it is missing. To rotate, rename it to `sa.key.1` (then `.2`, ...) and
 * start again: tokens of the renamed keys stay good until they expire or the file is removed.
 */
export function loadTokenKeys(folder: string): TokenKeys {
  const file = join(folder, 'sa.key');
  const known = readdirSync(folder).filter((name) => /^sa\.key(\.\d+)?$/.test(name));
  if (!known.includes('sa.key')) {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    writeWhole(file, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), { mode: 0o600 });
  }
  const older = known.filter((name) => name !== 'sa.key').map((name) => readFileSync(join(folder, name), 'utf8'));
  return tokenKeysOf(readFileSync(file, 'utf8'), older);
}

/** The keys from their PEM texts; older ones only check. */
export function tokenKeysOf(signingPem: string, olderPems: readonly string[] = []): TokenKeys {
  const privateKey = createPrivateKey(signingPem);
  const signing = { ...tokenKey(createPublicKey(privateKey)), privateKey };
  const keys = [signing, ...olderPems.map((pem) => tokenKey(createPublicKey(pem)))];
  return { signing, trusted: new Map(keys.map(({ id, publicKey }) => [id, { id, publicKey }])) };
}

function tokenKey(publicKey: KeyObject): TokenKey {
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return { id: createHash('sha256').update(der).digest('base64url'), publicKey };
}

/** The JWT algorithm a key is used with. */
export function algorithmOf(key: KeyObject): 'ES256' | 'RS256' {
  return key.asymmetricKeyType === 'rsa' ? 'RS256' : 'ES256';
}

/** Signs claims as a compact JWT. */
export function signToken(keys: TokenKeys, claims: JsonObject): string {
  const { id, privateKey } = keys.signing;
  const head = encode({ alg: algorithmOf(privateKey), kid: id });
  const text = `${head}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

function encode(value: JsonObject): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** The claims of a compact JWT, read without checking anything; undefined for what is no JWT. */
export function readClaims(token: string): { header: JsonObject; claims: JsonObject } | undefined {
  const [head, body, signature, ...rest] = token.split('.');
  if (head === undefined || body === undefined || signature === undefined || rest.length > 0) return undefined;
  try {
    return { header: decode(head), claims: decode(body) };
  } catch {
    return undefined; // some other kind of token
  }
}

function decode(part: string): JsonObject {
  const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('not an object');
  return value as JsonObject;
}

/** True when one of the trusted keys signed the token with the key's own algorithm. */
export function isSigned(keys: TokenKeys, token: string, header: JsonObject): boolean {
  const named = typeof header.kid === 'string' ? keys.trusted.get(header.kid) : undefined;
  const candidates = named === undefined ? [...keys.trusted.values()] : [named];
  const at = token.lastIndexOf('.');
  const text = Buffer.from(token.slice(0, at));
  const signature = Buffer.from(token.slice(at + 1), 'base64url');
  return candidates.some(
    ({ publicKey }) =>
      header.alg === algorithmOf(publicKey) &&
      verify('sha256', text, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature),
  );
}

/** The trusted keys as a JSON Web Key Set. */
export function keySetOf(keys: TokenKeys): JsonObject {
  return {
    keys: [...keys.trusted.values()].map(({ id, publicKey }) => ({
      use: 'sig',
      kid: id,
      alg: algorithmOf(publicKey),
      ...(publicKey.export({ format: 'jwk' }) as JsonObject),
    })),
  };
}
