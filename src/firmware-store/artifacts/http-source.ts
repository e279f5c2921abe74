import { type Dispatcher, request } from 'undici';
import { type Egress, EgressRefused } from '../../egress/index.ts';
import { StoreError } from '../errors.ts';
import { type Opened, shownSource, type Wanted } from './source.ts';

/** How files are fetched over HTTP. */
export interface HttpSettings {
  readonly dispatcher: Dispatcher;
  /** With it nobody outside is followed to where only operators are told what is answered. */
  readonly egress?: Pick<Egress, 'mayDescribe'> | undefined;
  readonly maxRedirects: number;
  /** How long the source may say nothing. */
  readonly idleMs: number;
  /** User and password for an origin, over those in the address. */
  readonly credentialsFor?: ((origin: string) => Promise<SourceCredentials | undefined>) | undefined;
}

/** What a source wants to see. */
export type SourceCredentials =
  | { readonly username: string; readonly password: string }
  | { readonly bearerToken: string };

/** What is asked of a source besides who asks. */
export interface HttpQuestion {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** An answer that is no redirect, and the address that gave it. */
export interface HttpAnswer {
  readonly url: URL;
  readonly answer: Dispatcher.ResponseData;
}

/** Fetches a file over HTTP, from an offset where the source can. */
export async function fetchHttp(url: URL, wanted: Wanted, settings: HttpSettings): Promise<Opened> {
  const canGoOn = wanted.offset > 0 && wanted.validator !== undefined;
  const headers = {
    // The hash is that of the file, not of some packed form of it.
    'accept-encoding': 'identity',
    ...(canGoOn ? { range: `bytes=${wanted.offset}-`, 'if-range': wanted.validator ?? '' } : {}),
  };
  const { url: at, answer } = await askHttp(url, { headers, signal: wanted.signal }, settings);
  return judge(at, answer, wanted);
}

/** Asks over HTTP; redirects are followed a few times, never from HTTPS to HTTP, and credentials stay at their origin. */
export async function askHttp(url: URL, question: HttpQuestion, settings: HttpSettings): Promise<HttpAnswer> {
  let at = url;
  for (let redirects = 0; ; redirects += 1) {
    const answer = await ask(at, { question, settings, isFirstOrigin: at.origin === url.origin, given: url });
    const location = redirectOf(answer);
    if (location === undefined) return { url: at, answer };
    await discard(answer);
    if (redirects === settings.maxRedirects) {
      throw refused(url, `it was redirected more than ${settings.maxRedirects} times`);
    }
    const next = nextAddress(at, location);
    const { egress } = settings;
    if (egress !== undefined && (await egress.mayDescribe(at)) && !(await egress.mayDescribe(next)))
      throw refused(url, 'it was redirected to an internal host');
    at = next;
  }
}

interface Asking {
  readonly question: HttpQuestion;
  readonly settings: HttpSettings;
  readonly isFirstOrigin: boolean;
  readonly given: URL;
}

async function ask(url: URL, { question, settings, isFirstOrigin, given }: Asking): Promise<Dispatcher.ResponseData> {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  bare.hash = '';
  try {
    return await request(bare, {
      dispatcher: settings.dispatcher,
      headersTimeout: settings.idleMs,
      bodyTimeout: settings.idleMs,
      signal: question.signal ?? null,
      headers: {
        accept: '*/*',
        ...question.headers,
        ...(await authorize(bare.origin, settings, isFirstOrigin ? given : undefined)),
      },
    });
  } catch (error) {
    throw failed(url, error);
  }
}

async function authorize(
  origin: string,
  settings: HttpSettings,
  given: URL | undefined,
): Promise<Record<string, string>> {
  const known = await settings.credentialsFor?.(origin);
  if (known !== undefined && 'bearerToken' in known) return { authorization: `Bearer ${known.bearerToken}` };
  const username = known?.username ?? decodeURIComponent(given?.username ?? '');
  const password = known?.password ?? decodeURIComponent(given?.password ?? '');
  if (username === '') return {};
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

function redirectOf({ statusCode, headers }: Dispatcher.ResponseData): string | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode)) return undefined;
  return oneOf(headers.location);
}

function nextAddress(from: URL, location: string): URL {
  if (!URL.canParse(location, from.href)) throw refused(from, 'it was redirected to what is not a URL');
  const next = new URL(location, from);
  if (next.protocol !== 'https:' && next.protocol !== 'http:') {
    throw refused(from, `it was redirected to ${next.protocol}`);
  }
  if (from.protocol === 'https:' && next.protocol === 'http:') {
    throw refused(from, 'it was redirected from HTTPS to HTTP');
  }
  return next;
}

async function judge(url: URL, answer: Dispatcher.ResponseData, wanted: Wanted): Promise<Opened> {
  const { statusCode, headers, body } = answer;
  const validator = validatorOf(headers);
  if (statusCode === 200) return { offset: 0, validator, sizeBytes: lengthOf(headers), body };
  if (statusCode === 206) {
    const range = rangeOf(oneOf(headers['content-range']));
    if (range !== undefined && range.from === wanted.offset) {
      return { offset: range.from, validator, sizeBytes: range.total, body };
    }
  }
  await discard(answer);
  // The part is no beginning of what is there now: asked for again without it.
  if (statusCode === 206 || statusCode === 416) throw new RangeRefused();
  throw answered(url, statusCode);
}

/** What an answer other than the file means: some pass, others do not. */
export function answered(url: URL, statusCode: number): StoreError {
  const detail = `the server answered ${statusCode}`;
  const mayPass = statusCode === 408 || statusCode === 429 || statusCode >= 500;
  return mayPass ? new StoreError('sourceFailed', { source: shownSource(url), detail }) : refused(url, detail);
}

/** The source does not go on where it was asked to; the file has to be fetched from its beginning. */
export class RangeRefused extends Error {
  constructor() {
    super('the source does not go on there');
    this.name = 'RangeRefused';
  }
}

/** Only a strong validator says that two pieces fit together. */
function validatorOf(headers: Dispatcher.ResponseData['headers']): string | undefined {
  const etag = oneOf(headers.etag);
  if (etag?.startsWith('"') === true) return etag;
  return oneOf(headers['last-modified']);
}

function lengthOf(headers: Dispatcher.ResponseData['headers']): number | undefined {
  const text = oneOf(headers['content-length']);
  return text === undefined || !/^\d{1,15}$/.test(text) ? undefined : Number(text);
}

function rangeOf(text: string | undefined): { readonly from: number; readonly total: number | undefined } | undefined {
  const [, from, , total] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/.exec(text ?? '') ?? [];
  if (from === undefined) return undefined;
  return { from: Number(from), total: total === undefined || total === '*' ? undefined : Number(total) };
}

function oneOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/** Reads on what nobody needs, so that the connection can be used again. */
export async function discard(answer: Dispatcher.ResponseData): Promise<void> {
  try {
    await answer.body.dump({ limit: 64 * 1024 });
  } catch {
    // What is thrown away may break off: the answer's head was all that counted.
  }
}

function refused(url: URL, detail: string, cause?: unknown): StoreError {
  return new StoreError('sourceRefused', { source: shownSource(url), detail }, { cause });
}

/** Only the code: messages of the network may repeat the address. */
function failed(url: URL, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const code = (error as { code?: unknown } | undefined)?.code;
  if (error instanceof EgressRefused) return refused(url, error.message, error);
  const detail = typeof code === 'string' ? code : error instanceof Error ? error.name : 'unknown reason';
  if (/CERT|VERIFY|SELF_SIGNED/.test(detail)) return refused(url, `its certificate is not trusted (${detail})`);
  return new StoreError('sourceFailed', { source: shownSource(url), detail }, { cause: error });
}
