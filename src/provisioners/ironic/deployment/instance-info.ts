import type { Deployment, HostConfig } from '../../provisioner.ts';
import { objectOf, textOf } from '../client/index.ts';
import type { Wanted } from '../node/index.ts';
import { instanceCapabilities } from './boot-mode.ts';
import { rootDeviceOf } from './root-device.ts';

/** How a deployment is done: the deploy interface that it needs; undefined where Ironic's own choice will do. */
export function deployInterfaceOf(deployment: Deployment | undefined): 'ramdisk' | 'custom-agent' | undefined {
  if (deployment?.customDeploy !== undefined) return 'custom-agent';
  return deployment?.image?.format === 'live-iso' ? 'ramdisk' : undefined;
}

/**
 * The deploy interface to set on a node: what the deployment needs, or Ironic's usual one where the last deployment
 * needed another.
 */
export function deployInterfaceFor(deployment: Deployment | undefined, seen: unknown): string {
  const needed = deployInterfaceOf(deployment);
  if (needed !== undefined) return needed;
  return seen === 'ramdisk' || seen === 'custom-agent' || typeof seen !== 'string' ? 'direct' : seen;
}

/** What Ironic is told of an image and where it goes. */
export function instanceInfoOf(deployment: Deployment, config: HostConfig = {}): Wanted {
  return {
    ...imageOf(deployment),
    image_pull_secret: config.pullSecret,
    root_device: rootDeviceOf(deployment.rootDeviceHints),
    capabilities: instanceCapabilities(deployment.bootMode),
  };
}

function imageOf({ image, customDeploy }: Deployment): Wanted {
  const none = {
    image_source: undefined,
    image_checksum: undefined,
    image_os_hash_algo: undefined,
    image_os_hash_value: undefined,
    image_disk_format: undefined,
    boot_iso: undefined,
  };
  if (image === undefined) return none;
  if (image.format === 'live-iso' && customDeploy === undefined) return { ...none, boot_iso: image.url };
  const disk = { ...none, image_source: image.url, image_disk_format: image.format };
  if (image.checksum === undefined || image.checksum === '') return disk;
  // Ironic tells the algorithm by itself only from this older member.
  if (image.checksumType === undefined || image.checksumType === 'auto') {
    return { ...disk, image_checksum: image.checksum };
  }
  return { ...disk, image_os_hash_algo: image.checksumType, image_os_hash_value: image.checksum };
}

/** Whether what Ironic was told of a node (its `instance_info`) is that image, or none. */
export function isToldOf(told: unknown, image: Deployment['image']): boolean {
  const { image_source, boot_iso } = objectOf(told);
  const [seen, wanted] = [textOf(image_source ?? boot_iso), image?.url];
  if (seen === wanted) return true;
  // Ironic may note which image of a registry a tag meant when it looked.
  const pinned = /^(oci:.*)@sha256:/.exec(seen ?? '')?.[1];
  return pinned !== undefined && pinned === wanted?.replace(/(@[^/]*|:[^/]*)$/, '');
}
