import { type DataImage, metal3ApiVersion, type PreprovisioningImage } from '../../api/index.ts';
import { isAlreadyExists, isNotFound, type KubeObject, keyOf } from '../../kube/index.ts';
import { claimPatch, ownerOf } from '../credentials/secrets.ts';
import type { HostSeen } from '../decide/seen.ts';
import { isOwnedBy } from '../firmware/companion.ts';
import type { Secret } from '../objects.ts';
import { fieldManager, finalizers, resources } from '../resources.ts';
import { mergePatchOf } from '../shell/merge-patch.ts';
import type { PerformContext, PerformParts } from '../shell/perform.ts';
import { letSecretGo } from '../shell/release-secret.ts';
import { textOfMoment } from '../status/host-status.ts';
import { type ImageEffect, type ImagesSeen, networkSecretSeen } from './images-seen.ts';

/** Does one effect about the images of a host; what came of it is in what is seen then. */
export async function performImageEffect(
  parts: PerformParts,
  seen: HostSeen,
  effect: ImageEffect,
  context: PerformContext,
): Promise<HostSeen> {
  const withImages = (images: Partial<ImagesSeen>): HostSeen => ({ ...seen, images: { ...seen.images, ...images } });
  switch (effect.kind) {
    case 'claim-network-secret':
      return withImages({ network: await claimNetwork(parts, seen, effect.name, context) });
    case 'release-network-secret':
      await letSecretGo(parts, seen.host, effect.name, context);
      return withImages({ network: { kind: 'missing' } });
    case 'put-boot-image':
      return withImages({ bootImage: await putBootImage(parts, seen, effect.spec, context) });
    case 'release-boot-image':
      return withImages({ bootImage: await letBootImageGo(parts, seen, context) });
    case 'tell-data-image':
      return withImages({ dataImage: await tellDataImage(parts, seen, effect.status, context) });
  }
}

async function claimNetwork(
  { client, newest }: PerformParts,
  { host }: HostSeen,
  name: string,
  { signal }: PerformContext,
): Promise<ImagesSeen['network']> {
  const at = { namespace: host.metadata.namespace, name };
  const body = claimPatch(host, { isLeaving: false });
  try {
    const secrets = client.resource<Secret>(resources.secrets);
    const secret = await secrets.patch(at, { type: 'strategic', body }, { fieldManager, signal });
    newest.secrets.wrote(secret);
    const seen = networkSecretSeen(host, secret);
    return seen.kind === 'found' ? { ...seen, isClaimed: true } : seen;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return { kind: 'missing' };
  }
}

/** Makes the image, or changes what is asked of it, in one request; it carries its owner and finalizer from the start. */
async function putBootImage(
  { client, newest }: PerformParts,
  { host, images }: HostSeen,
  spec: NonNullable<PreprovisioningImage['spec']>,
  { signal }: PerformContext,
): Promise<PreprovisioningImage> {
  const resource = client.resource<PreprovisioningImage & KubeObject>(resources.bootImages);
  const { namespace = '', name = '', labels } = host.metadata;
  const owner = ownerOf(host, { isController: true });
  const object: PreprovisioningImage = {
    apiVersion: metal3ApiVersion,
    kind: 'PreprovisioningImage',
    metadata: {
      namespace,
      name,
      // Whoever builds images may choose by the labels of hosts.
      ...(labels === undefined ? {} : { labels }),
      finalizers: [finalizers.bootImage],
      ownerReferences: [owner],
    },
    spec,
  };
  const change = (present: PreprovisioningImage) => {
    const { uid, resourceVersion, finalizers: held = [], ownerReferences = [] } = present.metadata;
    const kept = held.filter((each) => each !== finalizers.bootImage);
    const metadata = {
      ...{ uid, resourceVersion, finalizers: [...kept, finalizers.bootImage] },
      ...(isOwnedBy(present, host) ? {} : { ownerReferences: [...ownerReferences, ownerOf(host)] }),
    };
    const body = { metadata, spec: mergePatchOf(present.spec, spec) };
    return resource.patch(keyOf(object), { type: 'merge', body }, { fieldManager, signal });
  };
  const create = () =>
    resource.create(object, { fieldManager, signal }).catch(async (error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
      return change(await resource.get(keyOf(object), { signal }));
    });
  const written = await (images.bootImage === undefined ? create() : change(images.bootImage));
  newest.bootImages.wrote(written);
  // As it was asked for: a server that drops what it does not know must not make us write it for ever.
  return { ...written, spec };
}

async function letBootImageGo(
  { client, newest }: PerformParts,
  { images: { bootImage } }: HostSeen,
  { key, signal }: PerformContext,
): Promise<PreprovisioningImage | undefined> {
  if (bootImage === undefined) return undefined;
  const { uid, resourceVersion, finalizers: held = [] } = bootImage.metadata;
  const body = { metadata: { uid, resourceVersion, finalizers: held.filter((each) => each !== finalizers.bootImage) } };
  const resource = client.resource<PreprovisioningImage & KubeObject>(resources.bootImages);
  try {
    const released = await resource.patch(keyOf(bootImage), { type: 'merge', body }, { fieldManager, signal });
    newest.bootImages.wrote(released);
    return released;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    newest.bootImages.forget(key);
    return undefined;
  }
}

async function tellDataImage(
  { client, newest, now }: PerformParts,
  { images: { dataImage } }: HostSeen,
  status: NonNullable<DataImage['status']>,
  { signal }: PerformContext,
): Promise<DataImage | undefined> {
  if (dataImage === undefined) return undefined;
  const { uid, resourceVersion } = dataImage.metadata;
  const body = {
    metadata: { uid, resourceVersion },
    status: mergePatchOf(dataImage.status, { ...status, lastReconciled: textOfMoment(now()) }),
  };
  const resource = client.resource<DataImage & KubeObject>(resources.dataImages);
  const told = await resource.status.patch(keyOf(dataImage), { type: 'merge', body }, { fieldManager, signal });
  newest.dataImages.wrote(told);
  return told;
}
