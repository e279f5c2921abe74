import type { IncomingMessage } from 'node:http';
import { forbiddenRequest } from '../http/forbidden.ts';
import type { RequestInfo } from '../http/request-info.ts';
import type { UserInfo } from '../resource.ts';
import { type Authorizer, accessQueryOf } from './auth.ts';
import { parseServiceAccountUser, serviceAccountGroups } from './rbac/subjects.ts';

/** Thrown for a request that kube-apiserver answers with plain text instead of a Status. */
export class PlainTextError extends Error {
  override readonly name = 'PlainTextError';
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** One thing a caller wants to be taken for. */
interface Wish {
  readonly kind: 'User' | 'ServiceAccount' | 'Group' | 'UserExtra' | 'UID';
  readonly namespace: string;
  readonly name: string;
  /** The key of an extra. */
  readonly key: string;
}

const prefix = 'impersonate-';
const authentication = 'authentication.k8s.io';

/** Whom the caller wants to act as, after RBAC agreed to each part; undefined when no header asks for it. */
export function impersonate(request: IncomingMessage, caller: UserInfo, authorizer: Authorizer): UserInfo | undefined {
  if (!hasWishes(request)) return undefined;
  const wishes = readWishes(request);
  if (wishes.length === 0) return undefined;
  if (!wishes.some(({ kind }) => kind === 'User' || kind === 'ServiceAccount')) {
    const asked = `requested [${wishes.map(goText).join(' ')}] without impersonating a user`;
    throw new PlainTextError(500, `Internal Server Error: ${JSON.stringify(request.url ?? '/')}: ${asked}\n`);
  }
  for (const wish of wishes) {
    const info = queryOf(wish);
    const verdict = authorizer.authorize(accessQueryOf(info, caller));
    if (!verdict.isAllowed) throw forbiddenRequest(info, caller, verdict.reason);
  }
  return userOf(wishes);
}

function hasWishes(request: IncomingMessage): boolean {
  for (const name in request.headers) if (name.startsWith(prefix)) return true;
  return false;
}

/** Users first, then groups, extras and the uid. Repeated headers are read one by one, since names may hold commas. */
function readWishes(request: IncomingMessage): Wish[] {
  const wishes: Record<'user' | 'group' | 'extra' | 'uid', Wish[]> = { user: [], group: [], extra: [], uid: [] };
  const { rawHeaders } = request;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = (rawHeaders[i] ?? '').toLowerCase();
    const name = rawHeaders[i + 1] ?? '';
    if (!header.startsWith(prefix)) continue;
    const what = header.slice(prefix.length);
    if (what === 'user' && name !== '' && wishes.user.length === 0) wishes.user.push(userWish(name));
    else if (what === 'group') wishes.group.push(wish('Group', name));
    else if (what === 'uid' && name !== '' && wishes.uid.length === 0) wishes.uid.push(wish('UID', name));
    else if (what.startsWith('extra-'))
      wishes.extra.push({ ...wish('UserExtra', name), key: unescapeKey(what.slice(6)) });
  }
  return [...wishes.user, ...wishes.group, ...wishes.extra, ...wishes.uid];
}

function wish(kind: Wish['kind'], name: string): Wish {
  return { kind, namespace: '', name, key: '' };
}

function userWish(username: string): Wish {
  const account = parseServiceAccountUser(username);
  return account === undefined ? wish('User', username) : { ...wish('ServiceAccount', account.name), ...account };
}

function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key; // not escaped
  }
}

const resources: Readonly<Record<Wish['kind'], { group: string; resource: string }>> = {
  User: { group: '', resource: 'users' },
  ServiceAccount: { group: '', resource: 'serviceaccounts' },
  Group: { group: '', resource: 'groups' },
  UserExtra: { group: authentication, resource: 'userextras' },
  UID: { group: authentication, resource: 'uids' },
};

function queryOf({ kind, namespace, name, key }: Wish): RequestInfo {
  const { group, resource } = resources[kind];
  return {
    method: 'GET',
    path: '',
    query: new URLSearchParams(),
    isResource: true,
    verb: 'impersonate',
    group,
    version: 'v1',
    namespace,
    resource,
    subresource: key,
    name,
  };
}

/** An object reference as Go prints it. */
function goText({ kind, namespace, name, key }: Wish): string {
  const apiVersion = resources[kind].group === '' ? '' : `${authentication}/v1`;
  return `{${kind} ${namespace} ${name}  ${apiVersion}  ${key}}`;
}

function userOf(wishes: readonly Wish[]): UserInfo {
  const who = wishes.find(({ kind }) => kind === 'User' || kind === 'ServiceAccount');
  const isAccount = who?.kind === 'ServiceAccount';
  const username = isAccount ? `system:serviceaccount:${who.namespace}:${who.name}` : (who?.name ?? '');
  const asked = wishes.filter(({ kind }) => kind === 'Group').map(({ name }) => name);
  const groups = asked.length === 0 && isAccount ? serviceAccountGroups(who.namespace) : asked;
  const uid = wishes.find(({ kind }) => kind === 'UID')?.name;
  const extra: Record<string, string[]> = {};
  for (const { kind, key, name } of wishes) if (kind === 'UserExtra') extra[key] = [...(extra[key] ?? []), name];
  return {
    username,
    ...(uid === undefined ? {} : { uid }),
    groups: completeGroups(username, groups),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function completeGroups(username: string, groups: string[]): string[] {
  if (groups.includes('system:unauthenticated')) return groups;
  if (username === 'system:anonymous') return [...groups, 'system:unauthenticated'];
  return groups.includes('system:authenticated') ? groups : [...groups, 'system:authenticated'];
}
