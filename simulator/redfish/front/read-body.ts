import type { IncomingMessage } from 'node:http';
import { refuse } from '../resources/errors.ts';
import type { JsonObject, RedfishAnswer } from '../route.ts';
import { contentTypeOf } from './exchange.ts';

/** Largest JSON body that is read. */
const mostJsonBytes = 1024 * 1024;

/** What came of reading a request: a body, a refusal, or nobody there any more. */
export type BodyRead = { readonly body: JsonObject } | { readonly refusal: RedfishAnswer } | 'gone';

/** Reads a JSON object; a request without a body counts as an empty one. */
export async function readJson(request: IncomingMessage): Promise<BodyRead> {
  const length = Number(request.headers['content-length'] ?? 'NaN');
  if (length > mostJsonBytes) return { refusal: tooLarge() };
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > mostJsonBytes) return { refusal: tooLarge() };
      chunks.push(chunk);
    }
  } catch {
    // The client went away in the middle: there is nobody to tell.
    return 'gone';
  }
  if (size === 0) return { body: {} };
  if (!isJsonType(contentTypeOf(request))) return { refusal: wrongType(contentTypeOf(request)) };
  return parseObject(Buffer.concat(chunks).toString('utf8'));
}

/** Parses a JSON object, or says that it is none. */
export function parseObject(text: string): { readonly body: JsonObject } | { readonly refusal: RedfishAnswer } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { refusal: malformed() };
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? { body: value as JsonObject } : { refusal: malformed() };
}

/** The answer to a body that is not a JSON object. */
export function malformed(): RedfishAnswer {
  return refuse(400, { messageId: 'MalformedJSON' });
}

function tooLarge(): RedfishAnswer {
  return refuse(413, {
    messageId: 'Base.1.8.PayloadTooLarge',
    message: `The body of the request is larger than ${mostJsonBytes} bytes.`,
    severity: 'Critical',
  });
}

function wrongType(type: string): RedfishAnswer {
  return refuse(415, {
    messageId: 'Base.1.8.UnsupportedMediaType',
    message: `The content type '${type}' is not supported here.`,
    resolution: 'Send the body as application/json.',
    args: [type],
    severity: 'Critical',
  });
}

function isJsonType(type: string): boolean {
  // Many small clients send none; BMCs let that pass.
  return type === '' || type === 'application/json' || type.endsWith('+json');
}
