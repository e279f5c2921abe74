import type { UserInfo } from '../resource.ts';
import { ApiError, qualifiedResource } from '../status.ts';
import type { RequestInfo } from './request-info.ts';

/** 403 in kube-apiserver's words: who may not do what, where. */
export function forbiddenRequest(info: RequestInfo, user: UserInfo, reason: string): ApiError {
  const who = `User ${JSON.stringify(user.username)} cannot`;
  if (!info.isResource) {
    const message = `forbidden: ${who} ${info.verb} path ${JSON.stringify(info.path)}`;
    return new ApiError({ code: 403, reason: 'Forbidden', message: withReason(message, reason), details: {} });
  }
  const named = info.name === '' ? '' : ` ${JSON.stringify(info.name)}`;
  const resource = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`;
  const where = info.namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(info.namespace)}`;
  const what = `${who} ${info.verb} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(info.group)} ${where}`;
  const subject = `${qualifiedResource({ group: info.group, resource: info.resource })}${named} is forbidden`;
  return new ApiError({
    code: 403,
    reason: 'Forbidden',
    message: withReason(`${subject}: ${what}`, reason),
    details: {
      ...(info.name === '' ? {} : { name: info.name }),
      ...(info.group === '' ? {} : { group: info.group }),
      kind: info.resource,
    },
  });
}

function withReason(message: string, reason: string): string {
  return reason === '' ? message : `${message}: ${reason}`;
}
