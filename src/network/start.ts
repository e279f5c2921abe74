import type { Switch } from '../api/index.ts';
import {
  type Clock,
  type Controller,
  type ControllerOptions,
  createEventRecorder,
  type Effect,
  type KubeClient,
  type LeaderElection,
  type Random,
  runControllers,
  uniqueIdentity,
} from '../kube/index.ts';
import type { SwitchProviders } from '../switches/index.ts';
import { type Logger, type Metrics, noMetrics, silentLogger } from '../telemetry/index.ts';
import { createConfigurationController } from './configuration/configuration-controller.ts';
import { createPortBook } from './devices/port-book.ts';
import { createSwitchBook, type SwitchListener } from './devices/switch-book.ts';
import {
  createNetworkInformers,
  eachInformer,
  type NetworkInformerOptions,
  type NetworkInformers,
} from './fabric/informers.ts';
import { objectKey } from './fabric/references.ts';
import { createLimitController } from './limit/limit-controller.ts';
import { createPortController } from './port/port-controller.ts';
import type { SwitchStanding } from './port/port-seen.ts';
import { defaultNetworkSettings, type NetworkSettings } from './settings.ts';
import { createSwitchController } from './switch/switch-controller.ts';
import { createTenantRoleController, createTenantRoleInformer } from './tenant/tenant-role-controller.ts';
import { createNetworkWatches } from './watches.ts';

/** What the network controllers run with. */
export interface NetworkControllersOptions {
  readonly client: KubeClient;
  /** Opens switches. Whoever made it closes it, after the controllers have stopped. */
  readonly providers: Pick<SwitchProviders, 'open'>;
  readonly clock: Clock;
  readonly random: Random;
  /** Only objects of this namespace, for controllers that every operator runs for their own; all unless given. */
  readonly namespace?: string | undefined;
  /** Undefined: this process is the only one. */
  readonly election?: LeaderElection | undefined;
  readonly settings?: Partial<NetworkSettings> | undefined;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
  /** How many objects each controller works on at once; 16 unless given. */
  readonly concurrency?: number | undefined;
}

/** Running network controllers. */
export interface NetworkControllers {
  readonly informers: NetworkInformers;
  /** Resolves when the caches are full. */
  whenSynced(signal?: AbortSignal): Promise<void>;
  /** Ends everything and waits for what runs. */
  stop(): Promise<void>;
}

/** Starts the controllers of switches, ports, configurations and limits. */
export function startNetworkControllers(options: NetworkControllersOptions): NetworkControllers {
  const settings = { ...defaultNetworkSettings, ...options.settings };
  const { client, clock, random, logger, metrics, namespace } = options;
  const { resyncMs } = settings;
  const informers = createNetworkInformers({ client, clock, random, logger, metrics, resyncMs, namespace });
  const controllers = () => createControllers({ options, settings, informers });
  return runOver(informers, { controllers, election: options.election });
}

/** What following the objects of the network takes. */
export type FollowNetworkOptions = Omit<NetworkInformerOptions, 'resyncMs'>;

/** Keeps up with the objects of the network where their controllers run elsewhere. */
export function followNetwork(options: FollowNetworkOptions): NetworkControllers {
  const informers = createNetworkInformers({ ...options, resyncMs: defaultNetworkSettings.resyncMs });
  return runOver(informers, { controllers: () => [], election: undefined });
}

function runOver(
  informers: NetworkInformers,
  { controllers, election }: { controllers(): AnyController[]; readonly election: LeaderElection | undefined },
): NetworkControllers {
  const all = eachInformer(informers);
  const stopping = new AbortController();
  const running = runControllers({ informers: all, controllers, election }, stopping.signal);
  return {
    informers,
    async whenSynced(signal) {
      await Promise.all(all.map((informer) => informer.whenSynced(signal)));
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

interface Parts {
  readonly options: NetworkControllersOptions;
  readonly settings: NetworkSettings;
  readonly informers: NetworkInformers;
}

type AnyController = Pick<Controller<Effect, unknown>, 'start' | 'stop'>;

function createControllers({ options, settings, informers }: Parts): AnyController[] {
  const { client, clock } = options;
  const shell = shellOf(options);
  const tables = informers;
  const watches = createNetworkWatches(informers, { clock, gatherMs: settings.gatherMs });
  const listener: SwitchListener = {
    onVerified: (key) => switches.wake(key),
    onStanding: (key) => {
      for (const port of informers.ports.byIndex('owner', key)) ports.wake(objectKey(port));
    },
    onChanged: (key, sockets) => {
      for (const port of informers.ports.byIndex('owner', key)) {
        const socket = port.status?.physicalPortName;
        if (sockets === undefined || (socket !== undefined && sockets.includes(socket)))
          portBook.doubt(objectKey(port));
      }
    },
  };
  const switchBook = createSwitchBook({ providers: options.providers, clock, settings, listener });
  const portBook = createPortBook({
    switches: switchBook,
    clock,
    settleMs: settings.settleMs,
    wake: (key) => ports.wake(key),
  });
  const standingOf = (owner: Switch | undefined): SwitchStanding =>
    owner === undefined
      ? { kind: 'waiting', fault: { code: 'SwitchNotFound', message: 'no Switch of its namespace lists this port' } }
      : switchBook.standingOf(objectKey(owner));
  const switches = createSwitchController(
    {
      client,
      book: switchBook,
      watches: watches.switches,
      reader: {
        tables,
        settings,
        verificationOf: (key) => switchBook.verificationOf(key),
        isVerifying: (key) => switchBook.isVerifying(key),
      },
    },
    shell,
  );
  const ports = createPortController(
    {
      client,
      book: portBook,
      watches: watches.ports,
      reader: { tables, settings, standingOf, memoryOf: portBook.memoryOf },
    },
    shell,
  );
  const configurations = createConfigurationController({ client, tables, watches: watches.configurations }, shell);
  const limits = createLimitController({ client, tables, watches: watches.limits }, shell);
  // What devices are doing ends with the controllers: whoever goes on reads them anew.
  const devices: AnyController = { start: () => undefined, stop: () => switchBook.close() };
  return [
    configurations,
    limits,
    switches,
    ports,
    devices,
    ...tenantRoleControllers({ options, settings, informers }, shell),
  ];
}

/** Controllers of one namespace know no other tenants, so they keep no Roles. */
function tenantRoleControllers({ options, settings, informers }: Parts, shell: ControllerOptions): AnyController[] {
  if (options.namespace !== undefined) return [];
  const roles = createTenantRoleInformer({ ...options, resyncMs: settings.resyncMs });
  // Nothing waits for these: controllers without the right to keep Roles keep ports all the same.
  const following: AnyController = { start: () => roles.start(), stop: () => roles.stop() };
  return [following, createTenantRoleController({ client: options.client, tables: informers, roles }, shell)];
}

function shellOf(options: NetworkControllersOptions): ControllerOptions {
  const { client, clock, random } = options;
  const logger = options.logger ?? silentLogger;
  const metrics = options.metrics ?? noMetrics;
  const recorder = createEventRecorder({
    ...{ client, clock, random, logger, metrics },
    component: 'rackwright-network',
    instance: uniqueIdentity('network'),
  });
  return {
    ...{ clock, random, recorder, logger, metrics },
    concurrency: options.concurrency ?? 16,
    backoff: { baseMs: 50, maxMs: 30_000 },
  };
}
