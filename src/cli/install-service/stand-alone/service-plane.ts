import { dirname, join } from 'node:path';
import { makeDirectory } from '../../../kube/index.ts';
import { usageError } from '../../errors.ts';
import type { Settings } from '../../settings.ts';
import { type JobLimitSettings, jobLimitsOf, type LimitSettings, limitsOf } from '../limits.ts';
import { type BusSettings, openBus } from '../open-bus.ts';
import { engineFolderOf, openStore } from '../open-store.ts';
import { openWorkPlane, type WorkPlane, type WorkPlaneParts } from '../work-plane.ts';
import type { ServiceContext } from './run-service.ts';

/** What a process that opens the store is told. */
export type PlaneSettings = BusSettings &
  Settings<'dataDir' | 'databaseUrl' | 'databaseUrlFile' | 'credentialKeys' | 'allowUnverifiedFirmware'>;

/** What a process is told that gives work to workers. */
export type LeasingSettings = LimitSettings &
  JobLimitSettings &
  Settings<'lease' | 'requestDeadline' | 'workerLostAfter'>;

/** What the engine is told besides. */
export interface PlaneChoices {
  readonly leasing?: LeasingSettings;
  /** How often this process sweeps; it does not unless given. */
  readonly sweepEvery?: number;
  readonly engineSettings?: WorkPlaneParts['engineSettings'];
}

/** Opens store, bus, engine and inventory. */
export async function openServicePlane(
  settings: PlaneSettings,
  { logger, metrics, open }: ServiceContext,
  { leasing, sweepEvery, engineSettings: choices = {} }: PlaneChoices = {},
): Promise<{ readonly plane: WorkPlane; readonly parts: WorkPlaneParts }> {
  const engineSettings = { ...choices, ...silenceOf(leasing, sweepEvery) };
  const store = await openStore(settings, {
    fault: (error) => logger.error('the store takes no more work', { error }),
    room: (message) => logger.warn(message),
  });
  open.add(() => store.close());
  const bus = await openBus(settings, { logger, metrics });
  open.add(() => bus.close());
  const credentialKeys = settings.credentialKeys ?? join(engineFolderOf(settings.dataDir), 'credentials.key');
  makeDirectory(dirname(credentialKeys), { mode: 0o700 });
  const limits = leasing === undefined ? {} : limitsOf(leasing);
  const jobLimits = leasing === undefined ? {} : jobLimitsOf(leasing);
  const kinds = kindsOf(leasing);
  const { allowUnverifiedFirmware: areUnverifiedAllowed } = settings;
  const told = { kinds, areUnverifiedAllowed, engineSettings, limits, jobLimits };
  const parts = { store, bus, logger, metrics, credentialKeys, ...told };
  const plane = await openWorkPlane(parts);
  open.add(() => plane.close());
  if (store.isShared && settings.natsUrl === undefined && settings.natsUrlFile === undefined) {
    logger.warn('without --nats-url processes do not wake each other; each looks for work every few seconds');
  }
  return { plane, parts };
}

/** Who sweeps less often cannot tell the silence of a worker from a pause of its own. */
function silenceOf(leasing: LeasingSettings | undefined, sweepEvery = 0): WorkPlaneParts['engineSettings'] {
  if (leasing === undefined) return {};
  const { workerLostAfter } = leasing;
  if (workerLostAfter < 3 * sweepEvery)
    throw usageError('--worker-lost-after has to be at least three times --sweep-every');
  return { controllerLostMs: workerLostAfter };
}

function kindsOf(leasing: LeasingSettings | undefined): WorkPlaneParts['kinds'] {
  if (leasing === undefined) return {};
  const { lease: leaseMs, requestDeadline } = leasing;
  return requestDeadline === undefined ? { leaseMs } : { leaseMs, requestDeadlineMs: requestDeadline };
}
