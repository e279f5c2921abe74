import { readFile, stat } from 'node:fs/promises';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
} from 'jose';
import { RestError } from '../errors.ts';
import { isLoopback } from '../loopback.ts';
import type { TokenIssuer } from './jwt-authorizer.ts';

/** The keys of an issuer and what they may be used for. */
export interface IssuerKeys {
  readonly find: JWTVerifyGetKey;
  readonly algorithms: readonly string[];
}

const publicAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;
const sharedAlgorithms = ['HS256', 'HS384', 'HS512'] as const;
/** Shorter secrets can be guessed from one token. */
const minSharedKeyBytes = 32;

/** Gets ready to find the keys of an issuer. */
export async function loadIssuerKeys(issuer: TokenIssuer, fetchKeys: typeof fetch | undefined): Promise<IssuerKeys> {
  const { keys } = issuer;
  if ('sharedKeyFile' in keys) {
    const secret = await readSharedKey(keys.sharedKeyFile);
    return { find: async () => secret, algorithms: sharedAlgorithms };
  }
  if ('jwksFile' in keys) return { find: await findInFile(keys.jwksFile), algorithms: publicAlgorithms };
  return { find: findAtUrl(issuer, keys.jwksUrl, fetchKeys), algorithms: publicAlgorithms };
}

function findAtUrl(issuer: TokenIssuer, text: string, fetchKeys: typeof fetch | undefined): JWTVerifyGetKey {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (url === undefined || !isSafe)
    throw new RestError('badIssuer', { issuer: issuer.issuer, detail: 'its keys must be at an https URL' });
  return createRemoteJWKSet(url, fetchKeys === undefined ? {} : { [customFetch]: (at, init) => fetchKeys(at, init) });
}

/** Looks into the file again when a key is missing and the file has changed, so that keys can be rotated. */
async function findInFile(file: string): Promise<JWTVerifyGetKey> {
  let seen = await readKeySet(file);
  return async (header, token) => {
    try {
      return await seen.find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || (await changedAt(file)) === seen.changedAt) throw error;
      seen = await readKeySet(file);
      return seen.find(header, token);
    }
  };
}

async function readKeySet(file: string): Promise<{ find: JWTVerifyGetKey; changedAt: number }> {
  try {
    const at = await changedAt(file);
    const set = JSON.parse(await readFile(file, 'utf8')) as JSONWebKeySet;
    return { find: createLocalJWKSet(set), changedAt: at };
  } catch (cause) {
    throw new RestError('badKeyFile', { file, detail: 'it is not a JSON Web Key Set that can be read' }, { cause });
  }
}

async function changedAt(file: string): Promise<number> {
  return (await stat(file)).mtimeMs;
}

async function readSharedKey(file: string): Promise<Uint8Array> {
  const found = await stat(file).catch((cause: unknown) => {
    throw new RestError('badKeyFile', { file, detail: 'it cannot be read' }, { cause });
  });
  // Windows has no such bits: files under a user's profile are the user's by inheritance.
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0)
    throw new RestError('badKeyFile', { file, detail: `others may read it; run: chmod 600 ${file}` });
  const text = (await readFile(file, 'utf8')).trim();
  const secret = new TextEncoder().encode(text);
  if (secret.length < minSharedKeyBytes)
    throw new RestError('badKeyFile', { file, detail: `a shared key has at least ${minSharedKeyBytes} characters` });
  return secret;
}
