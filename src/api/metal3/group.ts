/** The API group of the Metal3 kinds. */
export const metal3Group = 'metal3.io';

/** `apiVersion` of every Metal3 kind. */
export const metal3ApiVersion = 'metal3.io/v1alpha1';

/** The `apiVersion` literal of the Metal3 kinds. */
export type Metal3ApiVersion = typeof metal3ApiVersion;
