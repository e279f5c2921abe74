import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Json, JsonObject } from '../../src/schema/index.ts';
import type { CertificateAuthority } from '../real/certificate-authority.ts';

/** What a webhook answers to one review: a JSON body, or a bare HTTP code. */
export type WebhookReply = JsonObject | { readonly httpCode: number; readonly text: string };

/** Decides on one review request. */
export type WebhookHandler = (review: JsonObject, path: string) => WebhookReply | Promise<WebhookReply>;

/** An HTTPS server that plays an admission or conversion webhook. */
export interface WebhookServer {
  readonly url: string;
  readonly port: number;
  readonly caBundle: string;
  /** Every review received so far, in order. */
  readonly reviews: Json[];
  close(): Promise<void>;
}

/** Starts a webhook on a free loopback port. */
export async function startWebhookServer(
  authority: CertificateAuthority,
  handle: WebhookHandler,
): Promise<WebhookServer> {
  const serving = await authority.issueServer('webhook');
  const reviews: Json[] = [];
  const server = createServer({ cert: serving.certPem, key: serving.keyPem }, (asked, answer) => {
    let text = '';
    asked.setEncoding('utf8');
    asked.on('data', (chunk: string) => {
      text += chunk;
    });
    asked.on('end', async () => {
      const review = JSON.parse(text) as JsonObject;
      reviews.push(review);
      const reply = await handle(review, (asked.url ?? '/').split('?')[0] ?? '/');
      if ('httpCode' in reply) {
        answer.writeHead(Number(reply.httpCode), { 'content-type': 'text/plain' }).end(String(reply.text));
      } else {
        answer.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
      }
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    caBundle: Buffer.from(authority.certPem).toString('base64'),
    reviews,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}
