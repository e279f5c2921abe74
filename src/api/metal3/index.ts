import type { KindDeclaration } from '../declare.ts';
import { ansibleSwitch } from './ansible-switch.ts';
import { bareMetalHost } from './bare-metal-host.ts';
import { bareMetalHostDiscovery } from './bare-metal-host-discovery.ts';
import { firmwareSchema } from './firmware-schema.ts';
import { fixtureSwitch } from './fixture-switch.ts';
import { hardwareData } from './hardware-data.ts';
import { hostFirmwareComponents } from './host-firmware-components.ts';
import { hostFirmwareSettings } from './host-firmware-settings.ts';
import { hostUpdatePolicy } from './host-update-policy.ts';
import { ovsSwitch } from './ovs-switch.ts';
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
  bareMetalHostDiscovery,
  networkSwitch,
  ansibleSwitch,
  ovsSwitch,
  fixtureSwitch,
  switchPort,
  switchPortConfiguration,
  switchResourceLimit,
];
