export { createSwitchDevice, type SwitchDeviceOptions } from './create-switch-device.ts';
export { whyNoPortName } from './port-name.ts';
export type { PortWrite, SwitchDriver } from './switch-driver.ts';
