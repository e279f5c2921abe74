export { type AnsibleSwitchOptions, openAnsibleSwitch } from './ansible-switch.ts';
export { createMemoryHostKeys, type HostKeyBook, type KeyOwner } from './host-keys.ts';
export { type AnsibleInstallation, type AnsibleRunner, createAnsibleRunner } from './runner-process.ts';
export { ansibleSystems, systemFor } from './systems/index.ts';
