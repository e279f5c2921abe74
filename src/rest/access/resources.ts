/** Something that is protected. */
export interface ProtectedResource {
  /** The virtual resource that roles of Kubernetes name, in the group `rackwright.io`; with a subresource after a slash. */
  readonly kube: string;
  /** What scopes call it: `server` in `read:server`. The first is the one that is asked for, the others are taken too. */
  readonly scopes: readonly [string, ...string[]];
  /** True where only its own scopes count, and neither `read` nor `write` alone. */
  readonly isApart?: boolean;
  /** True where `write` changes it not, nor does any verb alone, while `read` reads it. */
  readonly areChangesApart?: boolean;
  /** True for a right to do one thing: its scope is its name alone. */
  readonly isRight?: boolean;
}

/** The group of the virtual resources. */
export const accessGroup = 'rackwright.io';

/** Everything that REST services protect. */
export const restResources = {
  server: { kube: 'servers', scopes: ['server'] },
  serverAttributes: {
    kube: 'servers/attributes',
    scopes: ['server:attributes', 'server', 'server:versioned-attributes'],
  },
  serverComponents: { kube: 'servers/components', scopes: ['server:component', 'server', 'server:components'] },
  componentTypes: { kube: 'servercomponenttypes', scopes: ['server-component-types', 'server-component-type'] },
  credentials: { kube: 'servers/credentials', scopes: ['server:credentials'], isApart: true },
  credentialTypes: { kube: 'credentialtypes', scopes: ['server-credential-types'] },
  firmware: { kube: 'firmware', scopes: ['firmware', 'server-component-firmwares'] },
  firmwareSets: { kube: 'firmwaresets', scopes: ['firmware-set', 'server-component-firmware-sets'] },
  conditions: { kube: 'conditions', scopes: ['condition'] },
  biosConfigSets: { kube: 'biosconfigsets', scopes: ['bios-config-set', 'server-bios-config-sets'] },
  events: { kube: 'events', scopes: ['event', 'events', 'server'] },
  billOfMaterials: {
    kube: 'billsofmaterials',
    scopes: ['bill-of-materials', 'batch-upload', 'aoc-mac-address', 'bmc-mac-address'],
  },
  /** What a process counts. */
  metrics: { kube: 'metrics', scopes: ['metrics'] },
  /** The API of workers that do not open the store. Work comes with the log-ins of its images, and its end is believed. */
  workers: { kube: 'workers', scopes: ['worker'], areChangesApart: true },
  /** What is installed or can be had, told by somebody who holds no lease. */
  unfencedReports: { kube: 'unfencedreports', scopes: ['report-unfenced'], isApart: true, isRight: true },
} as const satisfies Record<string, ProtectedResource>;
