import type { KindDeclaration } from '../declare.ts';
import { bmc } from './bmc.ts';
import { bmcSecret } from './bmc-secret.ts';
import { discoveredFirmware } from './discovered-firmware.ts';
import { server } from './server.ts';
import { serverFirmware } from './server-firmware.ts';
import { serverFirmwareGroup } from './server-firmware-group.ts';

/** Every kind of metal.ironcore.dev that we serve. */
export const ironcoreKinds: readonly KindDeclaration[] = [
  bmc,
  bmcSecret,
  server,
  serverFirmware,
  serverFirmwareGroup,
  discoveredFirmware,
];

export { type BMC, type BMCSpec, type BMCStatus, bmc } from './bmc.ts';
export { type BMCSecret, bmcSecret, bmcSecretKeys } from './bmc-secret.ts';
export {
  type DiscoveredFirmware,
  type DiscoveredFirmwareSpec,
  type DiscoveredFirmwareStatus,
  discoveredFirmware,
} from './discovered-firmware.ts';
export {
  excludeLabel,
  groupAnnotation,
  heightUnitAnnotation,
  type IroncoreApiVersion,
  ironcoreApiVersion,
  ironcoreConditions,
  ironcoreGroup,
  ironcoreReasons,
  ironcoreVersion,
  jobWaitReasons,
  type Operation,
  operationAnnotation,
  operations,
  parkedAnnotation,
  parkOperation,
  rackAnnotation,
  retryOperation,
  retryPropagatedOperation,
  unparkOperation,
} from './names.ts';
export { type Server, type ServerSpec, type ServerState, type ServerStatus, server, serverStates } from './server.ts';
export {
  type ServerFirmware,
  type ServerFirmwareSpec,
  type ServerFirmwareStatus,
  serverFirmware,
} from './server-firmware.ts';
export {
  type ServerFirmwareGroup,
  type ServerFirmwareGroupSpec,
  type ServerFirmwareGroupStatus,
  serverFirmwareGroup,
} from './server-firmware-group.ts';
export { type Firmware, firmwareKeys, type PartFirmware, type ResolvedFirmware } from './shapes.ts';
