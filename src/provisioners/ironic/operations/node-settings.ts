import { driverInfoOf, type HostBmcAddress } from '../../bmc-address/index.ts';
import type { BmcAccess, Registration } from '../../provisioner.ts';
import type { IronicFeatures, JsonObject } from '../client/index.ts';
import { type NetworkData, nodeCapabilities } from '../deployment/index.ts';
import { type IronicNode, nodeName, type Wanted } from '../node/index.ts';
import type { Workplace } from '../workplace.ts';

/** What a host is to be in Ironic, apart from what is deployed on it. */
export interface NodeSettings {
  /** May be changed in every state that allows changes at all. */
  readonly always: Wanted;
  /** Only while nothing is deployed. */
  readonly whileUnused: Wanted;
  readonly driverInfo: Wanted;
  readonly properties: Wanted;
}

/** What registering makes of a host. `seen` are the properties that the node has. */
export function nodeSettings(
  place: Workplace,
  order: Registration,
  facts: {
    readonly address: HostBmcAddress;
    readonly bmc: BmcAccess;
    readonly features: IronicFeatures;
    readonly network: Extract<NetworkData, { kind: 'read' }>;
    readonly seen: JsonObject;
    readonly node?: IronicNode | undefined;
  },
): NodeSettings {
  const { address, bmc, features, network, seen, node } = facts;
  const { host } = place;
  return {
    always: {
      name: nodeName(host),
      ...(network.data === undefined ? {} : { network_data: network.data }),
      automated_clean: order.cleaningMode !== 'disabled' && (order.isDiscovered !== true || isCleaned(host, node)),
      ...(features.canDisablePowerOff ? { disable_power_off: host.isPowerOffDisabled } : {}),
    },
    whileUnused: { driver: address.driver, ...interfacesOf(address, order) },
    driverInfo: { ...driverInfoOf(address, bmc), ...bootImageInfo(place, order) },
    properties: {
      capabilities: nodeCapabilities(seen.capabilities, order.bootMode),
      ...(order.architecture === undefined ? {} : { cpu_arch: order.architecture }),
    },
  };
}

/** Whether what we deployed was taken off the node some time: since then it is cleaned like any other. */
function isCleaned(host: Workplace['host'], node: IronicNode | undefined): boolean {
  return node?.name === nodeName(host) && node.raw.automated_clean === true;
}

function interfacesOf(address: HostBmcAddress, order: Registration): Wanted {
  const given = Object.entries(address.interfaces).map(([name, value]) => [`${name}_interface`, value] as const);
  const inspect = order.inspectionMode === 'fast' ? (address.fastInspectInterface ?? 'agent') : 'agent';
  return { ...Object.fromEntries(given), inspect_interface: inspect };
}

/** What Ironic boots to work on the host; undefined members are taken away, since an older image may be there. */
function bootImageInfo({ settings }: Workplace, { bootImage }: Registration): Wanted {
  if (bootImage === undefined) return sharedImageInfo(settings);
  const isIso = bootImage.format === 'iso';
  return {
    deploy_iso: isIso ? bootImage.imageUrl : undefined,
    deploy_ramdisk: isIso ? undefined : bootImage.imageUrl,
    deploy_kernel: isIso ? undefined : (bootImage.kernelUrl ?? settings.deployImages?.kernelUrl),
    kernel_append_params: bootImage.kernelParameters,
  };
}

/** What Ironic boots to work on a host that has no image of its own. */
export function sharedImageInfo({ deployImages, needsBootImage }: Workplace['settings']): Wanted {
  // Where we know of none, one that somebody set by hand stays; so does the last one that was built for the host.
  if (deployImages === undefined || needsBootImage) return {};
  const { kernelUrl, ramdiskUrl, isoUrl } = deployImages;
  return { deploy_kernel: kernelUrl, deploy_ramdisk: ramdiskUrl, deploy_iso: isoUrl };
}
