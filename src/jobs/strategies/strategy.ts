import type { Work, WorkOutcome } from '../../engine/index.ts';
import type { HandlerContext } from '../../flasher/index.ts';

/**
 * What a strategy works with besides the work itself: servers and their BMCs (all requests through the gates), images by
 * digest, where inventories go, clock and logger.
 */
export type StrategyTools = HandlerContext;

/**
 * One way to bring firmware onto servers. `work` is a condition under a lease: report before each step that changes
 * something, so that another life can go on from there; check the lease right before what disrupts; mark what must not be
 * cancelled with `isCancelUnsafe`. The parameters of an update hold images with their digests, frozen when it was asked for.
 */
export interface Strategy {
  /** `redfish`; by this it is chosen. */
  readonly name: string;
  /** Installs what the parameters of a `firmwareInstall` condition say. */
  update(work: Work, tools: StrategyTools): Promise<WorkOutcome>;
  /** Reads what is installed, for an `inventoryOOB` condition, and gives it to `tools.inventorySink`. */
  scan(work: Work, tools: StrategyTools): Promise<WorkOutcome>;
}

/** Makes a strategy from its settings, which it checks; what is wrong with them is said in the error it throws. */
export interface StrategyFactory {
  readonly name: string;
  create(settings: unknown): Strategy | Promise<Strategy>;
}

/** Declares a strategy; a package exports one as `strategy`. */
export function defineStrategy(factory: StrategyFactory): StrategyFactory {
  return factory;
}
