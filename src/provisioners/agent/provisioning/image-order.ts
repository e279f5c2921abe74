import type { JsonObject } from '../../../engine/index.ts';
import { configDriveOf } from '../../ironic/index.ts';
import type { Deployment, HostConfig } from '../../provisioner.ts';
import type { Workplace } from './workplace.ts';

/** What an agent is told to write, or why that cannot be done. */
export type ImageOrder =
  | { readonly kind: 'order'; readonly params: JsonObject }
  | { readonly kind: 'refused'; readonly message: string };

/** The order to write an image with what the host is told at its first boot beside it. */
export function imageOrderOf(
  { host }: Pick<Workplace, 'host'>,
  machine: { readonly id: string },
  { deployment, config }: { readonly deployment: Deployment; readonly config: HostConfig },
): ImageOrder {
  const message = whyNotDeployable(deployment);
  if (message !== undefined) return { kind: 'refused', message };
  const { image, rootDeviceHints } = deployment;
  const identity = { namespace: host.namespace, name: host.name, id: host.uid ?? machine.id };
  const drive = configDriveOf(config, identity);
  if (drive.kind === 'invalid') return { kind: 'refused', message: drive.message };
  const { url = '', checksum = '', checksumType = 'auto', format = 'raw' } = image ?? {};
  const hash = checksumType === 'auto' ? { checksum } : { os_hash_algo: checksumType, os_hash_value: checksum };
  const info = { id: url, urls: [url], disk_format: format, ...hash };
  const place = rootDeviceHints === undefined ? {} : { root_device: { ...rootDeviceHints } };
  const beside = drive.drive === undefined ? {} : { configdrive: { ...drive.drive } as JsonObject };
  return { kind: 'order', params: { image_info: info, ...place, ...beside } as JsonObject };
}

function whyNotDeployable({ image, customDeploy }: Deployment): string | undefined {
  if (customDeploy !== undefined) {
    return `the deploy method ${customDeploy.method} ${needsIronic}`;
  }
  if (image === undefined) return 'there is no image to write';
  if (image.format === 'live-iso') return 'a live ISO is booted from a virtual drive, which takes access to the BMC';
  if (!/^https?:\/\//.test(image.url)) return `an image is fetched by http or https, not from ${schemeOf(image.url)}`;
  if ((image.checksum ?? '') === '') return 'an image without a checksum is not written: give image.checksum';
  return undefined;
}

const needsIronic = 'needs an Ironic, and this host is looked after by its agent alone';

function schemeOf(url: string): string {
  return /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0] ?? 'a path';
}
