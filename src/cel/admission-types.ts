import { type CelType, type ObjectType, simpleTypes } from './types.ts';

const { bool, dyn, string } = simpleTypes;

function object(name: string, fields: Readonly<Record<string, CelType>>): ObjectType {
  return { kind: 'object', name: `kubernetes.${name}`, fields: new Map(Object.entries(fields)) };
}

const strings: CelType = { kind: 'list', element: string };
const kind = object('GroupVersionKind', { group: string, version: string, kind: string });
const resource = object('GroupVersionResource', { group: string, version: string, resource: string });
const userInfo = object('UserInfo', {
  username: string,
  uid: string,
  groups: strings,
  extra: { kind: 'map', key: string, value: strings },
});

/** The type of `request`: an admission request without the objects, which are variables of their own. */
export const admissionRequestType: ObjectType = object('AdmissionRequest', {
  kind,
  resource,
  subResource: string,
  requestKind: kind,
  requestResource: resource,
  requestSubResource: string,
  name: string,
  namespace: string,
  operation: string,
  userInfo,
  dryRun: bool,
  options: dyn,
});

/** The variables of the match conditions of a webhook. An object that the request does not have is null. */
export const matchConditionVariables: Readonly<Record<string, CelType>> = {
  object: dyn,
  oldObject: dyn,
  request: admissionRequestType,
  authorizer: { kind: 'opaque', name: 'kubernetes.authorization.Authorizer' },
  'authorizer.requestResource': { kind: 'opaque', name: 'kubernetes.authorization.ResourceCheck' },
};
