import type { UserInfo } from '../../resource.ts';
import type { Subject } from './rbac-objects.ts';

const serviceAccountPrefix = 'system:serviceaccount:';

/** The user name of a service account. */
export function serviceAccountUser(namespace: string, name: string): string {
  return `${serviceAccountPrefix}${namespace}:${name}`;
}

/** The groups every service account of a namespace is in. */
export function serviceAccountGroups(namespace: string): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

/** Takes a service account's user name apart; undefined for any other user. */
export function parseServiceAccountUser(username: string): { namespace: string; name: string } | undefined {
  if (!username.startsWith(serviceAccountPrefix)) return undefined;
  const parts = username.slice(serviceAccountPrefix.length).split(':');
  const [namespace, name] = parts;
  if (parts.length !== 2 || namespace === undefined || name === undefined) return undefined;
  return namespace === '' || name === '' ? undefined : { namespace, name };
}

/** The key under which bindings for a subject are found; undefined for a subject that is nobody. */
export function subjectKey(subject: Subject, bindingNamespace: string): string | undefined {
  if (subject.kind === 'User') return userKey(subject.name);
  if (subject.kind === 'Group') return groupKey(subject.name);
  if (subject.kind !== 'ServiceAccount') return undefined;
  const namespace = subject.namespace === undefined || subject.namespace === '' ? bindingNamespace : subject.namespace;
  return namespace === '' ? undefined : userKey(serviceAccountUser(namespace, subject.name));
}

/** Every key a user answers to. */
export function keysOf(user: UserInfo): string[] {
  return [userKey(user.username), ...user.groups.map(groupKey)];
}

function userKey(name: string): string {
  return `u:${name}`;
}

function groupKey(name: string): string {
  return `g:${name}`;
}

/** A subject as a reason names it. */
export function describeSubject(subject: Subject, bindingNamespace: string): string {
  if (subject.kind !== 'ServiceAccount') return `${subject.kind} ${JSON.stringify(subject.name)}`;
  const namespace = subject.namespace === undefined || subject.namespace === '' ? bindingNamespace : subject.namespace;
  return `ServiceAccount ${JSON.stringify(`${subject.name}/${namespace}`)}`;
}
