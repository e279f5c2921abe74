import {
  parseCount,
  parseDuration,
  parseHttpUrl,
  parseOneOf,
  parsePath,
  parseSize,
  parseYesNo,
} from '../parse-setting.ts';
import { define } from '../setting.ts';
import { parseCatalogs, parseListen, parseModules, parseStore } from './parse-places.ts';

const limit = parseCount({ least: 0, most: 1_000_000 });
const words = (text: string): readonly string[] => text.split(',').map((each) => each.trim());

/** The settings of the update service and of the firmware controllers, besides those that other services have too. */
export const firmwareSettings = {
  updateServiceUrl: define({
    flag: '--update-service-url',
    value: '<url>',
    env: 'RACKWRIGHT_UPDATE_SERVICE_URL',
    about: 'where the update service takes its calls; jobs are told it too',
    parse: parseHttpUrl,
  }),
  strategy: define({
    flag: '--strategy',
    value: '<name>',
    env: 'RACKWRIGHT_STRATEGY',
    about:
      'how firmware is brought onto servers, exactly one: redfish, vendor-cli, boot-image, or the name of a package that has another',
    fallback: 'redfish',
    isRepeatable: true,
    parse: words,
  }),
  strategySettings: define({
    flag: '--strategy-settings',
    value: '<file>',
    env: 'RACKWRIGHT_STRATEGY_SETTINGS',
    about: 'what the strategy is told, in YAML or JSON',
    parse: parsePath,
  }),
  jobImplementation: define({
    flag: '--job-implementation',
    value: '<package>',
    env: 'RACKWRIGHT_JOB_IMPLEMENTATION',
    about:
      'a package with update, scan or discovery jobs for a manufacturer or for one of its models, which are taken there instead of those that come along: its name, or a path that begins with /, ./ or ../; may be repeated',
    isRepeatable: true,
    parse: parseModules,
  }),
  catalog: define({
    flag: '--catalog',
    value: '<format=location>',
    env: 'RACKWRIGHT_CATALOG',
    about:
      'a catalogue that discoveries read: dell, hpe, lenovo or plain, and where it is (a URL or a folder), as in dell=https://downloads.dell.com/catalog/Catalog.xml.gz; may be repeated',
    isRepeatable: true,
    parse: parseCatalogs,
  }),
  catalogFile: define({
    flag: '--catalog-file',
    value: '<file>',
    env: 'RACKWRIGHT_CATALOG_FILE',
    about:
      'a YAML or JSON file with a list `catalogs`, for what --catalog does not take: each has format and location, and may have baseUrl, trustedHosts, and username with password',
    parse: parsePath,
  }),
  allowUnverifiedFirmware: define({
    flag: '--allow-unverified-firmware',
    value: '<yes|no>',
    env: 'RACKWRIGHT_ALLOW_UNVERIFIED_FIRMWARE',
    about:
      'take firmware that comes without a checksum, as the indexes of HPE and Lenovo list it: nobody can tell then whether what is flashed is what its maker published; each image is warned of in the log; the same for all processes on one database',
    fallback: 'no',
    parse: parseYesNo,
  }),
  imageStore: define({
    flag: '--image-store',
    value: '<dir|s3://bucket/prefix>',
    env: 'RACKWRIGHT_IMAGE_STORE',
    about:
      'where discoveries keep the images that they find, inside the infrastructure: a folder or a bucket, which is served at --image-store-listen, or by somebody else at --image-store-url; without it images stay where their vendors have them',
    parse: parseStore,
  }),
  imageStoreSize: define({
    flag: '--image-store-size',
    value: '<size>',
    env: 'RACKWRIGHT_IMAGE_STORE_SIZE',
    about: 'the most that images take in the store; what nobody needs goes first',
    fallback: '100GiB',
    parse: parseSize,
  }),
  imageStoreListen: define({
    flag: '--image-store-listen',
    value: '<host:port>',
    env: 'RACKWRIGHT_IMAGE_STORE_LISTEN',
    about:
      'serve the images of the store here, over plain HTTP with ranges, to BMCs and jobs: images are no secrets, and their checksums are known',
    parse: parseListen,
  }),
  imageStoreUrl: define({
    flag: '--image-store-url',
    value: '<url>',
    env: 'RACKWRIGHT_IMAGE_STORE_URL',
    about: 'how BMCs and jobs reach the images of the store, if not at the address of --image-store-listen',
    parse: parseHttpUrl,
  }),
  s3Endpoint: define({
    flag: '--s3-endpoint',
    value: '<url>',
    env: 'RACKWRIGHT_S3_ENDPOINT',
    about: 'with --image-store s3://...: where the S3-compatible service is',
    parse: parseHttpUrl,
  }),
  s3Region: define({
    flag: '--s3-region',
    value: '<name>',
    env: 'RACKWRIGHT_S3_REGION',
    about: 'with --image-store s3://...: its region',
    fallback: 'us-east-1',
    parse: (text: string) => text,
  }),
  s3KeyFile: define({
    flag: '--s3-key-file',
    value: '<file>',
    env: 'RACKWRIGHT_S3_KEY_FILE',
    about: 'with --image-store s3://...: a YAML or JSON file with accessKeyId and secretAccessKey',
    parse: parsePath,
  }),
  launcher: define({
    flag: '--launcher',
    value: '<name>',
    env: 'RACKWRIGHT_LAUNCHER',
    about: 'where jobs run: embedded in this process, as a process each, or as a kubernetes Job each',
    fallback: 'embedded',
    parse: parseOneOf('embedded', 'process', 'kubernetes'),
  }),
  jobImage: define({
    flag: '--job-image',
    value: '<image>',
    env: 'RACKWRIGHT_JOB_IMAGE',
    about: 'with --launcher kubernetes: the container image of jobs, whose entrypoint is the command rackwright',
    parse: (text: string) => text,
  }),
  jobNamespace: define({
    flag: '--job-namespace',
    value: '<name>',
    env: 'RACKWRIGHT_JOB_NAMESPACE',
    about: 'with --launcher kubernetes: where jobs are made',
    fallback: 'rackwright-system',
    parse: (text: string) => text,
  }),
  jobTemplate: define({
    flag: '--job-template',
    value: '<file>',
    env: 'RACKWRIGHT_JOB_TEMPLATE',
    about:
      'with --launcher kubernetes: what is changed about each Job, as a strategic merge patch in YAML or JSON: node selectors, limits of the container job, a service account, volumes',
    parse: parsePath,
  }),
  maxUpdates: define({
    flag: '--max-updates',
    value: '<n>',
    env: 'RACKWRIGHT_MAX_UPDATES',
    about: 'how many updates may run at once; the same for all processes on one database; 0: no limit',
    fallback: '0',
    parse: limit,
  }),
  maxScans: define({
    flag: '--max-scans',
    value: '<n>',
    env: 'RACKWRIGHT_MAX_SCANS',
    about: 'how many scans may run at once; 0: no limit',
    fallback: '0',
    parse: limit,
  }),
  maxDiscoveries: define({
    flag: '--max-discoveries',
    value: '<n>',
    env: 'RACKWRIGHT_MAX_DISCOVERIES',
    about: 'how many discoveries may run at once; 0: no limit',
    fallback: '4',
    parse: limit,
  }),
  maxQueued: define({
    flag: '--max-queued',
    value: '<n>',
    env: 'RACKWRIGHT_MAX_QUEUED',
    about:
      'how many jobs of each type that could run may wait; more are refused, to be asked for again later; 0: no limit',
    fallback: '20000',
    parse: limit,
  }),
  maxAttempts: define({
    flag: '--max-attempts',
    value: '<n>',
    env: 'RACKWRIGHT_MAX_ATTEMPTS',
    about: 'after so many failed updates to the same versions a server waits for somebody',
    fallback: '3',
    parse: parseCount({ least: 1, most: 100 }),
  }),
  attemptsFirst: define({
    flag: '--attempts-first',
    value: '<duration>',
    env: 'RACKWRIGHT_ATTEMPTS_FIRST',
    about: 'how soon a failed update or scan is tried again; the pauses double up to half an hour',
    fallback: '1m',
    parse: parseDuration,
  }),
  powerInterval: define({
    flag: '--power-interval',
    value: '<duration>',
    env: 'RACKWRIGHT_POWER_INTERVAL',
    about: 'how often the power and the BIOS version of each server are read; one small request a server',
    fallback: '3m',
    parse: parseDuration,
  }),
  powerReads: define({
    flag: '--power-reads',
    value: '<n>',
    env: 'RACKWRIGHT_POWER_READS',
    about: 'how many BMCs are asked for power at once',
    fallback: '16',
    parse: parseCount({ least: 1, most: 1000 }),
  }),
} as const;
