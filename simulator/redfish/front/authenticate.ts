import type { Machine } from '../../machine/machine.ts';
import { refuse } from '../resources/errors.ts';
import type { RedfishAnswer } from '../route.ts';
import { type Exchange, headerOf } from './exchange.ts';

/** Who asks: a session, or somebody with name and password (no id). */
export interface Caller {
  readonly sessionId?: string;
}

/** Finds out who asks, or says why nobody is let in. */
export function authenticate(exchange: Exchange): Caller | RedfishAnswer {
  const token = headerOf(exchange.request, 'x-auth-token');
  if (token !== undefined) return checkToken(exchange, token);
  const credentials = readBasic(headerOf(exchange.request, 'authorization'));
  if (credentials !== undefined && exchange.machine.personality.service.isBasicAuthAllowed) {
    return checkPassword(exchange, credentials);
  }
  return unauthorized(exchange);
}

function checkToken(exchange: Exchange, token: string): Caller | RedfishAnswer {
  const { machine, method, path } = exchange;
  const session = machine.sessions.find(token, { method, path });
  return session === undefined ? unauthorized(exchange) : { sessionId: session.id };
}

function checkPassword(exchange: Exchange, credentials: Credentials): Caller | RedfishAnswer {
  const { machine, method, path } = exchange;
  const verdict = machine.accounts.check(credentials.username, credentials.password, { method, path });
  if (verdict === 'locked') return lockedOut(machine, path);
  return verdict === 'ok' ? {} : unauthorized(exchange);
}

/** The answer to a caller nobody knows. */
export function unauthorized(exchange: Exchange): RedfishAnswer {
  const { machine, path } = exchange;
  return challenge(
    machine,
    refuse(401, { messageId: 'NoValidSession', related: [], resolution: `Log in and ask for ${path} again.` }),
  );
}

/** The answer to right or wrong credentials of an account that is locked. */
function lockedOut(machine: Machine, path: string): RedfishAnswer {
  const reason = 'the account is locked after too many bad log-ins';
  return challenge(machine, refuse(401, { messageId: 'ResourceAtUriUnauthorized', args: [path, reason] }));
}

function challenge(machine: Machine, answer: RedfishAnswer): RedfishAnswer {
  if (!machine.personality.service.isBasicAuthAllowed) return answer;
  return { ...answer, headers: { ...answer.headers, 'WWW-Authenticate': 'Basic realm="RedfishService"' } };
}

interface Credentials {
  readonly username: string;
  readonly password: string;
}

function readBasic(header: string | undefined): Credentials | undefined {
  const encoded = /^basic +([\w+/=-]+)$/i.exec(header?.trim() ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}
