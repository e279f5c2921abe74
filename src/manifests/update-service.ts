import { jobLabels } from '../api/index.ts';
import { type Component, home, plain, yes } from './component.ts';
import type { Condition } from './condition.ts';
import { selectorOf } from './labels.ts';
import { bmcCaFile, configFile, databaseFiles, secretFile } from './mounted-files.ts';
import { rights } from './rights.ts';
import { Optional, type Template, text, value } from './template.ts';
import { areJobsInCluster, isUpdateServiceEnabled } from './update-service-values.ts';

const port = 7447;
const imagePort = 8090;

/** Where the update service of the installation takes calls. */
export const updateServiceUrl = `https://rackwright-update-service.${home}.svc:${port}`;

const hasImages: Condition = { is: 'updateService.imageStore.bucket' };
const hasJobImage: Condition = { is: 'updateService.jobs.image' };

const inCluster = (template: Template): Template => new Optional(areJobsInCluster, template);
const withImages = (template: Template): Template => new Optional(hasImages, template);
const limit = (name: string, key: string): Template => ({ name, value: text(`updateService.limits.${key}`) });

const jobSettings: readonly Template[] = [
  inCluster({ name: 'RACKWRIGHT_UPDATE_SERVICE_URL', value: updateServiceUrl }),
  inCluster({ name: 'RACKWRIGHT_JOB_NAMESPACE', value: value('updateService.jobs.namespace') }),
  plain('RACKWRIGHT_JOB_IMAGE', 'updateService.jobs.image'),
  new Optional(
    { all: [areJobsInCluster, { not: hasJobImage }] },
    { name: 'RACKWRIGHT_JOB_IMAGE', value: `${value('image.repository')}:${value('image.tag')}` },
  ),
];

const imageSettings: readonly Template[] = [
  plain('RACKWRIGHT_IMAGE_STORE', 'updateService.imageStore.bucket'),
  withImages({ name: 'RACKWRIGHT_IMAGE_STORE_LISTEN', value: `0.0.0.0:${imagePort}` }),
  plain('RACKWRIGHT_IMAGE_STORE_URL', 'updateService.imageStore.url'),
  withImages({ name: 'RACKWRIGHT_IMAGE_STORE_SIZE', value: value('updateService.imageStore.size') }),
  plain('RACKWRIGHT_S3_ENDPOINT', 'updateService.imageStore.endpoint'),
  withImages({ name: 'RACKWRIGHT_S3_REGION', value: value('updateService.imageStore.region') }),
];

/** The update service. Its pods all work, each on jobs of its own. */
export const updateService: Component = {
  name: 'update-service',
  about: 'Takes requests to update, scan and discover firmware, and runs the jobs that do them.',
  words: ['update-service'],
  when: isUpdateServiceEnabled,
  perTenantIn: [],
  rights: rights['update-service'],
  env: [
    { name: 'RACKWRIGHT_FACILITY', value: value('updateService.facility') },
    { name: 'RACKWRIGHT_STRATEGY', value: value('updateService.strategy') },
    { name: 'RACKWRIGHT_LAUNCHER', value: value('updateService.launcher') },
    ...jobSettings,
    ...imageSettings,
    limit('RACKWRIGHT_MAX_UPDATES', 'updates'),
    limit('RACKWRIGHT_MAX_SCANS', 'scans'),
    limit('RACKWRIGHT_MAX_DISCOVERIES', 'discoveries'),
    limit('RACKWRIGHT_MAX_QUEUED', 'queued'),
    limit('RACKWRIGHT_MAX_UPLOADS', 'uploads'),
    yes('RACKWRIGHT_BMC_INSECURE', 'firmware.bmcInsecure'),
    yes('RACKWRIGHT_BMC_HTTP', 'firmware.bmcHttp'),
    plain('RACKWRIGHT_EGRESS_HOSTS', 'firmware.egressHosts'),
    yes('RACKWRIGHT_ALLOW_UNVERIFIED_FIRMWARE', 'firmware.allowUnverified'),
  ],
  files: [
    ...databaseFiles,
    bmcCaFile,
    {
      folder: 'tls',
      path: 'updateService.tlsSecret',
      kind: 'secret',
      variables: { RACKWRIGHT_TLS_CERT: 'tls.crt', RACKWRIGHT_TLS_KEY: 'tls.key', RACKWRIGHT_CA_FILE: 'ca.crt' },
    },
    secretFile(
      { folder: 'strategy', path: 'updateService.strategySettingsSecret' },
      'RACKWRIGHT_STRATEGY_SETTINGS',
      'settings.yaml',
    ),
    secretFile(
      { folder: 'catalogs', path: 'updateService.catalogsSecret' },
      'RACKWRIGHT_CATALOG_FILE',
      'catalogs.yaml',
    ),
    configFile(
      { folder: 'catalogs', path: 'updateService.catalogsConfigMap' },
      'RACKWRIGHT_CATALOG_FILE',
      'catalogs.yaml',
    ),
    configFile(
      { folder: 'job-template', path: 'updateService.jobs.templateConfigMap' },
      'RACKWRIGHT_JOB_TEMPLATE',
      'template.yaml',
    ),
    secretFile({ folder: 's3-key', path: 'updateService.imageStore.keySecret' }, 'RACKWRIGHT_S3_KEY_FILE', 'key.yaml'),
  ],
  port: { name: 'calls', number: port, isSelfCertified: false },
  openPorts: [{ name: 'images', number: imagePort, when: hasImages }],
  callers: [
    { podSelector: { matchLabels: selectorOf('firmware') } },
    inCluster({
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': value('updateService.jobs.namespace') } },
      podSelector: { matchLabels: jobLabels },
    }),
  ],
  reaches: 'anything',
};
