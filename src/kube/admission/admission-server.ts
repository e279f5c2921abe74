import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Logger, type Metrics, noMetrics, silentLogger } from '../../telemetry/index.ts';
import type { CertifiedKey } from '../pem.ts';
import { closeUnaskedConnections } from '../unasked-connection.ts';
import type { AdmissionRule } from './admission-rule.ts';
import { answerConversion, type Conversion } from './conversion.ts';
import { askRule, decodeAdmissionReview, encodeAdmissionReview, MalformedReview } from './review.ts';

/** What an admission server serves, and where. */
export interface AdmissionServerOptions {
  readonly rules: readonly AdmissionRule[];
  readonly conversions?: readonly Conversion[];
  readonly certificate: CertifiedKey;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
}

/** A running admission server. */
export interface AdmissionServer {
  readonly port: number;
  /** Uses another certificate for new connections; those that are open stay open. */
  setCertificate(certificate: CertifiedKey): void;
  close(): Promise<void>;
}

/** Where a rule is served. */
export function admissionPath(ruleName: string): string {
  return `/admit/${ruleName}`;
}

/** Where all conversions are served. */
export const conversionPath = '/convert';

/** Two objects of the largest size the API takes, and what surrounds them. */
const maxBodyBytes = 8 * 1024 * 1024;

type Answer = (body: unknown) => Promise<object>;

/** Starts serving. */
export async function startAdmissionServer(options: AdmissionServerOptions): Promise<AdmissionServer> {
  const logger = options.logger ?? silentLogger;
  const answers = createAnswers(options);
  const counter = (options.metrics ?? noMetrics).counter({
    name: 'controller_runtime_webhook_requests_total',
    help: 'Requests to the admission server by path and HTTP code.',
    labels: ['webhook', 'code'],
  });
  const { certificatePem, privateKeyPem } = options.certificate;
  const server: Server = createServer(
    { cert: certificatePem, key: privateKeyPem, minVersion: 'TLSv1.2' },
    (request, response) => {
      void serve(answers, request, response, logger).then((code) =>
        counter.add(1, { webhook: answers.has(pathOf(request)) ? pathOf(request) : 'other', code: String(code) }),
      );
    },
  );
  server.requestTimeout = 30_000;
  closeUnaskedConnections(server);
  server.on('tlsClientError', (error) => logger.debug('a TLS handshake failed', { error }));
  server.listen(options.port, options.host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    setCertificate: (next) => server.setSecureContext({ cert: next.certificatePem, key: next.privateKeyPem }),
    async close() {
      server.close();
      server.closeIdleConnections();
      const impatient = setTimeout(() => server.closeAllConnections(), 5_000);
      await once(server, 'close');
      clearTimeout(impatient);
    },
  };
}

function createAnswers({ rules, conversions = [] }: AdmissionServerOptions): Map<string, Answer> {
  const answers = new Map<string, Answer>();
  for (const rule of rules) {
    const path = admissionPath(rule.name);
    if (answers.has(path)) throw new TypeError(`two admission rules are named "${rule.name}"`);
    answers.set(path, async (body) => encodeAdmissionReview(await askRule(rule, decodeAdmissionReview(body))));
  }
  answers.set(conversionPath, async (body) => answerConversion(conversions, body));
  return answers;
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?')[0] ?? '/';
}

/** Answers one request and gives the HTTP code; never rejects. */
async function serve(
  answers: Map<string, Answer>,
  request: IncomingMessage,
  response: ServerResponse,
  logger: Logger,
): Promise<number> {
  try {
    const path = pathOf(request);
    if (path === '/healthz' || path === '/readyz') return reply(response, 200, 'text/plain', 'ok');
    const answer = answers.get(path);
    if (answer === undefined) return reply(response, 404, 'text/plain', `nothing is served at ${path}\n`);
    if (request.method !== 'POST') return reply(response, 405, 'text/plain', 'only POST is served here\n');
    const body = await readBody(request);
    return reply(response, 200, 'application/json', JSON.stringify(await answer(body)));
  } catch (error) {
    if (error instanceof MalformedReview) return reply(response, 400, 'text/plain', `${error.message}\n`);
    if (error instanceof BodyTooLarge) return reply(response, 413, 'text/plain', `${error.message}\n`);
    logger.error('an admission request failed', { path: request.url, error });
    // The API server follows the failure policy of the webhook then; the cause is for our log only.
    return reply(response, 500, 'text/plain', 'the admission rule could not be asked\n');
  }
}

class BodyTooLarge extends Error {}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > maxBodyBytes) throw new BodyTooLarge(`the body is larger than ${maxBodyBytes} bytes`);
    chunks.push(chunk as Buffer);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch (cause) {
    throw new MalformedReview('the body is not JSON', { cause });
  }
}

function reply(response: ServerResponse, code: number, type: string, body: string): number {
  response.writeHead(code, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(body);
  return code;
}
