export { type OvsSwitchOptions, openOvsSwitch } from './ovs-switch.ts';
