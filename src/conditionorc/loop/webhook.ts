import { createHmac } from 'node:crypto';
import { getCACertificates } from 'node:tls';
import { Agent, buildConnector, request } from 'undici';
import { createEgress, type Egress } from '../../egress/index.ts';
import type { JsonObject } from '../../engine/index.ts';
import { OrcError } from '../errors.ts';
import { showTime } from '../records/condition-record.ts';
import type { Notice } from './notice.ts';

/** Where operators want to be told. */
export interface WebhookOptions {
  /** `https:`; `http:` only on this machine where a token goes with it. */
  readonly url: string;
  /** Sent as a bearer token. */
  readonly token?: string;
  /** With it each body is signed: `x-rackwright-signature: sha256=...`. */
  readonly secret?: string;
  /** Certificates to trust besides those of the system, as PEM. */
  readonly ca?: string;
  /** What may be connected to; all but guarded addresses unless given. */
  readonly egress?: Egress | undefined;
  /** How long all of an attempt may take; 10 s unless given. */
  readonly timeoutMs?: number;
}

/** What became of an attempt. `detail` is safe to log. */
export type WebhookOutcome =
  | { readonly outcome: 'delivered' }
  | {
      readonly outcome: 'failed';
      readonly detail: string;
      readonly canRetry: boolean;
      /** How long it asked to be left alone. */
      readonly retryAfterMs?: number;
    };

/** Tells a webhook; never throws. */
export interface Webhook {
  send(notice: Notice): Promise<WebhookOutcome>;
  close(): Promise<void>;
}

/** What a webhook is told. */
export function showNotice(notice: Notice): JsonObject {
  const { seq, at, type, controller, message, doing } = notice;
  return { id: seq, type, at: showTime(at), controller, message, text: message, doing: [...doing] };
}

/** What is read of an answer; nobody looks at the rest. */
const mostAnswerBytes = 64 * 1024;

/**
 * Makes the way to a webhook. Redirects are not followed: token and signature are for the address that was given. Throws
 * `badWebhook` for an address that cannot be used, or over which a token would be readable by others.
 */
export function createWebhook(options: WebhookOptions): Webhook {
  const { timeoutMs = 10_000, ca, egress = createEgress() } = options;
  const url = checkUrl(options, egress);
  const trust = ca === undefined ? {} : { ca: [...getCACertificates('default'), ca] };
  const { lookup } = egress;
  const agent = new Agent({ connect: egress.guard(buildConnector({ ...trust, timeout: timeoutMs, lookup })) });
  return {
    async send(notice) {
      const body = JSON.stringify(showNotice(notice));
      try {
        const answer = await request(url, {
          dispatcher: agent,
          method: 'POST',
          headers: headersOf(options, { notice, body }),
          body,
          // All of it, so that whoever answers a byte at a time keeps nobody.
          signal: AbortSignal.timeout(timeoutMs),
        });
        await answer.body.dump({ limit: mostAnswerBytes });
        return judge(answer.statusCode, answer.headers['retry-after']);
      } catch (error) {
        // A message could quote the address, and with it what is secret in its path.
        const known = error instanceof Error ? error : undefined;
        const code = known?.name === 'TimeoutError' ? 'timeout' : (known as { code?: unknown } | undefined)?.code;
        return { outcome: 'failed', detail: typeof code === 'string' ? code : 'no connection', canRetry: true };
      }
    },
    close: () => agent.destroy(),
  };
}

function checkUrl({ url, token }: WebhookOptions, egress: Egress): URL {
  const refuse = (detail: string) => new OrcError('badWebhook', { detail });
  // The text is not shown: many have what is secret in their path.
  if (!URL.canParse(url)) throw refuse('it is not a URL');
  const parsed = new URL(url);
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:') throw refuse('it is neither https nor http');
  if (parsed.username !== '' || parsed.password !== '') throw refuse('credentials do not belong in it; give a token');
  if (parsed.protocol === 'http:' && token !== undefined && !isLoopback(parsed.hostname)) {
    throw refuse('a token goes over https only, but for addresses of this machine');
  }
  const why = egress.whyNot(parsed);
  if (why !== undefined) throw refuse(why);
  return parsed;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);
}

/** The number of the notice lets whoever gets one twice know it. */
function headersOf(
  { token, secret }: WebhookOptions,
  about: { readonly notice: Notice; readonly body: string },
): Record<string, string> {
  const sign = (key: string): string => createHmac('sha256', key).update(about.body).digest('hex');
  return {
    'content-type': 'application/json',
    'user-agent': 'rackwright',
    'x-rackwright-notice': String(about.notice.seq),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(secret === undefined ? {} : { 'x-rackwright-signature': `sha256=${sign(secret)}` }),
  };
}

const mostRetryAfterS = 3600;

function judge(status: number, retryAfter: string | string[] | undefined): WebhookOutcome {
  if (status >= 200 && status < 300) return { outcome: 'delivered' };
  const canRetry = status >= 500 || status === 408 || status === 429 || status === 401 || status === 403;
  const asked = typeof retryAfter === 'string' && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : undefined;
  const wait = asked === undefined ? {} : { retryAfterMs: Math.min(asked, mostRetryAfterS) * 1000 };
  return { outcome: 'failed', detail: `status ${status}`, canRetry, ...wait };
}
