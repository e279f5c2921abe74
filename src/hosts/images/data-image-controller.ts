import type { BareMetalHost, Condition, DataImage, DataImageStatus } from '../../api/index.ts';
import {
  type Controller,
  type Decision,
  defineController,
  type Effect,
  hasFinalizer,
  type Instant,
  isBeingDeleted,
  isNotFound,
  type KubeObject,
  keyOf,
  ok,
  watchInformer,
} from '../../kube/index.ts';
import { isPaused } from '../annotations/read-annotations.ts';
import { ownerOf } from '../credentials/secrets.ts';
import { isOwnedBy } from '../firmware/companion.ts';
import { type CompanionParts, writeCompanionStatus } from '../firmware/companion-parts.ts';
import { fieldManager, finalizers, resources } from '../resources.ts';
import { textOfMoment } from '../status/host-status.ts';
import { attachedUrlOf, wantedUrlOf } from './data-image.ts';

/** All that a decision about a DataImage is made from. */
export interface DataImageSeen {
  readonly image: DataImage & KubeObject;
  readonly host: BareMetalHost | undefined;
}

/** What can be done about a DataImage; the drive itself is the business of the controller of hosts. */
export type DataImageEffect = Effect & { readonly kind: 'claim-data-image' | 'release-data-image' };

/** Holds a DataImage until it is out of the drive of its host, and says whether it is in there. Pure. */
export function decideDataImage(
  { image, host }: DataImageSeen,
  now: Instant,
): Decision<DataImageEffect, DataImageStatus> {
  const wake = { on: 'change' } as const;
  const doing = (kind: DataImageEffect['kind']): Decision<DataImageEffect, DataImageStatus> => ({
    effects: [{ kind, key: kind }],
    status: undefined,
    wake,
    why: [],
  });
  const leave = (code: string, message: string) => ({ effects: [], status: undefined, wake, why: [{ code, message }] });
  if (host !== undefined && isPaused(host)) return leave('Paused', 'its host is paused');
  const isHeld = hasFinalizer(image, finalizers.dataImage);
  // It is in no drive any more, whether somebody deletes it or not.
  if (host === undefined) return isHeld ? doing('release-data-image') : leave('NoHost', 'there is no host of its name');
  if (isBeingDeleted(image)) {
    if (!isHeld) return leave('Gone', 'it is let go');
    const isOut = host.status?.operationalStatus === 'detached' || attachedUrlOf(image) === '';
    if (isOut) return doing('release-data-image');
  } else if (!isBeingDeleted(host) && (!isHeld || !isOwnedBy(image, host))) {
    return doing('claim-data-image');
  }
  const condition = conditionOf(image, now);
  const others = (image.status?.conditions ?? []).filter(({ type }) => type !== condition.type);
  const status = { ...image.status, conditions: [...others, condition] };
  return { effects: [], status, wake, why: [{ code: condition.reason, message: condition.message }] };
}

function conditionOf(image: DataImage, now: Instant): Condition {
  const [wanted, attached] = [wantedUrlOf(image), attachedUrlOf(image)];
  const { error, conditions = [] } = image.status ?? {};
  const isAttached = wanted !== '' && wanted === attached;
  const status = isAttached ? 'True' : 'False';
  const before = conditions.find(({ type }) => type === 'Attached');
  const what = attached === '' ? 'attached' : 'detached';
  const [reason, message] = isAttached
    ? ['Attached', 'the image is in the virtual drive of the host']
    : error !== undefined
      ? ['Failed', error.message]
      : ['WaitsForPowerOn', `the image is ${what} when the provisioned host is next switched on`];
  const { generation } = image.metadata;
  return {
    ...{ type: 'Attached', status, reason, message: message.slice(0, 4000) },
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : textOfMoment(now),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
}

/** The controller of DataImages: who they belong to, and whether they are in use. */
export function createDataImageController({
  client,
  informers,
  newest,
  shell,
}: CompanionParts): Controller<DataImageEffect, DataImageStatus> {
  const images = client.resource<DataImage & KubeObject>(resources.dataImages);
  const change = async ({ image }: DataImageSeen, metadata: object, signal: AbortSignal): Promise<void> => {
    const { uid, resourceVersion } = image.metadata;
    const body = { metadata: { uid, resourceVersion, ...metadata } };
    newest.dataImages.wrote(await images.patch(keyOf(image), { type: 'merge', body }, { fieldManager, signal }));
  };
  return defineController<DataImageSeen, DataImageEffect, DataImageStatus>(
    {
      name: 'data-images',
      watches: [
        watchInformer(informers.dataImages),
        watchInformer(informers.hosts, (key, { previous, current }) => {
          const isOther =
            previous === undefined ||
            current === undefined ||
            isPaused(previous) !== isPaused(current) ||
            previous.status?.operationalStatus !== current.status?.operationalStatus;
          return isOther && informers.dataImages.get(key) !== undefined ? [key] : [];
        }),
      ],
      read(key) {
        const image = newest.dataImages.get(key);
        return image === undefined ? undefined : { image, host: newest.hosts.get(key) };
      },
      decide: decideDataImage,
      statusOf: ({ image }) => image.status,
      writeStatus: ({ image: object }, status, { signal }) =>
        writeCompanionStatus(images, newest.dataImages, { object, status, signal }),
      subjectOf: ({ image }) => image,
      effects: {
        'claim-data-image': async (_, { seen, signal }) => {
          const { finalizers: held = [], ownerReferences = [] } = seen.image.metadata;
          const { host } = seen;
          if (host === undefined) return ok();
          const kept = held.filter((each) => each !== finalizers.dataImage);
          const owners = isOwnedBy(seen.image, host) ? ownerReferences : [...ownerReferences, ownerOf(host)];
          await change(seen, { finalizers: [...kept, finalizers.dataImage], ownerReferences: owners }, signal);
          return ok();
        },
        'release-data-image': async (_, { seen, key, signal }) => {
          const kept = (seen.image.metadata.finalizers ?? []).filter((each) => each !== finalizers.dataImage);
          try {
            await change(seen, { finalizers: kept }, signal);
          } catch (error) {
            if (!isNotFound(error)) throw error;
          }
          newest.dataImages.forget(key);
          return ok();
        },
      },
    },
    shell,
  );
}
