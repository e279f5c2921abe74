import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

/** For tests: a span as it was sent. */
export interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly status?: { readonly code?: number; readonly message?: string };
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

/** For tests: what a collector of traces was sent. */
export interface OtlpReceiver {
  readonly url: string;
  readonly spans: readonly SentSpan[];
  /** Every body as it came. */
  readonly bodies: readonly string[];
  close(): Promise<void>;
}

interface Sent {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[] }[];
}

/** For tests: listens for OTLP over HTTP, as JSON. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const bodies: string[] = [];
  const spans: SentSpan[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const body = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString('utf8');
    bodies.push(body);
    if (request.url === '/v1/traces') {
      const sent = JSON.parse(body) as Sent;
      for (const of of sent.resourceSpans) for (const scope of of.scopeSpans) spans.push(...scope.spans);
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodies,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** For tests: the names of a span and of those above it, from the root down; a span whose parent was not sent has `?` above it. */
export function pathOfSpan(spans: readonly SentSpan[], span: SentSpan): readonly string[] {
  if (span.parentSpanId === undefined || span.parentSpanId === '') return [span.name];
  const parent = spans.find(({ spanId, traceId }) => spanId === span.parentSpanId && traceId === span.traceId);
  return [...(parent === undefined ? ['?'] : pathOfSpan(spans, parent)), span.name];
}
