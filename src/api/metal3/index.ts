import type { KindDeclaration } from '../declare.ts';
import { ansibleSwitch } from './ansible-switch.ts';
import { bareMetalHost } from './bare-metal-host.ts';
import { bareMetalHostDiscovery } from './bare-metal-host-discovery.ts';
import { dataImage } from './data-image.ts';
import { firmwareSchema } from './firmware-schema.ts';
import { fixtureSwitch } from './fixture-switch.ts';
import { hardwareClassification } from './hardware-classification.ts';
import { hardwareData } from './hardware-data.ts';
import { hostFirmwareComponents } from './host-firmware-components.ts';
import { hostFirmwareSettings } from './host-firmware-settings.ts';
import { hostUpdatePolicy } from './host-update-policy.ts';
import { ovsSwitch } from './ovs-switch.ts';
import { preprovisioningImage } from './preprovisioning-image.ts';
import { networkSwitch } from './switch.ts';
import { switchPort } from './switch-port.ts';
import { switchPortConfiguration } from './switch-port-configuration.ts';
import { switchResourceLimit } from './switch-resource-limit.ts';

/** Every kind of the metal3.io group. */
export const metal3Kinds: readonly KindDeclaration[] = [
  bareMetalHost,
  hardwareData,
  hostFirmwareSettings,
  firmwareSchema,
  hostFirmwareComponents,
  hostUpdatePolicy,
  dataImage,
  preprovisioningImage,
  bareMetalHostDiscovery,
  hardwareClassification,
  networkSwitch,
  ansibleSwitch,
  ovsSwitch,
  fixtureSwitch,
  switchPort,
  switchPortConfiguration,
  switchResourceLimit,
];

export {
  type AnsibleSwitch,
  type AnsibleSwitchSpec,
  type AnsibleSwitchSystem,
  ansibleSwitch,
  ansibleSwitchSystems,
} from './ansible-switch.ts';
export { type BareMetalHost, bareMetalHost } from './bare-metal-host.ts';
export {
  type BareMetalHostDiscovery,
  type BareMetalHostDiscoverySpec,
  type BareMetalHostDiscoveryStatus,
  bareMetalHostDiscovery,
  defaultMaxUnusedHosts,
  defaultRateLimit,
  isControlAnnotation,
  type NamingDetail,
  namingDetails,
  quarantineLabel,
  type ResourceNameTemplate,
} from './bare-metal-host-discovery.ts';
export type { BareMetalHostSpec, HostPort } from './bare-metal-host-spec.ts';
export {
  type BareMetalHostStatus,
  type HostErrorType,
  hostErrorTypes,
  hostStatesInUse,
  type OperationalStatus,
  operationalStatuses,
  type ProvisioningState,
  provisioningStates,
} from './bare-metal-host-status.ts';
export { type DataImage, type DataImageSpec, type DataImageStatus, dataImage } from './data-image.ts';
export type { Raid, RootDeviceHints } from './disks.ts';
export { type FirmwareSchema, type FirmwareSchemaSpec, firmwareSchema } from './firmware-schema.ts';
export {
  type FixtureSwitch,
  type FixtureSwitchSpec,
  type FixtureSwitchStatus,
  fixtureSwitch,
} from './fixture-switch.ts';
export { type Metal3ApiVersion, metal3ApiVersion, metal3Group } from './group.ts';
export type { HardwareCharacteristics } from './hardware-characteristics.ts';
export {
  classificationLabelPrefix,
  type HardwareClassification,
  type HardwareClassificationSpec,
  type HardwareClassificationStatus,
  hardwareClassification,
} from './hardware-classification.ts';
export { type HardwareData, type HardwareDataSpec, hardwareData } from './hardware-data.ts';
export type { HardwareDetails, Nic, Storage } from './hardware-details.ts';
export {
  type HostFirmwareComponents,
  type HostFirmwareComponentsSpec,
  type HostFirmwareComponentsStatus,
  hostFirmwareComponents,
} from './host-firmware-components.ts';
export {
  type HostFirmwareSettings,
  type HostFirmwareSettingsSpec,
  type HostFirmwareSettingsStatus,
  hostFirmwareSettings,
} from './host-firmware-settings.ts';
export {
  busyHostStates,
  firmwareWork,
  type HealthSubject,
  type HostHealth,
  type HostHealthKind,
  isBmcInTheWay,
  isInTrouble,
  type ManagementProblem,
  managementProblemOf,
  powerFailure,
  readHostHealth,
} from './host-health.ts';
export {
  type HostUpdatePolicy,
  type HostUpdatePolicySpec,
  hostUpdatePolicy,
  type UpdatePolicy,
  updatePolicies,
} from './host-update-policy.ts';
export type { Image } from './image.ts';
export {
  type SwitchPortConfigurationReference,
  type SwitchPortReference,
  switchPortConfigurationKinds,
} from './network-references.ts';
export { type OVSSwitch, type OVSSwitchSpec, ovsSwitch } from './ovs-switch.ts';
export {
  type PreprovisioningImage,
  type PreprovisioningImageSpec,
  type PreprovisioningImageStatus,
  preprovisioningImage,
} from './preprovisioning-image.ts';
export type { ProviderSwitchStatus } from './provider-switch.ts';
export {
  networkSwitch,
  type PortOfSwitch,
  type ProviderSwitchKind,
  providerSwitchKinds,
  type Switch,
  type SwitchSpec,
  type SwitchState,
  type SwitchStatus,
  switchStates,
} from './switch.ts';
export type { SwitchError } from './switch-error.ts';
export {
  type SwitchPort,
  type SwitchPortSpec,
  type SwitchPortState,
  type SwitchPortStatus,
  switchPort,
  switchPortStates,
} from './switch-port.ts';
export {
  type AclRule,
  type SwitchPortConfiguration,
  type SwitchPortConfigurationSpec,
  type SwitchPortSettings,
  switchPortConfiguration,
} from './switch-port-configuration.ts';
export {
  type SwitchResourceLimit,
  type SwitchResourceLimitSpec,
  type SwitchResourceLimitStatus,
  switchResourceLimit,
  userLimitName,
} from './switch-resource-limit.ts';
