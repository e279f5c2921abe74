import type { EngineLimits } from '../../engine/index.ts';
import type { JobLimits } from '../../update-service/index.ts';
import type { Settings } from '../settings.ts';

/** How much may run at once and wait. */
export type LimitSettings = Settings<
  'maxActive' | 'maxActivePerFacility' | 'maxActivePerModel' | 'maxPending' | 'maxUploads'
>;

/** The limits of the engine. */
export function limitsOf(settings: LimitSettings): EngineLimits {
  return {
    active: settings.maxActive,
    activePerFacility: settings.maxActivePerFacility,
    activePerModel: settings.maxActivePerModel,
    pending: settings.maxPending,
    uploads: settings.maxUploads,
  };
}

/** How many jobs of each type may run and wait. */
export type JobLimitSettings = Settings<'maxUpdates' | 'maxScans' | 'maxDiscoveries' | 'maxQueued'>;

/** The limits of each type of job. */
export function jobLimitsOf(settings: JobLimitSettings): JobLimits {
  const pending = settings.maxQueued;
  return {
    update: { active: settings.maxUpdates, pending },
    scan: { active: settings.maxScans, pending },
    discovery: { active: settings.maxDiscoveries, pending },
  };
}
