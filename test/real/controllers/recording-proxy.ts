import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer, request } from 'node:https';
import type { CertificatePair } from '../certificate-authority.ts';
import { type Exchange, readAnswer, readRequest } from './exchanges.ts';

/** Stands between a client and a Kubernetes API server, and writes down what was requested and how it was answered. */
export interface RecordingProxy {
  readonly url: string;
  readonly exchanges: readonly Exchange[];
  stop(): Promise<void>;
}

export interface RecordingProxyOptions {
  readonly server: string;
  readonly caPem: string;
  /** What the proxy itself shows to clients. */
  readonly certificate: CertificatePair;
}

const longestStatus = 64 * 1024;

/** Starts a proxy on a free port of the loopback interface. */
export async function startRecordingProxy(options: RecordingProxyOptions): Promise<RecordingProxy> {
  const exchanges: Exchange[] = [];
  const agent = new Agent({ keepAlive: true, ca: options.caPem });
  const forward = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const asked = readRequest(incoming.method ?? '', incoming.url ?? '', incoming.headers);
    const upstream = request(
      `${options.server}${incoming.url}`,
      { agent, method: incoming.method, headers: { ...incoming.headers, host: new URL(options.server).host } },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
        // A watch has nothing to say at first, and its client waits for the headers.
        outgoing.flushHeaders();
        const chunks: Buffer[] = [];
        const isRefusal = (answer.statusCode ?? 0) >= 400;
        let size = 0;
        if (isRefusal) {
          answer.on('data', (chunk: Buffer) => {
            size += chunk.length;
            if (size <= longestStatus) chunks.push(chunk);
          });
          answer.on('end', () => exchanges.push({ ...asked, answer: readAnswer(answer, Buffer.concat(chunks)) }));
        } else exchanges.push({ ...asked, answer: readAnswer(answer, undefined) });
        answer.pipe(outgoing);
        answer.on('error', () => outgoing.destroy());
      },
    );
    upstream.on('error', () => outgoing.destroy());
    // A client that ends its watch goes without a word.
    outgoing.on('close', () => upstream.destroy());
    incoming.pipe(upstream);
  };
  const { certPem, keyPem } = options.certificate;
  const server = createServer({ cert: certPem, key: keyPem, keepAliveTimeout: 0, requestTimeout: 0 }, forward);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `https://127.0.0.1:${port}`,
    exchanges,
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      agent.destroy();
    },
  };
}
