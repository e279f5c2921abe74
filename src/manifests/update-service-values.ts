import { type Static, Type } from 'typebox';
import type { Condition } from './condition.ts';
import { anything, closed, configMapName, httpUrl, oneOf, secretName, text } from './value-types.ts';

// Helm writes numbers from a million on with an exponent, which no setting takes.
const limit = (description: string) =>
  Type.Integer({ minimum: 0, maximum: 100_000, description: `${description}; 0: no limit` });

const jobs = Type.Object(
  {
    namespace: text('where Jobs and their Secrets are made; it has to be there', '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'),
    image: text(
      'the container image of Jobs, whose entrypoint is the command rackwright; that of the chart when empty',
    ),
    templateConfigMap: configMapName('whose key "template.yaml" holds what is changed about each Job'),
  },
  closed,
);

const imageStore = Type.Object(
  {
    bucket: text(
      's3://bucket/prefix, where discoveries keep images; without it they stay where their vendors have them',
      '^(s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[A-Za-z0-9._/-]*)?)?$',
    ),
    endpoint: text('URL of the S3-compatible service', httpUrl),
    region: text('of the bucket', '^[A-Za-z0-9-]+$'),
    keySecret: secretName('whose key "key.yaml" holds accessKeyId and secretAccessKey'),
    url: text('how BMCs and jobs reach port 8090 of the Service, where the images are served', httpUrl),
    size: text('the most that images take in the bucket', '^[1-9][0-9]*(MiB|GiB|TiB)$'),
  },
  closed,
);

/** Values of the update service. */
export const updateServiceSchema = Type.Object(
  {
    enabled: Type.Boolean({ description: 'also the update service, which the firmware controllers ask then' }),
    facility: text('whose servers it works on', '^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$'),
    tlsSecret: secretName('of the type kubernetes.io/tls and with "ca.crt", that it serves with'),
    strategy: text('how firmware is brought onto servers: redfish, vendor-cli, or a package', '^[^{}«»\\s,]+$'),
    strategySettingsSecret: secretName('whose key "settings.yaml" holds what the strategy is told'),
    catalogsSecret: secretName('whose key "catalogs.yaml" names the catalogues, with their log-ins'),
    catalogsConfigMap: configMapName('whose key "catalogs.yaml" names the catalogues, where none needs a log-in'),
    launcher: oneOf(['embedded', 'kubernetes'], 'where jobs run: in its own pods, or as a Job each'),
    jobs,
    imageStore,
    limits: Type.Object(
      {
        updates: limit('how many updates may run at once'),
        scans: limit('how many scans may run at once'),
        discoveries: limit('how many discoveries may run at once'),
        queued: limit('how many jobs of each type may wait'),
        uploads: limit('how many images may be sent to BMCs at once'),
      },
      closed,
    ),
    callers: Type.Array(anything('a peer as a NetworkPolicy has it'), {
      description: 'who may call it besides the firmware controllers and jobs, where there are network policies',
    }),
  },
  closed,
);

/** What holds unless somebody says otherwise. */
export const updateServiceDefaults: Static<typeof updateServiceSchema> = {
  enabled: false,
  facility: 'default',
  tlsSecret: '',
  strategy: 'redfish',
  strategySettingsSecret: '',
  catalogsSecret: '',
  catalogsConfigMap: '',
  launcher: 'embedded',
  jobs: { namespace: 'rackwright-jobs', image: '', templateConfigMap: '' },
  imageStore: { bucket: '', endpoint: '', region: 'us-east-1', keySecret: '', url: '', size: '100GiB' },
  limits: { updates: 0, scans: 0, discoveries: 4, queued: 20_000, uploads: 0 },
  callers: [],
};

const own = (name: string): Condition => ({ is: `updateService.${name}` });
const not = (condition: Condition): Condition => ({ not: condition });

/** True where the update service is installed. */
export const isUpdateServiceEnabled = own('enabled');
/** True where its jobs are Jobs. */
export const areJobsInCluster: Condition = { equals: ['updateService.launcher', 'kubernetes'] };

const partsOfBucket = ['endpoint', 'keySecret', 'url'].map((name) => own(`imageStore.${name}`));

const faults: readonly { readonly when: Condition; readonly message: string }[] = [
  {
    when: not({ is: 'database.urlSecret' }),
    message: 'updateService.enabled goes with database.urlSecret: all pods of the update service share a database',
  },
  {
    when: not(own('tlsSecret')),
    message: 'updateService.enabled goes with updateService.tlsSecret: the update service takes tokens over TLS only',
  },
  {
    when: { any: [{ is: 'firmware.updateServiceUrl' }, { is: 'firmware.updateServiceCaSecret' }] },
    message:
      'firmware.updateServiceUrl and firmware.updateServiceCaSecret name another update service than updateService.enabled installs: leave them empty, or take updateService.enabled false',
  },
  {
    when: { equals: ['updateService.strategy', 'boot-image'] },
    message:
      'updateService.strategy boot-image is not for pods: update images report to one address, which no Service of several pods is; run that update service yourself and name it with firmware.updateServiceUrl',
  },
  {
    when: { all: [{ equals: ['updateService.strategy', 'vendor-cli'] }, not(own('strategySettingsSecret'))] },
    message: 'updateService.strategy vendor-cli goes with updateService.strategySettingsSecret: its command templates',
  },
  {
    when: { all: [own('catalogsSecret'), own('catalogsConfigMap')] },
    message: 'updateService.catalogsSecret and updateService.catalogsConfigMap say the same thing twice: leave one out',
  },
  {
    when: { all: [not(areJobsInCluster), { any: [own('jobs.image'), own('jobs.templateConfigMap')] }] },
    message:
      'updateService.jobs.image and updateService.jobs.templateConfigMap are of no use without updateService.launcher kubernetes',
  },
  {
    when: { all: [own('imageStore.bucket'), not({ all: partsOfBucket })] },
    message:
      'updateService.imageStore.bucket goes with updateService.imageStore.endpoint, updateService.imageStore.keySecret and updateService.imageStore.url',
  },
  {
    when: { all: [not(own('imageStore.bucket')), { any: partsOfBucket }] },
    message:
      'updateService.imageStore.endpoint, updateService.imageStore.keySecret and updateService.imageStore.url go with updateService.imageStore.bucket',
  },
];

/** What cannot be meant about the update service where it is installed. */
export const updateServiceChecks = faults.map(({ when, message }) => ({
  when: { all: [isUpdateServiceEnabled, when] },
  message,
}));
