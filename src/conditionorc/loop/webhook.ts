import { createHmac } from 'node:crypto';
import { Agent, request } from 'undici';
import type { JsonObject } from '../../engine/index.ts';
import { showTime } from '../records/condition-record.ts';
import type { Notice } from './notice.ts';

/** Where operators want to be told. */
export interface WebhookOptions {
  readonly url: string;
  /** Sent as a bearer token. */
  readonly token?: string;
  /** With it each body is signed: `x-rackwright-signature: sha256=...`. */
  readonly secret?: string;
  /** Certificates to trust besides those of the system, as PEM. */
  readonly ca?: string;
  /** How long an answer may take; 10 s unless given. */
  readonly timeoutMs?: number;
}

/** What became of an attempt. `detail` is safe to log. */
export type WebhookOutcome =
  | { readonly outcome: 'delivered' }
  | { readonly outcome: 'failed'; readonly detail: string; readonly canRetry: boolean };

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

/** Makes the way to a webhook. Redirects are not followed: the token is for the address that was given. */
export function createWebhook(options: WebhookOptions): Webhook {
  const { timeoutMs = 10_000, ca } = options;
  const agent = new Agent({ connect: { ...(ca === undefined ? {} : { ca }), timeout: timeoutMs } });
  return {
    async send(notice) {
      const body = JSON.stringify(showNotice(notice));
      try {
        const answer = await request(options.url, {
          dispatcher: agent,
          method: 'POST',
          headers: headersOf(options, body),
          body,
          headersTimeout: timeoutMs,
          bodyTimeout: timeoutMs,
        });
        await answer.body.dump();
        return judge(answer.statusCode);
      } catch (error) {
        // A message could quote the address, and with it what is secret in its path.
        const code = error instanceof Error && 'code' in error ? String(error.code) : 'no connection';
        return { outcome: 'failed', detail: code, canRetry: true };
      }
    },
    close: () => agent.destroy(),
  };
}

function headersOf({ token, secret }: WebhookOptions, body: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(secret === undefined
      ? {}
      : { 'x-rackwright-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}` }),
  };
}

function judge(status: number): WebhookOutcome {
  if (status >= 200 && status < 300) return { outcome: 'delivered' };
  const canRetry = status >= 500 || status === 408 || status === 429 || status === 401 || status === 403;
  return { outcome: 'failed', detail: `status ${status}`, canRetry };
}
