import type { Session } from '../../machine/machine.ts';
import type { JsonObject, RedfishAnswer, RedfishRequest, Route } from '../route.ts';
import { refuse, refuseMissing } from './errors.ts';
import { root } from './paths.ts';
import { collection, head, healthy, link, show } from './render.ts';

const service = `${root}/SessionService`;

/** SessionService and logging in. */
export const sessionRoutes: readonly Route[] = [
  { pattern: service, get: (request) => show(request, 'SessionService', renderService(request)) },
  {
    pattern: `${service}/Sessions`,
    get: ({ machine, path }) =>
      collection(
        { path, of: 'Session' },
        machine.sessions.all.map((session) => sessionPath(session)),
      ),
    post: logIn,
    isPublic: true,
  },
  { pattern: `${service}/Sessions/Members`, post: logIn, isPublic: true },
  { pattern: `${service}/Sessions/:session`, get: showSession, delete: logOut },
];

function sessionPath({ id }: Session): string {
  return `${service}/Sessions/${id}`;
}

function renderService({ machine }: RedfishRequest): JsonObject {
  return {
    ...head({ path: service, schema: 'SessionService.v1_1_8', id: 'SessionService', name: 'Session Service' }),
    ServiceEnabled: true,
    SessionTimeout: Math.round(machine.personality.limits.sessionTimeoutMs / 1000),
    Sessions: link(`${service}/Sessions`),
    Status: healthy(),
  };
}

function renderSession(session: Session): JsonObject {
  return {
    ...head({
      path: sessionPath(session),
      schema: 'Session.v1_3_0',
      id: session.id,
      name: `User Session ${session.id}`,
    }),
    Description: 'User session',
    UserName: session.username,
    Password: null,
    SessionType: 'Redfish',
  };
}

function showSession(request: RedfishRequest): RedfishAnswer {
  const session = request.machine.sessions.all.find(({ id }) => id === request.params.session);
  return session === undefined ? refuseMissing(request.path) : show(request, 'Session', renderSession(session));
}

function logIn(request: RedfishRequest): RedfishAnswer {
  const { machine, body } = request;
  const { UserName, Password } = body;
  for (const member of ['UserName', 'Password']) {
    if (typeof body[member] !== 'string') {
      return refuse(400, { messageId: 'PropertyMissing', args: [member], related: [`#/${member}`] });
    }
  }
  const verdict = machine.accounts.check(String(UserName), String(Password));
  if (verdict !== 'ok') return refuseCredentials(request.path, verdict);
  const session = machine.sessions.open(String(UserName));
  if (session === 'exhausted') return refuse(503, { messageId: 'SessionLimitExceeded' });
  return {
    ...show(request, 'Session', renderSession(session)),
    status: 201,
    headers: { 'X-Auth-Token': session.token, Location: sessionPath(session) },
  };
}

/** The answer to credentials that are wrong, or right but of an account that is locked. */
function refuseCredentials(path: string, verdict: 'refused' | 'locked'): RedfishAnswer {
  const reason = verdict === 'locked' ? 'the account is locked out for now.' : 'user name or password is wrong.';
  return refuse(401, { messageId: 'ResourceAtUriUnauthorized', args: [path, reason] });
}

function logOut({ machine, params, path }: RedfishRequest): RedfishAnswer {
  return machine.sessions.close(String(params.session)) ? { status: 204 } : refuseMissing(path);
}
