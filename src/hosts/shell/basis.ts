import { firmwareWishOf } from '../decide/firmware-wish.ts';
import { isQuarantined } from '../decide/quarantine.ts';
import type { HostSeen } from '../decide/seen.ts';
import { basisOfImages } from '../images/images-seen.ts';
import { permissionsOf } from '../servicing/live-wish.ts';

/** All that others can change about a host. */
export function basisOf(seen: HostSeen): string {
  const { host, secret, hardwareData, firmwareSettings, firmwareComponents, network, images } = seen;
  const { uid, generation, annotations, finalizers: held, deletionTimestamp } = host.metadata;
  return JSON.stringify([
    [uid, generation, annotations ?? {}, held ?? [], deletionTimestamp, isQuarantined(host)],
    secret.kind === 'found' ? secret.version : 'none',
    hardwareData?.metadata.generation,
    basisOfImages(images),
    firmwareWishOf({ firmwareSettings, firmwareComponents }),
    permissionsOf(seen),
    typeof network === 'object' ? network.basis : network,
  ]);
}
