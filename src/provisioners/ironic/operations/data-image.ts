import type { Attempt, Outcome } from '../../provisioner.ts';
import { objectsOf, textsOf } from '../client/index.ts';
import { type IronicNode, isHeldByUs } from '../node/index.ts';
import { busy, continueIn, done, findNode, type Workplace } from '../workplace.ts';

/** Ironic does it behind our back, and says here what came of it until it is asked for something else. */
const attachFailure = /^Could not attach device/;
const detachFailure = /^Could not detach device/;

/** Puts an image into the virtual CD drive of a host. */
export function attachDataImage(place: Workplace, order: Attempt & { readonly url: string }): Promise<Outcome> {
  return changeDrive(place, order, {
    isWantedFull: true,
    failure: attachFailure,
    async ask(node) {
      const body = { device_type: 'cdrom', image_url: order.url };
      await place.client.call({ method: 'POST', path: `/nodes/${node.uuid}/vmedia`, body });
    },
  });
}

/** Empties the virtual CD drive of a host. */
export function detachDataImage(place: Workplace, order: Attempt): Promise<Outcome> {
  return changeDrive(place, order, {
    isWantedFull: false,
    failure: detachFailure,
    async ask(node) {
      await place.client.call({ method: 'DELETE', path: `/nodes/${node.uuid}/vmedia?device_types=cdrom` });
    },
  });
}

interface DriveChange {
  readonly isWantedFull: boolean;
  readonly failure: RegExp;
  ask(node: IronicNode): Promise<void>;
}

async function changeDrive(place: Workplace, { isRetry }: Attempt, change: DriveChange): Promise<Outcome> {
  const node = await findNode(place);
  if (node === undefined) return { kind: 'unregistered' };
  if (isHeldByUs(node)) return busy(place, `the node is in maintenance: ${node.maintenanceReason}`);
  if (node.isLocked) return continueIn(place, 'short');
  const { canReadVirtualMedia } = await place.client.features();
  if (canReadVirtualMedia && (await isDriveFull(place, node)) === change.isWantedFull) return done;
  if (!isRetry && node.lastError !== undefined && change.failure.test(node.lastError)) {
    return { kind: 'failed', message: node.lastError };
  }
  await change.ask(node);
  // An older Ironic does not tell what is in the drive: then that it took the order has to do.
  return canReadVirtualMedia ? continueIn(place, 'short', true) : done;
}

async function isDriveFull(place: Workplace, node: IronicNode): Promise<boolean> {
  const { items } = await place.client.call({ method: 'GET', path: `/nodes/${node.uuid}/vmedia` });
  return objectsOf(items).some(
    ({ inserted, media_types }) => inserted === true && textsOf(media_types).some((type) => /^(CD|DVD)$/i.test(type)),
  );
}
