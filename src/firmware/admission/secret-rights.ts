import { isDeepStrictEqual } from 'node:util';
import { type BMC, ironcoreGroup, type Server } from '../../api/index.ts';
import {
  type AdmissionRequest,
  type Denial,
  isSuperuser,
  kubeError,
  type MayDo,
  unreadable,
} from '../../kube/index.ts';

/** Which log-in an object has sent, and where. */
export interface Destination {
  readonly secret: string;
  readonly to: unknown;
}

/** Of a BMC. */
export function bmcDestination(object: unknown): Destination | undefined {
  const { bmcSecretRef, access, endpointRef, hostname, protocol } = (object as BMC).spec;
  return { secret: bmcSecretRef.name, to: [access?.ip, endpointRef, hostname, protocol] };
}

/** Of a Server that says itself how its BMC is reached. */
export function serverDestination(object: unknown): Destination | undefined {
  const { bmc } = (object as Server).spec;
  return bmc === undefined ? undefined : { secret: bmc.bmcSecretRef.name, to: [bmc.address, bmc.protocol] };
}

/**
 * The log-in that an object has sent somewhere else than before, where whoever writes it may not read that. Also of one
 * that is being deleted: it is used until that is gone.
 */
export async function unreadableSecret(
  mayDo: MayDo | undefined,
  { object, oldObject, userInfo }: AdmissionRequest,
  destinationOf: (object: unknown) => Destination | undefined,
): Promise<string | undefined> {
  const now = object == null ? undefined : destinationOf(object);
  const before = oldObject == null ? undefined : destinationOf(oldObject);
  if (now === undefined || isDeepStrictEqual(now, before) || isSuperuser(userInfo)) return undefined;
  if (mayDo === undefined)
    throw kubeError('ServiceUnavailable', 'the caches of the firmware controllers are being filled; try again');
  const [secret] = await unreadable(mayDo, userInfo, {
    group: ironcoreGroup,
    resource: 'bmcsecrets',
    names: [now.secret],
  });
  return secret;
}

/** Says why an object is refused. Pure. */
export function describeSecret({ userInfo }: AdmissionRequest, secret: string, field: string): Denial {
  const who = userInfo.username ?? 'somebody';
  const message = `whoever says where the BMCSecret ${secret} is sent can read it, and ${who} may not get it`;
  return { field, message };
}
