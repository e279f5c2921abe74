import { gunzipSync, inflateSync } from 'node:zlib';
import type { JsonObject, JsonValue } from '../json.ts';
import type { HttpAnswer } from './exchange.ts';

/** How much of an answer is taken. */
export interface AnswerBounds {
  readonly maxAnswerBytes: number;
  readonly maxDepth: number;
}

/** A body, or what is wrong with it. `looksCut` when it begins as JSON and does not end as such. */
export type AnswerBody =
  | { readonly body: JsonObject; readonly problem?: undefined }
  | { readonly body?: undefined; readonly problem: string; readonly looksCut: boolean };

const noBody: AnswerBody = { body: Object.freeze({}) };

/** Reads the JSON of an answer, whatever its Content-Type says: BMCs send JSON as text/html and worse. */
export function readAnswer(answer: HttpAnswer, bounds: AnswerBounds): AnswerBody {
  if (answer.bytes.length === 0) return noBody;
  const bytes = unpack(answer, bounds.maxAnswerBytes);
  if (bytes === undefined) return { problem: 'a compressed body that cannot be unpacked', looksCut: false };
  const text = bytes.toString('utf8');
  try {
    const value = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text) as JsonValue;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { problem: 'JSON that is not an object', looksCut: false };
    }
    if (isDeeperThan(value, bounds.maxDepth))
      return { problem: `JSON nested over ${bounds.maxDepth} deep`, looksCut: false };
    return { body: value };
  } catch {
    return unreadable(text);
  }
}

function unreadable(text: string): AnswerBody {
  const start = text.trimStart().charAt(0);
  if (start === '') return noBody;
  const looksCut = start === '{' || start === '[';
  return { problem: looksCut ? 'malformed or truncated JSON' : 'a body that is not JSON', looksCut };
}

/** `Accept-Encoding: identity` is asked for; some compress all the same. */
function unpack(answer: HttpAnswer, maxOutputLength: number): Buffer | undefined {
  const encoding = answer.headers['content-encoding']?.trim().toLowerCase();
  if (encoding === undefined || encoding === '' || encoding === 'identity') return answer.bytes;
  try {
    if (encoding === 'gzip' || encoding === 'x-gzip') return gunzipSync(answer.bytes, { maxOutputLength });
    if (encoding === 'deflate') return inflateSync(answer.bytes, { maxOutputLength });
  } catch {
    return undefined;
  }
  return undefined;
}

/** Whoever reads the value later may do so recursively. */
function isDeeperThan(value: JsonObject | JsonValue[], limit: number): boolean {
  if (limit <= 0) return true;
  if (Array.isArray(value)) {
    for (const item of value)
      if (typeof item === 'object' && item !== null && isDeeperThan(item, limit - 1)) return true;
    return false;
  }
  for (const name in value) {
    const item = value[name];
    if (typeof item === 'object' && item !== null && isDeeperThan(item, limit - 1)) return true;
  }
  return false;
}
