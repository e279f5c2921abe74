import type {
  BareMetalHost,
  DataImage,
  DataImageStatus,
  PreprovisioningImage,
  PreprovisioningImageSpec,
} from '../../api/index.ts';
import { hasFinalizer } from '../../kube/index.ts';
import type { BootImage } from '../../provisioners/index.ts';
import { textOf } from '../credentials/secrets.ts';
import type { Secret } from '../objects.ts';
import { finalizers, secretLabel } from '../resources.ts';

/** The Secret with the network of the image that the provisioner boots, as far as it was looked at. */
export type NetworkSecretSeen =
  /** It is not in the cache, which only has those that we have claimed. */
  | { readonly kind: 'unread' }
  | { readonly kind: 'missing' }
  | {
      readonly kind: 'found';
      readonly version: string;
      readonly networkData: string;
      /** True when it has our label, our finalizer and the host as an owner. */
      readonly isClaimed: boolean;
    };

/** What is seen of the images of a host besides the one that is written to its disk. */
export interface ImagesSeen {
  /** The formats of boot images that are built for each host; undefined where none are. */
  readonly formats: readonly BootImage['format'][] | undefined;
  readonly bootImage: PreprovisioningImage | undefined;
  readonly network: NetworkSecretSeen;
  readonly dataImage: DataImage | undefined;
}

/** What can be done about these images; doing one of a key twice is harmless. */
export type ImageEffect = { readonly key: string } & (
  | { readonly kind: 'claim-network-secret'; readonly name: string }
  | { readonly kind: 'release-network-secret'; readonly name: string }
  | { readonly kind: 'put-boot-image'; readonly spec: PreprovisioningImageSpec }
  | { readonly kind: 'release-boot-image' }
  | { readonly kind: 'tell-data-image'; readonly status: DataImageStatus }
);

/** What is seen where there are no such images. */
export const noImages: ImagesSeen = {
  formats: undefined,
  bootImage: undefined,
  network: { kind: 'unread' },
  dataImage: undefined,
};

/** The name of the Secret with the network of the boot image; empty where there is none. */
export function networkSecretNameOf({ spec }: BareMetalHost): string {
  return spec?.preprovisioningNetworkDataName ?? '';
}

/** What is read of the Secret with the network of the boot image. */
export function networkSecretSeen(host: BareMetalHost, secret: Secret | undefined): NetworkSecretSeen {
  if (secret === undefined) return { kind: 'unread' };
  const { labels, ownerReferences = [], resourceVersion = '' } = secret.metadata;
  return {
    kind: 'found',
    version: resourceVersion,
    networkData: textOf(secret, 'networkData') || textOf(secret, 'value'),
    isClaimed:
      labels?.[secretLabel.name] === secretLabel.value &&
      hasFinalizer(secret, finalizers.secret) &&
      ownerReferences.some(({ uid }) => uid === host.metadata.uid),
  };
}

/** All that others can change about these images. */
export function basisOfImages({ bootImage, network, dataImage }: ImagesSeen): readonly unknown[] {
  const { uid, generation, deletionTimestamp } = dataImage?.metadata ?? {};
  return [
    bootImage?.metadata.resourceVersion,
    network.kind === 'found' ? network.version : 'none',
    ...[uid, generation, deletionTimestamp],
  ];
}
