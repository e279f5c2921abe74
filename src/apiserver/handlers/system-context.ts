import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { ServerCore } from '../core.ts';
import { lightWork } from '../heavy/heavy-work.ts';
import type { RequestContext } from '../request-context.ts';
import type { UserInfo } from '../resource.ts';
import type { ServedResource } from '../served-resource.ts';
import type { DeleteOptions } from './delete-options.ts';
import type { WriteOptions } from './write-options.ts';

/** Who the server is to itself: its own controllers write as this user. */
export const systemUser: UserInfo = {
  username: 'system:apiserver',
  groups: ['system:masters', 'system:authenticated'],
};

/** A request the server makes to itself, for its own controllers and its start-up. */
export function systemContext(
  core: ServerCore,
  served: ServedResource,
  target: { verb: string; namespace?: string; name?: string; subresource?: string },
): RequestContext {
  const request = new IncomingMessage(new Socket());
  return {
    info: {
      method: 'SYSTEM',
      path: '',
      query: new URLSearchParams(),
      isResource: true,
      verb: target.verb,
      group: served.group,
      version: served.version,
      namespace: target.namespace ?? '',
      resource: served.resource,
      subresource: target.subresource ?? '',
      name: target.name ?? '',
    },
    user: systemUser,
    asked: { isDryRun: false },
    media: { format: 'json', as: 'object', asVersion: 'v1', contentType: 'application/json', pretty: false },
    now: core.now(),
    demand: () => undefined,
    giveWay: () => undefined,
    work: lightWork,
    request,
    response: new ServerResponse(request),
    warnings: new Set(),
  };
}

/** Write options for the server's own writes. */
export function systemWrite(kind: WriteOptions['kind'], fieldManager: string): WriteOptions {
  return { kind, dryRun: false, fieldManager, hasFieldManager: true, fieldValidation: 'Ignore', force: false };
}

/** Delete options for the server's own deletes. */
export function systemDeletion(asked: Partial<DeleteOptions> = {}): DeleteOptions {
  return {
    dryRun: false,
    gracePeriodSeconds: undefined,
    propagationPolicy: undefined,
    orphanDependents: undefined,
    preconditions: {},
    raw: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1' },
    ...asked,
  };
}
