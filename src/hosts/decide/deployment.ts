import type { BareMetalHost, BareMetalHostStatus, Raid, RootDeviceHints } from '../../api/index.ts';
import { isSameJson } from '../../kube/index.ts';
import type { Deployment } from '../../provisioners/index.ts';

/** How a host boots. */
export function bootModeOf({ spec }: BareMetalHost): Deployment['bootMode'] {
  return spec?.bootMode ?? 'UEFI';
}

/** Whether disks are wiped of partition data. */
export function cleaningModeOf({ spec }: BareMetalHost): 'metadata' | 'disabled' {
  return spec?.automatedCleaningMode ?? 'metadata';
}

// Metal3 still takes the disk from a profile where nobody gave hints; `empty` was made to have none.
const profileHints: Readonly<Record<string, RootDeviceHints>> = {
  unknown: { deviceName: '/dev/sda' },
  libvirt: { deviceName: '/dev/vda' },
  openstack: { deviceName: '/dev/vdb' },
  dell: { hctl: '0:0:0:0' },
  'dell-raid': { hctl: '0:2:0:0' },
};

/** What is set up on a host before it is available, as far as the host itself says. */
export interface DiskSettings {
  readonly rootDeviceHints?: RootDeviceHints;
  readonly raid?: Raid;
}

/** The disk settings that are wanted. */
export function wantedSettings({ spec }: BareMetalHost, { hardwareProfile }: BareMetalHostStatus): DiskSettings {
  const hasHardwareRaid = (spec?.raid?.hardwareRAIDVolumes ?? []).length > 0;
  const { softwareRAIDVolumes, ...hardware } = spec?.raid ?? {};
  const raid = hasHardwareRaid ? hardware : spec?.raid;
  const hasRootVolume = (spec?.raid?.softwareRAIDVolumes ?? []).length > 0 && !hasHardwareRaid;
  // The root volume of a software RAID is the root device.
  const fromProfile = hasRootVolume ? undefined : profileHints[hardwareProfile ?? ''];
  const rootDeviceHints = spec?.rootDeviceHints ?? fromProfile;
  return {
    ...(rootDeviceHints === undefined ? {} : { rootDeviceHints }),
    ...(raid === undefined ? {} : { raid }),
  };
}

/** The disk settings that were last set up. */
export function madeSettings({ provisioning }: BareMetalHostStatus): DiskSettings {
  const { rootDeviceHints, raid } = provisioning;
  return {
    ...(rootDeviceHints === undefined ? {} : { rootDeviceHints }),
    ...(raid === undefined ? {} : { raid }),
  };
}

/** True when what is set up is not what is wanted. */
export function areSettingsDirty(host: BareMetalHost, status: BareMetalHostStatus): boolean {
  return !isSameJson(wantedSettings(host, status), madeSettings(status));
}

/** The status with these disk settings, or with none. */
export function withSettings(status: BareMetalHostStatus, settings: DiskSettings = {}): BareMetalHostStatus {
  const { rootDeviceHints, raid, ...provisioning } = status.provisioning;
  return { ...status, provisioning: { ...provisioning, ...settings } };
}

/** What is on the disk of a host. */
export function deploymentIn(status: BareMetalHostStatus, host: BareMetalHost): Deployment | undefined {
  const { state, image, customDeploy, rootDeviceHints, bootMode } = status.provisioning;
  // What is said then is only on its way.
  if (state === 'provisioning') return undefined;
  const hasImage = (image?.url ?? '') !== '';
  if (!hasImage && customDeploy === undefined) return undefined;
  return {
    ...(hasImage ? { image } : {}),
    ...(customDeploy === undefined ? {} : { customDeploy }),
    ...(rootDeviceHints === undefined ? {} : { rootDeviceHints }),
    bootMode: bootMode ?? bootModeOf(host),
  };
}

type Content = Pick<Deployment, 'image' | 'customDeploy'>;

/** What a host is being written with: what was wanted when that began, or is now where nobody noted that. */
export function attemptOf({ spec }: BareMetalHost, status: BareMetalHostStatus): Content {
  if (!isAttempted(status)) return spec ?? {};
  return { image: status.lastAttemptedImage, customDeploy: status.provisioning.customDeploy };
}

/** The status of a host that begins to be written with what is wanted. */
export function withAttempt(status: BareMetalHostStatus, { spec }: BareMetalHost): BareMetalHostStatus {
  const { lastAttemptedImage: _, ...rest } = withDeployment(status, { customDeploy: spec?.customDeploy });
  return spec?.image === undefined ? rest : { ...rest, lastAttemptedImage: spec.image };
}

/** The status of a host that nothing was written to after all. */
export function withoutAttempt(status: BareMetalHostStatus): BareMetalHostStatus {
  const { lastAttemptedImage: _, ...rest } = withDeployment(status);
  return rest;
}

/** True when it is noted what a host is being written with. */
export function isAttempted({ lastAttemptedImage, provisioning }: BareMetalHostStatus): boolean {
  return lastAttemptedImage !== undefined || provisioning.customDeploy !== undefined;
}

/** What is to be on the disk of a host. */
export function deploymentWanted(host: BareMetalHost, status: BareMetalHostStatus): Deployment {
  const { image, customDeploy } = attemptOf(host, status);
  const { rootDeviceHints } = status.provisioning;
  return {
    ...(image === undefined ? {} : { image }),
    ...(customDeploy === undefined ? {} : { customDeploy }),
    ...(rootDeviceHints === undefined ? {} : { rootDeviceHints }),
    bootMode: bootModeOf(host),
  };
}

/** The status that says what is on the disk, or that nothing is. */
export function withDeployment(
  status: BareMetalHostStatus,
  { image, customDeploy }: Content = {},
): BareMetalHostStatus {
  const { image: _, customDeploy: __, ...provisioning } = status.provisioning;
  return {
    ...status,
    provisioning: {
      ...provisioning,
      ...(image === undefined ? {} : { image }),
      ...(customDeploy === undefined ? {} : { customDeploy }),
    },
  };
}

/** True when something is to be written to a host that has nothing of it. */
export function needsProvisioning({ spec }: BareMetalHost, { provisioning }: BareMetalHostStatus): boolean {
  if (spec?.online !== true) return false;
  const hasNewImage = (spec.image?.url ?? '') !== '' && (provisioning.image?.url ?? '') === '';
  const method = spec.customDeploy?.method ?? '';
  return hasNewImage || (method !== '' && method !== provisioning.customDeploy?.method);
}

/** True when its owner wants nothing on a host. */
export function isNothingWanted({ spec }: BareMetalHost): boolean {
  return (spec?.image?.url ?? '') === '' && (spec?.customDeploy?.method ?? '') === '';
}

/** True when what is on its way to a host is not what is wanted any more. */
export function isAttemptCancelled(host: BareMetalHost, status: BareMetalHostStatus): boolean {
  const attempt = attemptOf(host, status);
  const [url, method] = [host.spec?.image?.url ?? '', host.spec?.customDeploy?.method ?? ''];
  if (url === '' && method === '') return true;
  return url !== (attempt.image?.url ?? '') || method !== (attempt.customDeploy?.method ?? '');
}

/** True when what is on a host is not what is wanted any more. */
export function isProvisioningCancelled({ spec }: BareMetalHost, { provisioning }: BareMetalHostStatus): boolean {
  const [url, method] = [spec?.image?.url ?? '', spec?.customDeploy?.method ?? ''];
  const [doneUrl, doneMethod] = [provisioning.image?.url ?? '', provisioning.customDeploy?.method ?? ''];
  if (url === '' && method === '') return true;
  return (doneUrl !== '' && url !== doneUrl) || (doneMethod !== '' && method !== doneMethod);
}
