export { compareVersions, type VersionOrder, type VersionPair } from './compare-versions.ts';
export type { VersionOf } from './order-key.ts';
export { isSameVersion, normaliseVersion } from './parse-version.ts';
export { sortVersions, type Versioned } from './sort-versions.ts';
export { isSameVendor, readVendor, type Vendor, type VendorSpelling } from './vendor.ts';
export { createVersionSet, type VersionSet } from './version-set.ts';
