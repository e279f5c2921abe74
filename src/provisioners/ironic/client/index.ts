export { featuresOf, type IronicFeatures } from './api-version.ts';
export { createIronicClient, type IronicCall, type IronicClient, type IronicConnection } from './ironic-client.ts';
export { IronicError, isIronicError } from './ironic-error.ts';
export { type JsonObject, numberOf, objectOf, objectsOf, textOf, textsOf } from './json.ts';
export { listAll } from './list-all.ts';
