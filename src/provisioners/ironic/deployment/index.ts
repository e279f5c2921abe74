export { nodeCapabilities } from './boot-mode.ts';
export { type ConfigDrive, configDriveOf, type NetworkData, networkDataOf } from './config-drive.ts';
export { deployInterfaceFor, deployInterfaceOf, instanceInfoOf, isToldOf } from './instance-info.ts';
export { rootDeviceOf } from './root-device.ts';
