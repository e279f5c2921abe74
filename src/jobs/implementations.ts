import type { CatalogReader } from '../catalogs/index.ts';
import type { Work, WorkOutcome } from '../engine/index.ts';
import type { FirmwareStore } from '../firmware-store/index.ts';
import { isSameVendor } from '../versions/index.ts';
import { JobError } from './errors.ts';
import type { JobType } from './job-type.ts';
import type { Harvest } from './run/harvest.ts';
import type { JobDescription } from './run/job-port.ts';
import type { Strategy, StrategyTools } from './strategies/strategy.ts';

/** What an implementation works with. */
export interface JobTools {
  readonly job: JobDescription;
  /** The strategy of the update service that launched the job. */
  strategy(): Promise<Strategy>;
  /** Inventories that are written to its sink are told with the end of the job. */
  readonly tools: StrategyTools;
  readonly harvest: Harvest;
  readonly catalogs: Pick<CatalogReader, 'read'>;
  /** Where images of discoveries are kept, if anywhere. */
  readonly store: FirmwareStore | undefined;
}

/** What does the jobs of a type, for all servers or for those of a manufacturer or of one of its models. */
export interface JobImplementation {
  readonly type: JobType;
  /** All of them unless given. */
  readonly manufacturer?: string;
  /** With a manufacturer only; all of its models unless given. */
  readonly model?: string;
  run(work: Work, tools: JobTools): Promise<WorkOutcome>;
}

/** The implementation for a job: the most special one, and of two that are equally special the one added last. */
export function chooseImplementation(
  table: readonly JobImplementation[],
  job: { readonly type: JobType; readonly manufacturer: string; readonly model: string },
): JobImplementation {
  let best: { readonly rank: number; readonly found: JobImplementation } | undefined;
  for (const found of table) {
    const rank = rankOf(found, job);
    if (rank > 0 && rank >= (best?.rank ?? 0)) best = { rank, found };
  }
  if (best !== undefined) return best.found;
  throw new JobError('noImplementation', job);
}

/** 0 when it is not for this job. */
function rankOf(
  { type, manufacturer, model }: JobImplementation,
  job: { readonly type: JobType; readonly manufacturer: string; readonly model: string },
): number {
  if (type !== job.type) return 0;
  if (manufacturer === undefined) return model === undefined ? 1 : 0;
  if (!isSameVendor(manufacturer, job.manufacturer)) return 0;
  if (model === undefined) return 2;
  return plain(model) === plain(job.model) ? 3 : 0;
}

function plain(model: string): string {
  return model.trim().toLowerCase().replaceAll(/\s+/g, ' ');
}
