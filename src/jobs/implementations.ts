import type { CatalogReader } from '../catalogs/index.ts';
import type { Work, WorkOutcome } from '../engine/index.ts';
import type { Clock } from '../kube/index.ts';
import type { Logger } from '../telemetry/index.ts';
import { isSameVendor } from '../versions/index.ts';
import type { DiscoveredImage } from './discovery/discover-firmware.ts';
import type { ImageKeeping, KeptImages } from './discovery/keep-images.ts';
import { JobError } from './errors.ts';
import type { JobType } from './job-type.ts';
import type { DiscoveryWork } from './job-work.ts';
import type { Harvest } from './run/harvest.ts';
import type { Strategy, StrategyTools } from './strategies/strategy.ts';

/** What a job is about. */
export interface JobSubject {
  readonly type: JobType;
  readonly manufacturer: string;
  readonly model: string;
  /** `server/<id>` or `model/<manufacturer>/<model>`. */
  readonly target: string;
  /** What to look for, and in which catalogues; of discoveries. */
  readonly discovery: DiscoveryWork | undefined;
}

/** What a discovery works with. */
export interface DiscoveryJobTools {
  readonly job: JobSubject;
  /** Takes what was found, to be told with the end of the job. */
  readonly harvest: Pick<Harvest, 'keepDiscovered' | 'discovered' | 'installed'>;
  readonly catalogs: Pick<CatalogReader, 'read'>;
  /** Fetches images into the store of the update service; without one they stay where their vendor has them. */
  keepImages(work: Work, images: readonly DiscoveredImage[], tell?: ImageKeeping['tell']): Promise<KeptImages>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What a job on a server works with. */
export interface ServerJobTools extends DiscoveryJobTools {
  /** The strategy of the update service that launched the job. */
  strategy(): Promise<Strategy>;
  /** Inventories that are written to its sink are told with the end of the job. */
  readonly tools: StrategyTools;
}

/** Whose servers an implementation is for. */
export interface ImplementationScope {
  /** All of them unless given. */
  readonly manufacturer?: string;
  /** With a manufacturer only; all of its models unless given. */
  readonly model?: string;
}

/** What does the jobs of a type, for all servers or for those of a manufacturer or of one of its models. */
export type JobImplementation = ImplementationScope &
  (
    | { readonly type: 'discovery'; run(work: Work, tools: DiscoveryJobTools): Promise<WorkOutcome> }
    | { readonly type: 'update' | 'scan'; run(work: Work, tools: ServerJobTools): Promise<WorkOutcome> }
  );

/** Declares what does jobs; a package exports a list of them as `jobImplementations`. */
export function defineJobImplementation(implementation: JobImplementation): JobImplementation {
  return implementation;
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

type Claim = ImplementationScope & { readonly type: JobType };

/** True when of two neither is more special than the other, and both are for the same jobs. */
export function isSameClaim(one: Claim, other: Claim): boolean {
  if (one.type !== other.type || plain(one.model ?? '') !== plain(other.model ?? '')) return false;
  if (one.manufacturer === undefined || other.manufacturer === undefined)
    return one.manufacturer === other.manufacturer;
  return isSameVendor(one.manufacturer, other.manufacturer);
}

/** 0 when it is not for this job. */
function rankOf(
  { type, manufacturer, model }: Claim,
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
