import { hostSettingNames } from '../../hosts/host-settings.ts';
import { networkSettingNames } from '../../network/network-settings.ts';
import { observeSettingNames } from '../../observe/observe-settings.ts';

/** The settings that say where a service listens. */
export const serveSettings = ['host', 'restPort', 'tlsCert', 'tlsKey'] as const;

/** The settings that say who is let in. */
export const accessSettings = [
  'kubeconfig',
  'jwtIssuer',
  'jwtAudience',
  'jwtJwksUrl',
  'jwtJwksFile',
  'jwtKeyFile',
] as const;

/** The settings of a process that opens the store. */
export const planeSettings = [
  'dataDir',
  'databaseUrl',
  'databaseUrlFile',
  'natsUrl',
  'natsUrlFile',
  'natsCreds',
  'natsCa',
  'natsPrefix',
  'credentialKeys',
  'allowUnverifiedFirmware',
] as const;

/** The settings that say what a process may be made to connect to. */
export const egressSettings = ['egressHosts', 'egressSchemes'] as const;

/** The settings of a process that gives work to workers; all on one database need the same ones. */
export const leasingSettings = [
  'lease',
  'requestDeadline',
  'workerLostAfter',
  'maxActive',
  'maxActivePerFacility',
  'maxActivePerModel',
  'maxPending',
  'maxUploads',
  'maxUpdates',
  'maxScans',
  'maxDiscoveries',
  'maxQueued',
] as const;

/** The settings of `rackwright conditionorc`. */
export const conditionorcSettings = [
  ...serveSettings,
  ...accessSettings,
  ...planeSettings,
  ...leasingSettings,
  'inventory',
  'bmcCa',
  'bmcInsecure',
  'bmcHttp',
  'sweepEvery',
  'publishEvery',
  'notifyUrl',
  'notifyTokenFile',
  'notifySecretFile',
  ...egressSettings,
  ...observeSettingNames,
] as const;

/** The settings of `rackwright serverservice`. */
export const serverserviceSettings = [
  ...serveSettings,
  ...accessSettings,
  ...planeSettings,
  ...observeSettingNames,
] as const;

/** The settings that say how patient installs are. */
export const patienceSettings = [
  'pollFirst',
  'pollMost',
  'verifyFirst',
  'verifyMost',
  'verifyWithin',
  'verifyReads',
  'updateWithin',
  'retryFirst',
  'retryMost',
] as const;

/** The settings of `rackwright flasher`. */
export const flasherSettings = [
  'facility',
  'without',
  'concurrency',
  'orchestratorUrl',
  'inventoryUrl',
  'tokenFile',
  'caFile',
  ...planeSettings,
  ...leasingSettings,
  'bmcCa',
  'bmcInsecure',
  'bmcHttp',
  'imageCache',
  'imageCacheSize',
  'imageFolder',
  ...egressSettings,
  ...patienceSettings,
  'stopWithin',
  ...serveSettings,
  ...accessSettings,
  ...observeSettingNames,
] as const;

/** The settings of the store of images. */
export const imageStoreSettings = [
  'imageStore',
  'imageStoreSize',
  'imageStoreListen',
  'imageStoreUrl',
  's3Endpoint',
  's3Region',
  's3KeyFile',
] as const;

/** The settings of `rackwright update-service`. */
export const updateServiceSettings = [
  'strategy',
  'strategySettings',
  'jobImplementation',
  'catalog',
  'catalogFile',
  'launcher',
  'updateServiceUrl',
  'caFile',
  'jobImage',
  'jobNamespace',
  'jobTemplate',
  'facility',
  'concurrency',
  ...serveSettings,
  ...accessSettings,
  ...planeSettings,
  ...leasingSettings,
  'inventory',
  'bmcCa',
  'bmcInsecure',
  'bmcHttp',
  'imageCache',
  'imageCacheSize',
  'imageFolder',
  ...imageStoreSettings,
  ...patienceSettings,
  'sweepEvery',
  'publishEvery',
  'notifyUrl',
  'notifyTokenFile',
  'notifySecretFile',
  ...egressSettings,
  'stopWithin',
  'installed',
  ...observeSettingNames,
] as const;

/** The settings of `rackwright controllers`. */
export const controllersSettings = [
  'kubeconfig',
  'updateServiceUrl',
  'tokenFile',
  'caFile',
  'webhookUrl',
  'port',
  ...serveSettings,
  ...planeSettings,
  'facility',
  'bmcCa',
  'bmcInsecure',
  'bmcHttp',
  ...egressSettings,
  'maxAttempts',
  'attemptsFirst',
  'powerInterval',
  'powerReads',
  ...hostSettingNames,
  ...networkSettingNames,
  'only',
  'namespace',
  'allPorts',
  'installed',
  'tlsSelf',
  ...observeSettingNames,
] as const;

/** The settings of `rackwright webhooks`. */
export const webhooksSettings = [
  'kubeconfig',
  'port',
  'webhookUrl',
  'webhookService',
  'webhookCertificate',
  'installed',
  ...serveSettings,
  'tlsSelf',
  ...observeSettingNames,
] as const;

/** The settings of `rackwright issue-token`. */
export const issueTokenSettings = ['jwtKeyFile', 'jwtIssuer', 'jwtAudience'] as const;
