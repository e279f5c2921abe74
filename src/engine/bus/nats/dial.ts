import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import {
  type Authenticator,
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  errors,
  type NatsConnection,
  nkeyAuthenticator,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node';
import { redactText } from '../../../telemetry/index.ts';
import { BusError, messageOf } from '../errors.ts';
import type { NatsAddress, NatsCredentials } from './nats-address.ts';
import { type NatsSettings, requestMs } from './nats-settings.ts';

/** How the connection is secured. PEM texts. */
export interface NatsTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Everything needed to connect once. */
export interface DialPlan {
  readonly address: NatsAddress;
  readonly credentials: NatsCredentials | undefined;
  readonly tls: NatsTls | undefined;
  readonly settings: NatsSettings;
}

/** One connection and what is spoken over it; it is never mended, a new one takes its place. */
export interface Link {
  readonly nc: NatsConnection;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
}

/** Connects once, to whichever server answers. */
export async function dial(plan: DialPlan): Promise<Link> {
  checkCredentials(plan);
  try {
    const nc = await connect(connectionOptions(plan));
    const options = { timeout: requestMs(plan.settings) };
    // Without JetStream the status hints still travel, so its absence is no reason not to connect.
    return { nc, js: jetstream(nc, options), jsm: await jetstreamManager(nc, { ...options, checkAPI: false }) };
  } catch (error) {
    throw explain(error, plan);
  }
}

function connectionOptions({ address, credentials, tls, settings }: DialPlan): ConnectionOptions {
  const isTls = address.isTls || tls !== undefined;
  return {
    servers: [...address.servers],
    name: settings.prefix,
    timeout: settings.dialTimeoutMs,
    pingInterval: settings.pingMs,
    maxPingOut: 2,
    // The client would keep everything that is published while it is away, without a bound, and gives up after two
    // refused logins. We connect anew instead, by our own clock.
    reconnect: false,
    ...(credentials === undefined ? {} : { authenticator: authenticatorOf(credentials) }),
    ...(isTls ? { tls: { ...tls } } : {}),
  };
}

function authenticatorOf(credentials: NatsCredentials): Authenticator {
  switch (credentials.kind) {
    case 'password':
      return usernamePasswordAuthenticator(credentials.user, credentials.password);
    case 'token':
      return tokenAuthenticator(credentials.token);
    case 'creds':
      return credsAuthenticator(Buffer.from(credentials.creds));
    case 'nkey':
      return nkeyAuthenticator(Buffer.from(credentials.seed));
  }
}

/** Finds out about a broken seed or creds file here, where it can be said better than in the middle of a login. */
function checkCredentials({ credentials, address }: DialPlan): void {
  if (credentials === undefined) return;
  try {
    authenticatorOf(credentials)('a nonce');
  } catch {
    const detail = `the ${credentials.kind} given cannot be read`;
    // The cause is left out: it may repeat what it could not read.
    throw new BusError('refused', { where: address.servers.join(', '), detail });
  }
}

const certificateCodes = /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/;

/** What a failed connection means. The cause is left out where it could repeat a secret. */
function explain(error: unknown, plan: DialPlan): BusError {
  const where = plan.address.servers.join(', ');
  const detail = withoutSecrets(messageOf(error), plan.credentials);
  if (error instanceof errors.AuthorizationError || error instanceof errors.UserAuthenticationExpiredError) {
    return new BusError('refused', { where, detail });
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const isAboutTls = certificateCodes.test(code) || /'tls'/.test(detail);
  return new BusError(isAboutTls ? 'untrusted' : 'unreachable', { where, detail });
}

function withoutSecrets(text: string, credentials: NatsCredentials | undefined): string {
  const secrets = Object.entries(credentials ?? {}).flatMap(([name, value]) => (name === 'kind' ? [] : [value]));
  return secrets
    .filter((secret) => secret !== '')
    .reduce((safe, secret) => safe.replaceAll(secret, '…'), redactText(text));
}
