/** The API group of Cluster API itself. */
export const clusterGroup = 'cluster.x-k8s.io';

/** The API group of infrastructure providers of Cluster API. */
export const infrastructureGroup = 'infrastructure.cluster.x-k8s.io';

/** The version that is stored, and that our own code speaks. */
export const clusterApiVersion = 'cluster.x-k8s.io/v1beta2';

/** The older version, served for clients that still speak it. */
export const clusterApiVersionV1Beta1 = 'cluster.x-k8s.io/v1beta1';

/** The version that is stored, and that our own code speaks. */
export const infrastructureApiVersion = 'infrastructure.cluster.x-k8s.io/v1beta2';

/** The older version, served for clients that still speak it. */
export const infrastructureApiVersionV1Beta1 = 'infrastructure.cluster.x-k8s.io/v1beta1';

/** Labels on a CRD by which Cluster API finds which version follows which contract. */
export const contractLabels = {
  'cluster.x-k8s.io/provider': 'infrastructure-metal3',
  'cluster.x-k8s.io/v1beta1': 'v1beta1',
  'cluster.x-k8s.io/v1beta2': 'v1beta2',
} as const;

/** Labels that tie objects to their cluster, set and deployment, and hosts to reuse and failure domains. */
export const clusterLabels = {
  clusterName: 'cluster.x-k8s.io/cluster-name',
  setName: 'cluster.x-k8s.io/set-name',
  deploymentName: 'cluster.x-k8s.io/deployment-name',
  controlPlane: 'cluster.x-k8s.io/control-plane',
  nodeReuse: 'infrastructure.cluster.x-k8s.io/node-reuse',
  failureDomain: 'infrastructure.cluster.x-k8s.io/failure-domain',
  nodeUuid: 'metal3.io/uuid',
} as const;

/** Annotations that mean something to the machine controllers. */
export const clusterAnnotations = {
  /** Any value: nothing reconciles the object. */
  paused: 'cluster.x-k8s.io/paused',
  /** Any value: the set removes this machine first when it scales down. */
  deleteMachine: 'cluster.x-k8s.io/delete-machine',
  clonedFromName: 'cluster.x-k8s.io/cloned-from-name',
  clonedFromGroupKind: 'cluster.x-k8s.io/cloned-from-groupkind',
  autoscalerMinSize: 'cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size',
  autoscalerMaxSize: 'cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size',
  /** What the other version of the object cannot hold. */
  conversionData: 'cluster.x-k8s.io/conversion-data',
  /** On a MachineSet or MachineDeployment: as many replicas as there are hosts for it. */
  autoscaleToHosts: 'metal3.io/autoscale-to-hosts',
  /** On a Metal3Machine: `namespace/name` of its BareMetalHost. */
  bareMetalHost: 'metal3.io/BareMetalHost',
  /** On a Metal3Cluster: prefixes of the host labels that are copied to nodes. */
  labelSyncPrefixes: 'metal3.io/metal3-label-sync-prefixes',
  /** On a BareMetalHost: not to be chosen. */
  unhealthy: 'capm3.metal3.io/unhealthy',
  /** The older spelling of `unhealthy`. */
  unhealthyDeprecated: 'capi.metal3.io/unhealthy',
} as const;

/** Finalizers that hold an object until what belongs to it is gone. */
export const clusterFinalizers = {
  cluster: 'cluster.cluster.x-k8s.io',
  machine: 'machine.cluster.x-k8s.io',
  machineSet: 'cluster.x-k8s.io/machineset',
  machineDeployment: 'cluster.x-k8s.io/machinedeployment',
  metal3Machine: 'metal3machine.infrastructure.cluster.x-k8s.io',
  metal3Cluster: 'metal3cluster.infrastructure.cluster.x-k8s.io',
} as const;

/** Condition types of the machine kinds. */
export const clusterConditions = {
  ready: 'Ready',
  available: 'Available',
  upToDate: 'UpToDate',
  paused: 'Paused',
  deleting: 'Deleting',
  infrastructureReady: 'InfrastructureReady',
  bootstrapConfigReady: 'BootstrapConfigReady',
  nodeReady: 'NodeReady',
  scalingUp: 'ScalingUp',
  scalingDown: 'ScalingDown',
  machinesReady: 'MachinesReady',
  machinesUpToDate: 'MachinesUpToDate',
  associateBareMetalHost: 'AssociateBareMetalHost',
  associateMetaData: 'AssociateMetal3MachineMetaData',
  metal3DataReady: 'Metal3DataReady',
  baremetalInfrastructureReady: 'BaremetalInfrastructureReady',
  /** The networkConfiguration of a Metal3Machine reached its ports. */
  networkConfigured: 'NetworkConfigured',
  /** The object asks for something that is kept but not served, such as dataTemplate or topology. */
  unsupported: 'Unsupported',
} as const;

/** `groupkind` annotation value of machines that were cloned from a Metal3MachineTemplate. */
export const metal3MachineTemplateGroupKind = 'Metal3MachineTemplate.infrastructure.cluster.x-k8s.io';
