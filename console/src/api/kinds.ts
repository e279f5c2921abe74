/** A resource of the Kubernetes API. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
}

const metal3 = (plural: string): Resource => ({ group: 'metal3.io', version: 'v1alpha1', plural, isNamespaced: true });
const ironcore = (plural: string): Resource => ({
  group: 'metal.ironcore.dev',
  version: 'v1alpha1',
  plural,
  isNamespaced: false,
});

/** The resources that pages show. */
export const resources = {
  hosts: metal3('baremetalhosts'),
  hardwareData: metal3('hardwaredata'),
  firmwareSettings: metal3('hostfirmwaresettings'),
  firmwareComponents: metal3('hostfirmwarecomponents'),
  updatePolicies: metal3('hostupdatepolicies'),
  hostDiscoveries: metal3('baremetalhostdiscoveries'),
  switches: metal3('switches'),
  switchPorts: metal3('switchports'),
  portConfigurations: metal3('switchportconfigurations'),
  resourceLimits: metal3('switchresourcelimits'),
  bmcs: ironcore('bmcs'),
  servers: ironcore('servers'),
  serverFirmwares: ironcore('serverfirmwares'),
  firmwareGroups: ironcore('serverfirmwaregroups'),
  discoveredFirmwares: ironcore('discoveredfirmwares'),
  events: { group: '', version: 'v1', plural: 'events', isNamespaced: true },
  namespaces: { group: '', version: 'v1', plural: 'namespaces', isNamespaced: false },
} as const satisfies Record<string, Resource>;

/** An object of the Kubernetes API, as far as every one of them goes. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly generation?: number;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** A condition of `status.conditions`. */
export interface StatusCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** Which objects of a resource: all, those of a namespace, or one. */
export interface Where {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/** The path of a collection, or of one object where a name is given. */
export function pathOf(resource: Resource, { namespace, name }: Where = {}): string {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const scope = resource.isNamespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${scope}/${resource.plural}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
}

/** `namespace/name`, or the name alone. */
export function keyOf({ metadata }: KubeObject): string {
  return metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
}
