import { createGates, type TlsTrust } from '../../bmc/index.ts';
import {
  createBmcReader,
  createPowerReader,
  createServerserviceMirror,
  type FirmwareAdmission,
  type FirmwareControllers,
  type FirmwareSettings,
  startFirmwareControllers,
  type UpdateServicePort,
} from '../../firmware/index.ts';
import { createMayDo, type KubeClient, systemClock } from '../../kube/index.ts';
import type { Logger, Metrics } from '../../telemetry/index.ts';
import type { Closing } from '../install-service/closing.ts';
import type { Check } from '../install-service/readiness.ts';
import type { WorkPlane } from '../install-service/work-plane.ts';
import { electionOf, followCaches } from '../plane/controller-set.ts';
import type { Settings } from '../settings.ts';

/** What decides about firmware, here and in a plan. */
export type ControllerSettings = Settings<'maxAttempts' | 'attemptsFirst'>;

/** What firmware controllers are told. */
export type FirmwareControllerSettings = ControllerSettings & Settings<'powerInterval' | 'powerReads'>;

/** What firmware controllers run on. */
export interface ControllerParts {
  readonly client: KubeClient;
  readonly updateService: UpdateServicePort;
  /** Where servers are mirrored to; without it they are not. */
  readonly plane?: Pick<WorkPlane, 'engine' | 'service'> | undefined;
  /** The facility of a server that the inventory does not know yet, by the origin of its BMC. */
  readonly facilityOf: (origin: string) => string;
  /** How the certificate of a BMC is checked, by the name of its object. */
  readonly trustOf: (bmc: string) => TlsTrust;
  /** True when other processes may run them too. */
  readonly isShared: boolean;
  /** Rules that look into the caches of the controllers once these are full. */
  readonly admission?: FirmwareAdmission | undefined;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly open: Closing;
}

/** Firmware controllers that run, and whether they can. */
export interface RunningControllers {
  readonly controllers: FirmwareControllers;
  readonly check: Check;
  /** Resolves when the caches are full: from then on admission knows what is there. */
  readonly ready: Promise<void>;
}

/** How long reading a BMC may take before it is tried later. */
const readSettings = { connectMs: 10_000, deadlineMs: 60_000, maxTries: 2 };

/** Starts onboarding and the controllers of desired firmware. */
export function startControllers(settings: FirmwareControllerSettings, parts: ControllerParts): RunningControllers {
  const { client, updateService, plane, logger, metrics, open, admission } = parts;
  const gates = createGates({ clock: systemClock, logger, metrics, settings: readSettings });
  open.add(() => gates.close());
  const reading = { gates, clock: systemClock, trustOf: parts.trustOf };
  const controllers = startFirmwareControllers({
    ...{ client, updateService, logger, metrics },
    clock: systemClock,
    random: Math.random,
    readBmc: createBmcReader(reading),
    readPower: createPowerReader(reading),
    mirror: plane === undefined ? undefined : mirrorOf(plane, parts.facilityOf),
    election: parts.isShared ? electionOf('firmware', parts) : undefined,
    settings: {
      ...firmwareSettingsOf(settings),
      powerIntervalMs: settings.powerInterval,
      powerReads: settings.powerReads,
    },
  });
  open.add(() => controllers.stop());
  const onFull = () =>
    admission?.attach(
      {
        fleet: controllers.fleet,
        discovered: controllers.informers.discovered,
        bmcs: controllers.informers.bmcs,
      },
      createMayDo(client),
    );
  return { controllers, ...followCaches('firmware', controllers, { logger, open, onFull }) };
}

/** The settings of the command line in the words of the controllers. */
export function firmwareSettingsOf({ maxAttempts, attemptsFirst }: ControllerSettings): Partial<FirmwareSettings> {
  return { maxAttempts, retryFromMs: attemptsFirst, retryToMs: Math.max(attemptsFirst, 30 * 60_000) };
}

function mirrorOf({ engine, service }: Pick<WorkPlane, 'engine' | 'service'>, facilityOf: (origin: string) => string) {
  return createServerserviceMirror({
    service,
    machines: engine.machines,
    onHint: (listener) => engine.onHint(listener),
    facilityOf: ({ bmcAddress }) => facilityOf(URL.parse(bmcAddress)?.origin ?? ''),
  });
}
