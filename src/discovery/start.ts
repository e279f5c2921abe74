import {
  type Clock,
  type ControllerOptions,
  createEventRecorder,
  type EventRecorder,
  type KubeClient,
  type LeaderElection,
  type Random,
  type RunnableController,
  runControllers,
  uniqueIdentity,
} from '../kube/index.ts';
import type { DiscoverySource } from '../provisioners/index.ts';
import { type Logger, type Metrics, noMetrics, silentLogger } from '../telemetry/index.ts';
import { createDiscoveryInformers } from './caches.ts';
import { watchQuietClaims } from './claims/quiet-claims.ts';
import { createReleaseController } from './claims/release-controller.ts';
import { createClassificationControllers } from './classification/classification-controllers.ts';
import type { Course } from './course.ts';
import { createDiscoveryController } from './discovery-controller.ts';
import { createDiscoveryMetrics } from './discovery-metrics.ts';
import type { DiscoveryInformers } from './objects.ts';
import { type DiscoverySettings, defaultDiscoverySettings } from './settings.ts';

/** What the discovery controllers run with. */
export interface DiscoveryControllersOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  /** Who knows of machines; of a machine that several know, the first one counts. */
  readonly sources: readonly DiscoverySource[];
  /** Only objects of this namespace, for controllers that every tenant has of their own; all unless given. */
  readonly namespace?: string | undefined;
  /** Undefined: this process is the only one. */
  readonly election?: LeaderElection | undefined;
  readonly settings?: Partial<DiscoverySettings> | undefined;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
}

/** Running discovery controllers. */
export interface DiscoveryControllers {
  readonly informers: DiscoveryInformers;
  /** Resolves when the caches are full. */
  whenSynced(signal?: AbortSignal): Promise<void>;
  /** Ends everything and waits for what runs. */
  stop(): Promise<void>;
}

/** Starts the controllers that make hosts of machines and sort hosts by their hardware. Without an object that asks for it they do nothing. */
export function startDiscoveryControllers(options: DiscoveryControllersOptions): DiscoveryControllers {
  const settings = { ...defaultDiscoverySettings, ...options.settings };
  const { client, clock, random, logger, metrics, namespace } = options;
  const informers = createDiscoveryInformers({
    ...{ client, clock, random, logger, metrics, namespace },
    claimNamespace: settings.claimNamespace,
  });
  const all = Object.values(informers);
  const recorder = recorderOf(options);
  const quiet = watchQuietClaims(informers.claims, clock);
  const stopping = new AbortController();
  const controllers = () => createControllers(options, { settings, informers, recorder, quiet });
  const running = runControllers({ informers: all, controllers, election: options.election }, stopping.signal);
  return {
    informers,
    async whenSynced(signal) {
      await Promise.all(all.map((informer) => informer.whenSynced(signal)));
    },
    async stop() {
      stopping.abort();
      await running;
      quiet.close();
      await recorder.flush();
    },
  };
}

interface Given {
  readonly settings: DiscoverySettings;
  readonly informers: DiscoveryInformers;
  readonly recorder: EventRecorder;
  readonly quiet: ReturnType<typeof watchQuietClaims>;
}

function createControllers(options: DiscoveryControllersOptions, given: Given): RunnableController[] {
  const { client, clock, random, sources, logger = silentLogger, metrics = noMetrics } = options;
  const { settings, informers, recorder, quiet } = given;
  const shell: ControllerOptions = { clock, random, recorder, logger, metrics, concurrency: 8 };
  const courses = new Map<string, Course>();
  const counts = createDiscoveryMetrics(metrics);
  const isToldOf = (mac: string): boolean => [...courses.values()].some(({ macs }) => macs.has(mac));
  return [
    createDiscoveryController({ client, clock, sources, informers, quiet, settings, counts, courses }, shell),
    createReleaseController({ client, informers, quiet, settings, isToldOf }, shell),
    ...createClassificationControllers({ client, informers, clock, gatherMs: settings.gatherMs }, shell),
  ];
}

function recorderOf(options: DiscoveryControllersOptions): EventRecorder {
  const { client, clock, random, logger = silentLogger, metrics = noMetrics } = options;
  return createEventRecorder({
    ...{ client, clock, random, logger, metrics },
    component: 'rackwright-discovery',
    instance: uniqueIdentity('discovery'),
  });
}
