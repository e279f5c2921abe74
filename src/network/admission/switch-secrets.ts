import { isDeepStrictEqual } from 'node:util';
import type { AdmissionRequest, Denial } from '../../kube/index.ts';

interface SwitchAddress {
  readonly credentialsSecret?: { readonly name?: string };
  readonly bridge?: unknown;
}

/** The Secret that a switch is logged in to with, where a request changes which one or where it is sent. Pure. */
export function newlySentSecret({ object, oldObject }: AdmissionRequest): string | undefined {
  const { bridge: _bridge, ...now } = addressOf(object);
  const { bridge: _before, ...before } = addressOf(oldObject);
  return isDeepStrictEqual(now, before) ? undefined : now.credentialsSecret?.name;
}

/** Says why it is refused. Pure. */
export function describeUnreadable({ userInfo, namespace = '' }: AdmissionRequest, secret: string): Denial {
  const who = userInfo.username ?? 'somebody';
  const message = `whoever says where the Secret ${secret} is sent can read it, and ${who} may not get it in ${namespace}`;
  return { field: 'spec.credentialsSecret', message };
}

function addressOf(object: AdmissionRequest['object']): SwitchAddress {
  return (object as { readonly spec?: SwitchAddress } | null | undefined)?.spec ?? {};
}
