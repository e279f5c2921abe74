import type { IncomingMessage } from 'node:http';
import type { RequestInfo } from '../http/request-info.ts';
import type { UserInfo } from '../resource.ts';

/** Says who makes a request. */
export interface Authenticator {
  /** Undefined: no credentials were sent. Throws 401 for credentials that are wrong. */
  authenticate(request: IncomingMessage): UserInfo | undefined | Promise<UserInfo | undefined>;
}

/** What somebody wants to do, as RBAC judges it. */
export interface AccessQuery {
  readonly user: UserInfo;
  readonly verb: string;
  readonly isResource: boolean;
  readonly path: string;
  readonly group: string;
  readonly version?: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/** The verdict; `reason` is shown by `kubectl auth can-i` and in 403 answers. */
export interface AccessVerdict {
  readonly isAllowed: boolean;
  readonly reason: string;
}

/** Says what somebody may do. Synchronous: it reads its rules from memory. */
export interface Authorizer {
  authorize(query: AccessQuery): AccessVerdict;
}

/** The query that a request itself stands for. */
export function accessQueryOf(info: RequestInfo, user: UserInfo): AccessQuery {
  const { verb, isResource, path, group, version, resource, subresource, namespace, name } = info;
  return { user, verb, isResource, path, group, version, resource, subresource, namespace, name };
}

/** Who comes without credentials. */
export const anonymous: UserInfo = { username: 'system:anonymous', groups: ['system:unauthenticated'] };
