import {
  type Clock,
  type Controller,
  type ControllerOptions,
  createEventRecorder,
  type Effect,
  type EventRecorder,
  type KubeClient,
  type LeaderElection,
  type Random,
  runControllers,
  uniqueIdentity,
} from '../kube/index.ts';
import { type Logger, type Metrics, noMetrics, silentLogger } from '../telemetry/index.ts';
import { createBuiltinControllers } from './builtin/builtin-controllers.ts';
import { createMachineInformers, eachInformer } from './caches.ts';
import { followOwnership, type Ownership } from './definitions.ts';
import { createMetal3ClusterController } from './metal3-cluster/cluster-controller.ts';
import { createMetal3MachineController } from './metal3-machine/machine-controller.ts';
import { createClusterNodes } from './nodes/cluster-nodes.ts';
import { nodesInTable } from './nodes/own-nodes.ts';
import type { WorkloadNodes } from './nodes/workload-nodes.ts';
import type { MachineInformers } from './objects.ts';
import { type MachineNetwork, noMachineNetwork } from './ports.ts';
import type { CoreVersion } from './resources.ts';
import { createScalingController } from './scaling/scaling-controller.ts';
import { defaultMachineSettings, type MachineSettings } from './settings.ts';
import { createTemplateController } from './template/template-controller.ts';
import { createMachineWatches } from './watches.ts';

/** What the machine controllers run with. */
export interface MachineControllersOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  /** Which version of cluster.x-k8s.io is read; the newest unless given. */
  readonly coreVersion?: CoreVersion | undefined;
  /** Brings `networkConfiguration` of machines to their hosts; without it machines that ask for some find no host. */
  readonly network?: MachineNetwork | undefined;
  /** Only machines of this namespace, for controllers that every tenant has of their own; all unless given. */
  readonly namespace?: string | undefined;
  /** Undefined: this process is the only one. */
  readonly election?: LeaderElection | undefined;
  readonly settings?: Partial<MachineSettings> | undefined;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
  /** How many objects each controller works on at once; 16 unless given. */
  readonly concurrency?: number | undefined;
}

/** Running machine controllers. */
export interface MachineControllers {
  readonly informers: MachineInformers;
  /** Who looks after which kinds, as far as is known now. */
  readonly ownership: Pick<Ownership, 'isCoreOurs' | 'isInfrastructureOurs'>;
  /** Resolves when the caches are full. */
  whenSynced(signal?: AbortSignal): Promise<void>;
  /** Ends everything and waits for what runs. */
  stop(): Promise<void>;
}

/**
 * Starts the controllers of Metal3Machines, their templates and clusters, and of sets that follow their hosts. Where the
 * real Cluster API is not installed, also small ones of Clusters, Machines and MachineSets.
 */
export function startMachineControllers(options: MachineControllersOptions): MachineControllers {
  const settings = { ...defaultMachineSettings, ...options.settings };
  const { client, clock, random, logger, metrics, namespace, coreVersion = 'v1beta2' } = options;
  const { resyncMs } = settings;
  const informers = createMachineInformers({
    ...{ client, clock, random, logger, metrics, resyncMs, coreVersion, namespace },
  });
  const ownership = followOwnership({ client, clock, random });
  const all = [...eachInformer(informers), ...ownership.informers];
  // Clusters without a kubeconfig stand for the API itself, but only where nobody else gives them one later.
  const own = nodesInTable(client, informers.nodes);
  const nodes = createClusterNodes({ client, own: () => (ownership.isCoreOurs() ? own : undefined) });
  const recorder = recorderOf(options);
  const stopping = new AbortController();
  const parts: Parts = { options, settings, informers, ownership, nodes, recorder, coreVersion };
  const running = runControllers(
    { informers: all, controllers: () => createControllers(parts), election: options.election },
    stopping.signal,
  );
  return {
    informers,
    ownership,
    async whenSynced(signal) {
      await Promise.all(all.map((informer) => informer.whenSynced(signal)));
    },
    async stop() {
      stopping.abort();
      await running;
      await recorder.flush();
      await nodes.close();
    },
  };
}

interface Parts {
  readonly options: MachineControllersOptions;
  readonly settings: MachineSettings;
  readonly informers: MachineInformers;
  readonly ownership: Ownership;
  readonly nodes: WorkloadNodes;
  readonly recorder: EventRecorder;
  readonly coreVersion: CoreVersion;
}

type AnyController = Pick<Controller<Effect, unknown>, 'start' | 'stop'>;

function createControllers(parts: Parts): AnyController[] {
  const { options, settings, informers, ownership, nodes, coreVersion } = parts;
  const { client, clock, network = noMachineNetwork } = options;
  const shell = shellOf(parts);
  const gathering = { clock, gatherMs: settings.gatherMs };
  const watches = createMachineWatches(informers, gathering);
  const tables = informers;
  const isOurs = ownership.isInfrastructureOurs;
  return [
    createMetal3ClusterController({ client, tables, isOurs, watches: watches.metal3Clusters }, shell),
    createTemplateController({ client, tables, isOurs, watches: watches.templates }, shell),
    createMetal3MachineController(
      { client, nodes, isOurs, coreVersion, reader: { tables, network, settings }, watches: watches.metal3Machines },
      shell,
    ),
    createScalingController({ client, informers, network, coreVersion, isOurs, gathering }, shell),
    ...createBuiltinControllers({ client, informers, nodes, settings, isOurs: ownership.isCoreOurs }, shell),
  ];
}

function recorderOf(options: MachineControllersOptions): EventRecorder {
  const { client, clock, random, logger = silentLogger, metrics = noMetrics } = options;
  return createEventRecorder({
    ...{ client, clock, random, logger, metrics },
    component: 'rackwright-machines',
    instance: uniqueIdentity('machines'),
    concurrency: 4,
  });
}

function shellOf({ options, recorder }: Parts): ControllerOptions {
  const { clock, random, logger = silentLogger, metrics = noMetrics } = options;
  return {
    ...{ clock, random, recorder, logger, metrics },
    concurrency: options.concurrency ?? 16,
    backoff: { baseMs: 50, maxMs: 30_000 },
  };
}
