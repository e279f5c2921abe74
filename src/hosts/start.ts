import type { BareMetalHost } from '../api/index.ts';
import {
  type Clock,
  type ControllerOptions,
  createEventRecorder,
  createMayDo,
  type EventRecorder,
  type KubeClient,
  type KubeObject,
  type LeaderElection,
  type Random,
  type RunnableController,
  runControllers,
  uniqueIdentity,
} from '../kube/index.ts';
import type { PowerOrder, Provisioners } from '../provisioners/index.ts';
import { type Logger, type Metrics, noMetrics, silentLogger } from '../telemetry/index.ts';
import { type HostView, rememberMs } from './admission/claims.ts';
import { createHostInformers } from './caches.ts';
import type { BegunFirmware } from './decide/seen.ts';
import type { CompanionParts } from './firmware/companion-parts.ts';
import { createComponentsController } from './firmware/components-controller.ts';
import { createPolicyController } from './firmware/policy-controller.ts';
import { createSchemaController } from './firmware/schema-controller.ts';
import { createSettingsController } from './firmware/settings-controller.ts';
import { createDataImageController } from './images/data-image-controller.ts';
import type { HostNetwork } from './network/host-network.ts';
import { createHostNodes } from './nodes/host-nodes.ts';
import type { HostInformers } from './objects.ts';
import { nobodyElse, type OpenExternalWork } from './ports.ts';
import { resources } from './resources.ts';
import { createServicedHosts } from './servicing/serviced-hosts.ts';
import { defaultHostSettings, type HostSettings } from './settings.ts';
import { createClaimedMachines, onlyClaimed } from './shell/claimed-machines.ts';
import { createHeldWork } from './shell/held-work.ts';
import { createHostController, type HostController } from './shell/host-controller.ts';
import { createWayMaker } from './shell/make-way.ts';
import { createNewest } from './shell/newest.ts';
import type { NewestObjects } from './shell/perform.ts';
import { createHostWatches } from './shell/watches.ts';

/** What the controllers of hosts run with. */
export interface HostControllersOptions {
  readonly client: KubeClient;
  /** What owns the disks and the boot of hosts. */
  readonly provisioners: Provisioners;
  /**
   * Keeps others from working on a machine while a provisioner does, and the other way round; nobody else works on them
   * unless given. Opened whenever this process begins to lead, and closed when all it led has ended.
   */
  readonly openExternalWork?: (() => OpenExternalWork) | undefined;
  /** The way to the switch ports of hosts; these are left alone unless given. */
  readonly network?: HostNetwork | undefined;
  readonly clock: Clock;
  readonly random: Random;
  /** Only hosts of this namespace, for controllers that every tenant has of their own; all unless given. */
  readonly namespace?: string | undefined;
  /** Undefined: this process is the only one. */
  readonly election?: LeaderElection | undefined;
  readonly settings?: Partial<HostSettings> | undefined;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
  /** How many hosts are worked on at once; 16 unless given: an Ironic is not asked more at a time, and each holds memory. */
  readonly concurrency?: number | undefined;
}

/** Running controllers of hosts. */
export interface HostControllers {
  readonly informers: HostInformers;
  /** What admission holds new hosts against; of use once the caches are full. */
  readonly view: HostView;
  /** The controller of hosts itself, while it runs here: for plans, and for why things are as they are. */
  readonly hosts: () => HostController | undefined;
  /** Resolves when the caches are full. */
  whenSynced(signal?: AbortSignal): Promise<void>;
  /** Ends everything and waits for what runs. */
  stop(): Promise<void>;
}

/** Starts the controllers of BareMetalHosts and their companions. */
export function startHostControllers(options: HostControllersOptions): HostControllers {
  const settings = { ...defaultHostSettings, ...options.settings };
  const informers = createHostInformers({ ...options, resyncMs: settings.resyncMs });
  const stopping = new AbortController();
  let leading: Leading | undefined;
  const running = runControllers(
    {
      informers: Object.values(informers),
      controllers() {
        leading?.newest.close();
        leading = lead(options, { settings, informers });
        return leading.controllers;
      },
      election: options.election,
    },
    stopping.signal,
  );
  const { client, clock } = options;
  return {
    informers,
    view: viewOf(informers.hosts, client, clock),
    hosts: () => leading?.hosts,
    async whenSynced(signal) {
      await Promise.all(Object.values(informers).map((informer) => informer.whenSynced(signal)));
    },
    async stop() {
      stopping.abort();
      await running;
      await leading?.recorder.flush();
      leading?.newest.close();
    },
  };
}

/** What following hosts takes. */
export type FollowHostsOptions = Pick<HostControllersOptions, 'client' | 'clock' | 'random' | 'logger' | 'metrics'>;

/** Keeps up with hosts for admission where their controllers run elsewhere. */
export function followHosts(options: FollowHostsOptions): Pick<HostControllers, 'view' | 'whenSynced' | 'stop'> {
  const { client, clock } = options;
  const { hosts } = createHostInformers({ ...options, resyncMs: defaultHostSettings.resyncMs });
  hosts.start();
  return {
    view: viewOf(hosts, client, clock),
    whenSynced: (signal) => hosts.whenSynced(signal),
    stop: () => hosts.stop(),
  };
}

function viewOf(hosts: HostInformers['hosts'], client: KubeClient, clock: Clock): HostView {
  return {
    hosts,
    read: (key) => client.resource<BareMetalHost & KubeObject>(resources.hosts).get(key),
    mayDo: createMayDo(client, { clock, ms: rememberMs }),
    clock,
  };
}

interface Leading {
  readonly hosts: HostController;
  readonly recorder: EventRecorder;
  readonly newest: { close(): void };
  readonly controllers: readonly RunnableController[];
}

interface Given {
  readonly settings: HostSettings;
  readonly informers: HostInformers;
}

function lead(options: HostControllersOptions, { settings, informers }: Given): Leading {
  const { client, clock, random, provisioners } = options;
  const logger = options.logger ?? silentLogger;
  const metrics = options.metrics ?? noMetrics;
  const recorder = createEventRecorder({
    ...{ client, clock, random, logger, metrics },
    component: 'metal3-baremetal-controller',
    reportingComponent: 'metal3.io/baremetal-controller',
    instance: uniqueIdentity('hosts'),
    concurrency: 16,
  });
  const concurrency = options.concurrency ?? 16;
  const shell: ControllerOptions = { clock, random, recorder, logger, metrics, concurrency };
  const { newest, close } = createNewestObjects(informers);
  const companions: CompanionParts = { client, provisioners, informers, newest, settings, shell };
  const firmwareSettings = createSettingsController(companions);
  const firmwareComponents = createComponentsController(companions);
  const externalWork = (options.openExternalWork ?? (() => nobodyElse))();
  const machines = createClaimedMachines(externalWork.claims);
  const hosts = createHostController(
    {
      ...{ client, provisioners, informers, newest, settings, machines },
      serviced: createServicedHosts(informers.hosts, newest.hosts),
      externalWork: createHeldWork(onlyClaimed(externalWork, machines), logger),
      network: options.network,
      nodes: createHostNodes(client),
      now: () => clock.now(),
      begun: new Map<string, BegunFirmware>(),
      powerAsked: new Map<string, PowerOrder>(),
      async refreshFirmware(key, signal) {
        await Promise.all([firmwareSettings.refresh(key, signal), firmwareComponents.refresh(key, signal)]);
      },
      watches: [...createHostWatches(informers, newest), ...(options.network?.watches ?? [])],
    },
    { clock, random, recorder, logger, metrics, concurrency },
  );
  const images = createDataImageController(companions);
  const others = [createSchemaController(companions), createPolicyController(companions), images];
  const wayMaker = createWayMaker({
    ...{ provisioners, newest, informers, clock, logger },
    claims: externalWork.claims,
    wake: (key) => hosts.wake(key),
  });
  const controllers = [hosts, firmwareSettings, firmwareComponents, wayMaker, ...others];
  const whole = closingAfter(controllers, () => externalWork.close());
  return { hosts, recorder, newest: { close }, controllers: [whole] };
}

/** Several controllers as one, with something to be closed when all of them have stopped. */
function closingAfter(controllers: readonly RunnableController[], close: () => Promise<void>): RunnableController {
  return {
    start() {
      for (const controller of controllers) controller.start();
    },
    async stop(stopping) {
      try {
        await Promise.all(controllers.map((controller) => controller.stop(stopping)));
      } finally {
        await close();
      }
    },
  };
}

function createNewestObjects(informers: HostInformers): { readonly newest: NewestObjects; readonly close: () => void } {
  const newest = {
    hosts: createNewest(informers.hosts),
    hardwareData: createNewest(informers.hardwareData),
    firmwareSettings: createNewest(informers.firmwareSettings),
    firmwareComponents: createNewest(informers.firmwareComponents),
    bootImages: createNewest(informers.bootImages),
    dataImages: createNewest(informers.dataImages),
    secrets: createNewest(informers.secrets),
  };
  return {
    newest,
    close() {
      for (const each of Object.values(newest)) each.close();
    },
  };
}
