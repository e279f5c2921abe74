import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { JsonObject, RedfishAnswer } from '../route.ts';
import { compressedEtag, tagBody } from './etag.ts';
import { type Exchange, headerOf } from './exchange.ts';

const compress = promisify(gzip);
/** Smaller bodies are not worth compressing. */
const leastCompressedBytes = 1024;
const jsonType = 'application/json; charset=utf-8';

/** Sends an answer, bent by the faults that strike it. Resolves once it is out of our hands. */
export async function sendAnswer(exchange: Exchange, answer: RedfishAnswer): Promise<void> {
  const { response, machine } = exchange;
  const draft = draftOf(exchange, answer);
  const body = draft.text === undefined ? undefined : await encodeBody(exchange, draft);
  response.sendDate = false;
  response.statusCode = answer.status;
  for (const [name, value] of Object.entries(draft.headers)) response.setHeader(name, value);
  // A client can tell from it that the BMC's clock is off.
  response.setHeader('Date', new Date(machine.manager.now()).toUTCString());
  if (body !== undefined) response.setHeader('Content-Length', Buffer.byteLength(body));
  else if (answer.status !== 204 && answer.status !== 304) response.setHeader('Content-Length', 0);
  if (exchange.reset === 'mid-answer') await sendHalf(exchange, Buffer.from(body ?? ''));
  else await finish(response, body);
}

interface Draft {
  readonly headers: Record<string, string>;
  readonly text: string | undefined;
}

function draftOf(exchange: Exchange, answer: RedfishAnswer): Draft {
  const headers: Record<string, string> = { 'OData-Version': '4.0', 'Cache-Control': 'no-cache', ...answer.headers };
  if (answer.status === 204 || answer.status === 304) return { headers, text: undefined };
  if (answer.text !== undefined) return { headers: { 'Content-Type': 'text/plain', ...headers }, text: answer.text };
  if (answer.body === undefined) return { headers, text: undefined };
  const text = textOf(exchange, answer.body, headers);
  return spoil(exchange, { headers: { 'Content-Type': jsonType, ...headers }, text });
}

/** What is read gets its ETag here unless that was done before. */
function textOf(exchange: Exchange, body: JsonObject, headers: Record<string, string>): string {
  if (headers.ETag !== undefined || body['@odata.id'] === undefined) return JSON.stringify(body);
  const tagged = tagBody(body, exchange.machine.personality.service);
  headers.ETag = tagged.etag;
  return tagged.text;
}

/** The faults that a JSON body can have on its way out. */
function spoil(exchange: Exchange, draft: Draft & { readonly text: string }): Draft {
  const { machine, method, path } = exchange;
  const strikes = (kind: 'truncated-json' | 'malformed-json' | 'wrong-content-type'): boolean =>
    machine.faults.strike(kind, { method, path }) !== undefined;
  let { headers, text } = draft;
  if (strikes('truncated-json')) text = text.slice(0, Math.ceil(text.length / 2));
  if (strikes('malformed-json')) text = text.replace(':', ' ').replace(/\}$/, ',}');
  if (strikes('wrong-content-type')) headers = { ...headers, 'Content-Type': 'text/html' };
  return { headers, text };
}

/** A text is left as it is: it goes out in one piece with the headers. */
async function encodeBody(exchange: Exchange, draft: Draft): Promise<Buffer | string> {
  const plain = draft.text ?? '';
  const accepted = headerOf(exchange.request, 'accept-encoding') ?? '';
  const isCompressed =
    exchange.machine.personality.service.hasGzip === true &&
    plain.length >= leastCompressedBytes &&
    /(^|,)\s*(gzip|\*)\s*(;\s*q=(1|0?\.\d*[1-9]))?\s*(,|$)/i.test(accepted);
  if (!isCompressed) return plain;
  draft.headers['Content-Encoding'] = 'gzip';
  draft.headers.Vary = 'Accept-Encoding';
  if (draft.headers.ETag !== undefined) draft.headers.ETag = compressedEtag(draft.headers.ETag);
  return compress(plain);
}

function finish(response: ServerResponse, body: Buffer | string | undefined): Promise<void> {
  return new Promise((resolve) => {
    response.once('close', resolve);
    if (body === undefined) response.end(() => resolve());
    else response.end(body, () => resolve());
  });
}

/** Half of the answer gets out, then the connection breaks. */
function sendHalf(exchange: Exchange, body: Buffer): Promise<void> {
  const { response } = exchange;
  return new Promise((resolve) => {
    response.once('close', resolve);
    response.flushHeaders();
    response.write(body.subarray(0, Math.ceil(body.length / 2)), () => {
      exchange.cut();
      resolve();
    });
  });
}
