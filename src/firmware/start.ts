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
import { type Logger, type Metrics, noMetrics, silentLogger } from '../telemetry/index.ts';
import { compareVersions } from './compare-versions.ts';
import { createDiscoveryController } from './discovery/discovery-controller.ts';
import { createFleet, type Fleet } from './fleet/fleet.ts';
import { createFleetInformers, type FleetInformers } from './fleet/informers.ts';
import { rekeyEntries } from './fleet/rekey-entries.ts';
import { createGroupController } from './group/group-controller.ts';
import { createMemberController } from './group/member-controller.ts';
import { createBmcController } from './onboarding/bmc-controller.ts';
import { createInlineController } from './onboarding/inline-controller.ts';
import { createOnboardingController, type MirrorMemory } from './onboarding/onboarding-controller.ts';
import { createToldServersController } from './onboarding/told-servers.ts';
import type { CompareVersions, InventoryMirror, ReadBmc, ReadPower, UpdateServicePort } from './ports.ts';
import { createFirmwareReports, type FirmwareReports } from './reports/report-writer.ts';
import { createConcludedReports } from './server/concluded-reports.ts';
import { createServerController } from './server/server-controller.ts';
import { defaultFirmwareSettings, type FirmwareSettings } from './settings.ts';
import { createFleetWatches, type FleetWatches } from './watches.ts';

/** What the firmware controllers run with. */
export interface FirmwareControllersOptions {
  readonly client: KubeClient;
  readonly updateService: UpdateServicePort;
  /** How BMCs are read; without it none are, and Servers are what somebody made. */
  readonly readBmc?: ReadBmc | undefined;
  /** How the power of systems is read in between; without it, it is as new as the last reading. */
  readonly readPower?: ReadPower | undefined;
  /** The inventory that is told of servers; without it none is. */
  readonly mirror?: InventoryMirror | undefined;
  /** False: Servers get no ServerFirmware and models no DiscoveredFirmware by themselves. */
  readonly isOnboarding?: boolean | undefined;
  readonly clock: Clock;
  readonly random: Random;
  /** Undefined: this process is the only one. */
  readonly election?: LeaderElection | undefined;
  readonly compare?: CompareVersions | undefined;
  readonly settings?: Partial<FirmwareSettings> | undefined;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
  /** How many objects each controller works on at once; 16 unless given. */
  readonly concurrency?: number | undefined;
}

/** Running firmware controllers. */
export interface FirmwareControllers {
  readonly informers: FleetInformers;
  readonly fleet: Fleet;
  /** Where results of jobs go. */
  readonly reports: FirmwareReports;
  /** Resolves when the caches are full. */
  whenSynced(signal?: AbortSignal): Promise<void>;
  /** Ends everything and waits for what runs. */
  stop(): Promise<void>;
}

/** Starts onboarding and the server-, server-group- and discovery-controller. */
export function startFirmwareControllers(options: FirmwareControllersOptions): FirmwareControllers {
  const settings = { ...defaultFirmwareSettings, ...options.settings };
  const { client, clock, random, logger, metrics } = options;
  const informers = createFleetInformers({ client, clock, random, logger, metrics, resyncMs: settings.resyncMs });
  const fleet = createFleet(informers);
  const stopping = new AbortController();
  const parts: Parts = { options, settings, informers, fleet };
  let rekeying: Promise<void> | undefined;
  const running = runControllers(
    {
      informers: Object.values(informers),
      controllers: () => {
        rekeying ??= startRekeying(parts, stopping.signal);
        return createControllers(parts);
      },
      election: options.election,
    },
    stopping.signal,
  );
  const reports = createConcludedReports({
    client,
    clock,
    fleet,
    reading: { compare: options.compare ?? compareVersions, settings },
    plain: createFirmwareReports({ client, clock, random, tables: informers }),
  });
  return {
    informers,
    fleet,
    reports,
    async whenSynced(signal) {
      await Promise.all(Object.values(informers).map((informer) => informer.whenSynced(signal)));
    },
    async stop() {
      stopping.abort();
      await running;
      await rekeying;
    },
  };
}

/** What cannot be read or written now is done at the next start. */
async function startRekeying({ options }: Parts, signal: AbortSignal): Promise<void> {
  const logger = options.logger ?? silentLogger;
  try {
    await rekeyEntries(options.client, { logger, signal });
  } catch (error) {
    if (!signal.aborted) logger.warn('the owners of entries of firmware were not looked through', { error });
  }
}

interface Parts {
  readonly options: FirmwareControllersOptions;
  readonly settings: FirmwareSettings;
  readonly informers: FleetInformers;
  readonly fleet: Fleet;
}

type AnyController = Pick<Controller<Effect, unknown>, 'name' | 'start' | 'stop'>;

function createControllers({ options, settings, informers, fleet }: Parts): AnyController[] {
  const { client, clock, random, updateService } = options;
  const compare = options.compare ?? compareVersions;
  const logger = options.logger ?? silentLogger;
  const metrics = options.metrics ?? noMetrics;
  const instance = uniqueIdentity('firmware');
  const recorder = createEventRecorder({
    client,
    component: 'rackwright-firmware',
    instance,
    clock,
    random,
    logger,
    metrics,
  });
  const concurrency = options.concurrency ?? 16;
  const shell: ControllerOptions = {
    clock,
    random,
    recorder,
    logger,
    metrics,
    concurrency,
    backoff: { baseMs: 50, maxMs: 60_000 },
  };
  const watches = createFleetWatches(informers, fleet, { clock, gatherMs: settings.gatherMs });
  const standing = { fleet, compare, maxAttempts: settings.maxAttempts };
  const { readBmc, readPower, mirror } = options;
  const reading = { client, clock, tables: informers, readPower, settings };
  const readers =
    readBmc === undefined
      ? []
      : [
          createBmcController({ ...reading, readBmc, watches: watches.bmcs, scanned: watches.scannedBmcs }, shell),
          createInlineController(
            { ...reading, readBmc, watches: watches.inline, scanned: watches.scannedServers },
            shell,
          ),
        ];
  const onboarding =
    options.isOnboarding === false ? [] : createOnboarding({ client, informers, mirror, settings, watches }, shell);
  return [
    ...readers,
    ...onboarding,
    createServerController(
      { client, fleet, watches: watches.server, updateService, reading: { compare, settings } },
      shell,
    ),
    createMemberController({ client, fleet, watches: watches.members }, shell),
    createGroupController({ client, standing, settings, watches: watches.groups }, shell),
    createDiscoveryController(
      { client, discovered: informers.discovered, updateService, settings, watches: watches.discovery },
      shell,
    ),
  ];
}

interface OnboardingParts {
  readonly client: KubeClient;
  readonly informers: FleetInformers;
  readonly mirror: InventoryMirror | undefined;
  readonly settings: FirmwareSettings;
  readonly watches: FleetWatches;
}

function createOnboarding(
  { client, informers, mirror, settings, watches }: OnboardingParts,
  shell: ControllerOptions,
): AnyController[] {
  const memory: MirrorMemory = new Map();
  const onboarding = createOnboardingController(
    { client, tables: informers, mirror, memory, watches: watches.onboarding },
    shell,
  );
  if (mirror === undefined) return [onboarding];
  // Whoever was refused for a name that is free now has another try.
  const onRemoved = (): void => {
    for (const [key, { outcome }] of memory) {
      if (outcome.kind !== 'duplicate') continue;
      memory.delete(key);
      onboarding.wake(key);
    }
  };
  const { clock, logger } = shell;
  const parts = { mirror, servers: informers.servers, clock, logger, everyMs: settings.resyncMs, onRemoved };
  return [onboarding, createToldServersController({ ...parts, watches: watches.told }, shell)];
}
