import type {
  BareMetalHost,
  BareMetalHostStatus,
  PreprovisioningImage,
  PreprovisioningImageSpec,
} from '../../api/index.ts';
import { hasFinalizer, isBeingDeleted, isSameJson } from '../../kube/index.ts';
import { type BootImage, type Registration, readBmcAddress } from '../../provisioners/index.ts';
import { bmcOf } from '../credentials/judge-credentials.ts';
import { fail } from '../decide/ask.ts';
import { cleaningModeOf } from '../decide/deployment.ts';
import type { Draft, HostSeen, Step } from '../decide/seen.ts';
import { isOwnedBy } from '../firmware/companion.ts';
import { finalizers } from '../resources.ts';
import { stateOf } from '../status/host-status.ts';
import type { NetworkSecretSeen } from './images-seen.ts';
import { claimNetworkSecret } from './network-secret.ts';

/** What registering is told about the image that the provisioner boots. */
export type BootOrder = Pick<Registration, 'bootImage' | 'isBootImageSpared' | 'bootNetworkData'>;

/** That, or what has to be done before it is known. */
export type BootImageFound =
  | { readonly kind: 'settled'; readonly order: BootOrder }
  | { readonly kind: 'not yet'; readonly step: Step };

/** Sees to the image that the provisioner boots on a host: asked for, taken when it is there, and its network. */
export function findBootImage(seen: HostSeen, draft: Draft): BootImageFound {
  const { formats, network } = seen.images;
  const claim = claimNetworkSecret(seen, draft);
  if (claim !== undefined) return { kind: 'not yet', step: claim };
  if (formats === undefined) {
    const text = network.kind === 'found' ? network.networkData : '';
    return { kind: 'settled', order: text === '' ? {} : { bootNetworkData: text } };
  }
  if (!isNeeded(seen.host, draft.status)) return { kind: 'settled', order: { isBootImageSpared: true } };
  const wanted = wantedImage(seen.host, draft.status, formats);
  if (wanted.acceptFormats?.length === 0) {
    const message =
      'none of the formats of boot images that are built can be booted by this host; change spec.bmc.address or the formats';
    return { kind: 'not yet', step: fail(seen, draft, 'registration error', message) };
  }
  const step = askForImage(seen, draft, wanted);
  if (step !== undefined) return { kind: 'not yet', step };
  const reading = readBootImage(seen.images.bootImage, wanted, network);
  if (reading.kind === 'failed') {
    return { kind: 'not yet', step: fail(seen, draft, 'registration error', reading.message) };
  }
  return { kind: 'settled', order: reading.kind === 'ready' ? { bootImage: reading.image } : {} };
}

/** Whether anything of the provisioner's own may be booted on a host in its state. */
function isNeeded(host: BareMetalHost, status: BareMetalHostStatus): boolean {
  switch (stateOf(status)) {
    case 'importing':
    case 'registering':
    case 'powering off before delete':
    case 'deleting':
      return false;
    case 'provisioned':
    case 'externally provisioned':
      return status.operationalStatus === 'servicing';
    case 'deprovisioning':
      return cleaningModeOf(host) !== 'disabled';
    default:
      return true;
  }
}

/** What has to be built for a host: of the formats that there are, those that its BMC can boot. */
function wantedImage(
  host: BareMetalHost,
  { hardware }: BareMetalHostStatus,
  formats: readonly BootImage['format'][],
): PreprovisioningImageSpec {
  const reading = readBmcAddress(bmcOf({ host }).address);
  const canBootIso = reading.kind === 'known' && reading.address.canBootIso;
  const networkDataName = host.spec?.preprovisioningNetworkDataName ?? '';
  const known = [host.spec?.architecture, hardware?.cpu?.arch].find((each) => each !== undefined && each !== '');
  return {
    ...(networkDataName === '' ? {} : { networkDataName }),
    architecture: known ?? 'x86_64',
    acceptFormats: formats.filter((format) => format !== 'iso' || canBootIso),
  };
}

/** Asks for the image, or for another one; undefined when it is asked for as it should be. */
function askForImage(seen: HostSeen, draft: Draft, spec: PreprovisioningImageSpec): Step | undefined {
  const { bootImage } = seen.images;
  const isHeld = bootImage !== undefined && hasFinalizer(bootImage, finalizers.bootImage);
  if (bootImage !== undefined && isBeingDeleted(bootImage)) {
    // Somebody wants another one. With the host it goes when the host does: until then it may be booted.
    const isLetGo = isHeld && !isBeingDeleted(seen.host);
    return isLetGo ? { kind: 'do', draft, effects: [releaseBootImage] } : undefined;
  }
  const isAsked = isHeld && isOwnedBy(bootImage, seen.host) && isSameJson(bootImage.spec, spec);
  return isAsked
    ? undefined
    : { kind: 'do', draft, effects: [{ kind: 'put-boot-image', key: 'put-boot-image', spec }] };
}

/** The image is not held any more. */
export const releaseBootImage = { kind: 'release-boot-image', key: 'release-boot-image' } as const;

/** What became of an image that was asked for. */
export type BootImageReading =
  | { readonly kind: 'ready'; readonly image: BootImage }
  | { readonly kind: 'building' }
  | { readonly kind: 'failed'; readonly message: string };

/** An image counts once it says that it is ready, of this generation, and with this network. */
export function readBootImage(
  image: PreprovisioningImage | undefined,
  wanted: PreprovisioningImageSpec,
  network: NetworkSecretSeen,
): BootImageReading {
  const { status, metadata } = image ?? {};
  const conditionOf = (type: string) =>
    status?.conditions?.find((each) => each.type === type && (each.observedGeneration ?? 0) === metadata?.generation);
  const error = conditionOf('Error');
  if (error?.status === 'True') return { kind: 'failed', message: `its boot image was not built: ${error.message}` };
  const { imageUrl = '', kernelUrl = '', extraKernelParams = '', format } = status ?? {};
  const isReady = conditionOf('Ready')?.status === 'True' && imageUrl !== '';
  if (!isReady || format === undefined || wanted.acceptFormats?.includes(format) !== true) return { kind: 'building' };
  const isSameArchitecture = (status?.architecture ?? '') === (wanted.architecture ?? '');
  const version = wanted.networkDataName === undefined || network.kind !== 'found' ? '' : network.version;
  const isSameNetwork =
    (status?.networkData?.name ?? '') === (wanted.networkDataName ?? '') &&
    (status?.networkData?.version ?? '') === version;
  if (!isSameArchitecture || !isSameNetwork) return { kind: 'building' };
  return {
    kind: 'ready',
    image: {
      imageUrl,
      format,
      ...(kernelUrl === '' ? {} : { kernelUrl }),
      ...(extraKernelParams === '' ? {} : { kernelParameters: extraKernelParams }),
    },
  };
}
