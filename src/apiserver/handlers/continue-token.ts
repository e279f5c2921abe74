import { goJsonSyntaxError, isJsonObject, type Json } from '../../schema/index.ts';
import { badRequest } from '../status.ts';

const tokenVersion = 'meta.k8s.io/v1';

/** Where the next page of a list starts. */
export interface PageStart {
  /** The version all pages show; undefined after that version had expired: the newest. */
  readonly revision: number | undefined;
  readonly after: { readonly namespace: string; readonly name: string };
}

/** Writes a token in kube-apiserver's form. */
export function writeContinueToken({ revision, after }: PageStart): string {
  const start = `${after.namespace === '' ? '' : `${after.namespace}/`}${after.name}\u0000`;
  return Buffer.from(JSON.stringify({ v: tokenVersion, rv: revision ?? -1, start })).toString('base64url');
}

/** Reads a token; throws 400 for what is none. */
export function readContinueToken(token: string): PageStart {
  const { v, rv, start } = parseToken(token);
  if (v !== tokenVersion) throw refused(`server does not recognize this encoded version ${String(v ?? '')}`);
  if (typeof rv !== 'number' || rv === 0)
    throw refused(`incorrect encoded start resourceVersion (version ${tokenVersion})`);
  if (!Number.isSafeInteger(rv))
    throw refused(`json: cannot unmarshal number ${rv} into Go struct field continueToken.rv of type int64`);
  if (typeof start !== 'string' || start === '') throw refused(`encoded start key empty (version ${tokenVersion})`);
  if (`/${start}`.includes('/../') || `/${start}`.endsWith('/..')) throw refused(start);
  const [left = '', right] = (start.endsWith('\u0000') ? start.slice(0, -1) : start).split('/');
  const after = right === undefined ? { namespace: '', name: left } : { namespace: left, name: right };
  return { revision: rv > 0 ? rv : undefined, after };
}

function parseToken(token: string): { v?: Json; rv?: Json; start?: Json } {
  const illegal = illegalBase64(token);
  if (illegal !== undefined) throw refused(`illegal base64 data at input byte ${illegal}`);
  const bytes = Buffer.from(token, 'base64url');
  let value: Json;
  try {
    value = JSON.parse(bytes.toString('utf8')) as Json;
  } catch {
    throw refused(syntaxFault(bytes));
  }
  return isJsonObject(value) ? value : {};
}

/** Where Go's decoder of unpadded base64 stops. */
function illegalBase64(token: string): number | undefined {
  const wrong = token.search(/[^A-Za-z0-9_-]/);
  if (wrong >= 0) return wrong;
  return token.length % 4 === 1 ? token.length - 1 : undefined;
}

/** Go names the first byte, not the first character, of what it cannot read. */
function syntaxFault(bytes: Buffer): string {
  const byte = bytes[0] ?? 0;
  if (byte < 0x80 || byte > 0x9f) return goJsonSyntaxError(bytes.toString('utf8'));
  return `invalid character '\\u00${byte.toString(16)}' looking for beginning of value`;
}

function refused(why: string): Error {
  return badRequest(`invalid continue token: continue key is not valid: ${why}`);
}
