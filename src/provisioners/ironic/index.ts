export { type JsonObject, objectOf, objectsOf, textOf } from './client/index.ts';
export { configDriveOf } from './deployment/index.ts';
export { hardwareDetailsOf } from './inventory/hardware-details.ts';
export { createIronicProvisioners, type IronicOptions } from './ironic-provisioners.ts';
