import { Agent, type Dispatcher } from 'undici';
import { featuresOf, type IronicFeatures } from './api-version.ts';
import { errorOfAnswer, faultOf, IronicError, isIronicError } from './ironic-error.ts';
import { type JsonObject, objectOf } from './json.ts';

/** How an Ironic is reached. */
export interface IronicConnection {
  /** `https://ironic.example:6385`, with or without `/v1`. */
  readonly url: string;
  /** For HTTP basic; without it no log-in is tried. */
  readonly credentials?: { readonly username: string; readonly password: string } | undefined;
  /** Certificates to trust instead of those of the system, as PEM. */
  readonly ca?: string | undefined;
  /** Accept any certificate. */
  readonly isCertificateUnchecked?: boolean | undefined;
  /** How long one answer may take; 60 s unless given, which Ironic's own checks of a BMC fit into. */
  readonly timeoutMs?: number | undefined;
  /** How many requests are under way at once; 16 unless given. */
  readonly maxConnections?: number | undefined;
}

/** One request. */
export interface IronicCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/v1`, with its query: `/nodes/1`. */
  readonly path: string;
  readonly body?: unknown;
}

/** Sends requests to one Ironic, in a version that both know. */
export interface IronicClient {
  /** What it answers; a list by itself as `items`. Throws IronicError. */
  call(call: IronicCall): Promise<JsonObject>;
  /** What it can do; asked for once, and again when it was away or speaks of another version. */
  features(): Promise<IronicFeatures>;
  close(): Promise<void>;
}

const defaultTimeoutMs = 60_000;
const versionHeader = 'x-openstack-ironic-api-version';

/** Makes a client; nothing is sent before the first call. */
export function createIronicClient(connection: IronicConnection): IronicClient {
  let features: Promise<IronicFeatures> | undefined;
  let newest: string | undefined;
  /** One that was upgraded while nobody asked it was never away for us. */
  const send = createSender(connection, (heard) => {
    if (newest !== undefined && newest !== heard) features = undefined;
    newest = heard;
  });

  /** An Ironic that was away may come back as another one. */
  const forget = (error: unknown): never => {
    if (isIronicError(error, 'away') || isIronicError(error, 'tooOld')) features = undefined;
    throw error;
  };
  const readFeatures = (): Promise<IronicFeatures> => {
    if (features === undefined) newest = undefined;
    features ??= send
      .request({ method: 'GET', path: '/v1/' }, {})
      .then(({ newestVersion }) => featuresOf(newestVersion));
    return features.catch(forget);
  };

  return {
    features: readFeatures,
    async call({ method, path, body }) {
      const { minor } = await readFeatures();
      const answer = await send
        .request({ method, path: `/v1${path}`, body }, { [versionHeader]: `1.${minor}` })
        .catch(forget);
      return answer.body;
    },
    close: () => send.close(),
  };
}

interface Answer {
  readonly body: JsonObject;
  /** The newest version of the API there. */
  readonly newestVersion: string | undefined;
}

function createSender(connection: IronicConnection, onVersion: (newest: string) => void) {
  const { timeoutMs = defaultTimeoutMs, maxConnections = 16, credentials, ca } = connection;
  const url = new URL(connection.url);
  const prefix = url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '');
  const agent = new Agent({
    connections: maxConnections,
    keepAliveTimeout: 30_000,
    connect: {
      timeout: Math.min(timeoutMs, 10_000),
      ...(ca === undefined ? {} : { ca }),
      ...(connection.isCertificateUnchecked === true ? { rejectUnauthorized: false } : {}),
    },
  });
  const standing = { accept: 'application/json', ...authorization(credentials) };
  return {
    async request(call: IronicCall, headers: Readonly<Record<string, string>>): Promise<Answer> {
      const hasBody = call.body !== undefined;
      let answer: Dispatcher.ResponseData;
      let text: string;
      try {
        answer = await agent.request({
          origin: url.origin,
          path: prefix + call.path,
          method: call.method,
          headers: { ...standing, ...headers, ...(hasBody ? { 'content-type': 'application/json' } : {}) },
          body: hasBody ? JSON.stringify(call.body) : null,
          signal: AbortSignal.timeout(timeoutMs),
          headersTimeout: timeoutMs,
          bodyTimeout: timeoutMs,
        });
        text = await answer.body.text();
      } catch (error) {
        throw new IronicError('away', `${url.origin} does not answer (${reasonOf(error)})`, { cause: error });
      }
      const newest = answer.headers['x-openstack-ironic-api-maximum-version'];
      const newestVersion = typeof newest === 'string' ? newest : undefined;
      if (newestVersion !== undefined) onVersion(newestVersion);
      if (answer.statusCode >= 300) throw errorOfAnswer(answer.statusCode, faultOf(text, answer.statusCode));
      return { body: parse(text, url.origin), newestVersion };
    },
    close: () => agent.close(),
  };
}

function authorization(credentials: IronicConnection['credentials']): Readonly<Record<string, string>> {
  if (credentials === undefined) return {};
  const { username, password } = credentials;
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'it took too long';
  return error instanceof Error && 'code' in error ? String(error.code) : 'the connection failed';
}

function parse(text: string, origin: string): JsonObject {
  if (text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? { items: value } : objectOf(value);
  } catch (error) {
    throw new IronicError('away', `what answers at ${origin} is no Ironic`, { cause: error });
  }
}
