import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TlsTrust } from '../../bmc/index.ts';
import { type CatalogSource, createCatalogReader } from '../../catalogs/index.ts';
import type { HandlerContext } from '../../flasher/index.ts';
import type { JobBmc, JobFile, JobImplementation, Strategy } from '../../jobs/index.ts';
import { type KubeClient, systemClock } from '../../kube/index.ts';
import { isLoopback } from '../../rest/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import {
  createEmbeddedLauncher,
  createKubernetesLauncher,
  createProcessLauncher,
  type Launcher,
  type LaunchOrder,
} from '../../update-service/index.ts';
import { CliError, usageError } from '../errors.ts';
import type { Closing } from '../install-service/closing.ts';
import { type EgressSettings, egressOf, egressRulesOf } from '../install-service/egress.ts';
import { storedInventory } from '../install-service/inventory-access.ts';
import { createServerDirectory } from '../install-service/server-directory.ts';
import type { WorkPlane } from '../install-service/work-plane.ts';
import type { Settings } from '../settings.ts';
import type { OpenImageStore } from './image-store.ts';
import { readObjectFile } from './read-object-file.ts';

/** What is said about where jobs run. */
export type LauncherSettings = Settings<
  | 'launcher'
  | 'updateServiceUrl'
  | 'caFile'
  | 'jobImage'
  | 'jobNamespace'
  | 'jobTemplate'
  | 'jobImplementation'
  | 'dataDir'
  | 'imageCache'
  | 'imageCacheSize'
  | 'imageFolder'
  | 'allowUnverifiedFirmware'
  | 'logLevel'
  | 'tracesEndpoint'
> &
  EgressSettings;

/** What jobs are run with. */
export interface LauncherParts {
  readonly plane: WorkPlane;
  readonly strategy: Strategy;
  /** What does jobs besides what comes along; jobs outside load them for themselves. */
  readonly implementations: readonly JobImplementation[];
  /** How patient jobs on servers are. */
  readonly patience: JobFile['patience'];
  /** Opened only where jobs run in this process. */
  readonly openTools: () => Promise<{ readonly tools: HandlerContext; readonly close: () => Promise<void> }>;
  readonly sources: readonly CatalogSource[];
  readonly images: OpenImageStore | undefined;
  readonly trust: TlsTrust;
  /** Of the cluster that Jobs are made in. */
  readonly client: KubeClient | undefined;
  /** Where this process takes calls. */
  readonly url: string;
  readonly logger: Logger;
  readonly open: Closing;
}

/** What else decides whether jobs elsewhere reach what they need. */
type PlaceSettings = Settings<'kubeconfig' | 'host' | 'imageStoreListen' | 'imageStoreUrl'>;

/** Says what is wrong with the choice of a launcher before anything is opened for it. */
export function checkLauncher(settings: LauncherSettings & PlaceSettings): void {
  const { launcher, jobImage, kubeconfig, imageStoreListen: images } = settings;
  if (launcher !== 'kubernetes') return;
  if (kubeconfig === undefined) throw usageError('--launcher kubernetes goes with --kubeconfig: where Jobs are made');
  if (jobImage === undefined) throw usageError('--launcher kubernetes goes with --job-image: what Jobs run');
  if (settings.updateServiceUrl === undefined && !isReachedByOthers(settings.host)) {
    throw usageError(
      `--launcher kubernetes goes with --update-service-url: pods do not find this service at ${settings.host}`,
    );
  }
  if (images !== undefined && settings.imageStoreUrl === undefined && !isReachedByOthers(images.host)) {
    throw usageError(
      `--launcher kubernetes goes with --image-store-url: pods do not find the images at ${images.host}, where --image-store-listen serves them`,
    );
  }
}

/** Whoever listens on all addresses does not know which of them others use. */
function isReachedByOthers(host: string): boolean {
  return !isLoopback(host) && !['0.0.0.0', '::', '[::]'].includes(host);
}

/** Makes the launcher that the settings name. */
export async function chooseLauncher(settings: LauncherSettings, parts: LauncherParts): Promise<Launcher> {
  switch (settings.launcher) {
    case 'embedded':
      return embedded(settings, parts);
    case 'process':
      return createProcessLauncher({
        ...outside(settings, parts),
        folder: join(settings.dataDir, 'jobs'),
        command: jobCommand(settings),
        environment: { PATH: process.env.PATH ?? '' },
      });
    case 'kubernetes': {
      const { client } = parts;
      const { jobImage: image, jobNamespace: namespace } = settings;
      if (client === undefined || image === undefined) throw new TypeError('the launcher was not checked');
      const template = readObjectFile(settings.jobTemplate, '--job-template');
      return createKubernetesLauncher({
        ...outside(settings, parts),
        ...{ client, image, namespace, words: ['job', ...implementationWords(settings)] },
        // What was read from YAML is JSON, but for dates, which a Job has no place for.
        template: template as Parameters<typeof createKubernetesLauncher>[0]['template'],
      });
    }
  }
}

async function embedded(settings: LauncherSettings, parts: LauncherParts): Promise<Launcher> {
  const { plane, strategy, implementations, sources, images, logger, open } = parts;
  const { tools, close } = await parts.openTools();
  open.add(close);
  const reader = createCatalogReader({ egress: egressOf(settings) });
  open.add(() => reader.close());
  return createEmbeddedLauncher({
    servers: { strategy, tools },
    implementations,
    discovery: { reader, sources },
    catalogue: plane.service.firmware,
    store: images?.store,
    logger,
    clock: systemClock,
  });
}

/** What jobs outside this process are told. */
function outside(settings: LauncherSettings, { plane, trust, url, images, patience, logger }: LauncherParts) {
  const directory = createServerDirectory(storedInventory(plane.service), trust);
  return {
    clock: systemClock,
    logger,
    updateService: whereOf(settings, url),
    store: images?.place,
    patience,
    areUnverifiedAllowed: settings.allowUnverifiedFirmware,
    egress: egressRulesOf(settings),
    tracesEndpoint: settings.tracesEndpoint,
    async bmcOf({ work }: LaunchOrder): Promise<JobBmc | undefined> {
      const { target } = work.condition;
      const found = await directory.find(target);
      if (found === undefined) return undefined;
      const { origin, credentials, serviceUuid } = found.endpoint;
      const { systemPath, machine } = found;
      return {
        ...{ target, origin, trust, ...(await credentials()) },
        ...(serviceUuid === undefined ? {} : { serviceUuid }),
        ...(systemPath === undefined ? {} : { systemPath }),
        ...(machine === undefined ? {} : { machine }),
      };
    },
  };
}

function whereOf({ updateServiceUrl, caFile }: LauncherSettings, url: string): JobFile['updateService'] {
  if (caFile === undefined) return { url: updateServiceUrl ?? url };
  try {
    return { url: updateServiceUrl ?? url, caPem: readFileSync(caFile, 'utf8') };
  } catch (cause) {
    throw new CliError('usage', `--ca-file: ${caFile} cannot be read`, { cause });
  }
}

/** This program again, as the job application. */
function jobCommand(settings: LauncherSettings): [string, ...string[]] {
  const main = fileURLToPath(new URL('../main.ts', import.meta.url));
  const { imageCache, dataDir, imageFolder, imageCacheSize, logLevel } = settings;
  return [
    process.execPath,
    main,
    'job',
    ...['--image-cache', imageCache ?? join(dataDir, 'images')],
    ...['--image-cache-size', `${Math.max(1, Math.floor(imageCacheSize / 1024 ** 2))}MiB`],
    ...(imageFolder === undefined ? [] : ['--image-folder', imageFolder]),
    ...implementationWords(settings),
    ...(logLevel === undefined ? [] : ['--log-level', logLevel]),
  ];
}

function implementationWords({ jobImplementation = [] }: LauncherSettings): string[] {
  return jobImplementation.flatMap((name) => ['--job-implementation', name]);
}
