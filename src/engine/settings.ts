import type { EngineLimits } from './engine.ts';

/** Times and sizes of the engine that operators may set. */
export interface EngineSettings {
  /** How often a waiting worker looks for work when no hint comes. */
  readonly pollMs: number;
  /**
   * A worker that was silent for so long is lost, and its leases end. One that is not fenced by heartbeats is lost after
   * twice as long, and keeps its leases.
   */
  readonly controllerLostMs: number;
  /** How long final conditions stay before they become history. */
  readonly retentionMs: number;
  /** How long history is kept; 0 keeps it for ever. */
  readonly historyMs: number;
  /** How long events are kept. */
  readonly eventsMs: number;
  /** How often un-finalized conditions are published again. */
  readonly publishEveryMs: number;
  /** How long after its deadline running work may take to reach a safe point before it is cut off. */
  readonly deadlineGraceMs: number;
  /** The same for work in the middle of a flash: longer than all steps of one may take together. */
  readonly flashGraceMs: number;
  /** A pending condition that nobody leased for so long, though nothing held it back, fails as unrunnable. */
  readonly longestWaitMs: number;
  /** Rows that one transaction of a sweep touches. */
  readonly sweepRows: number;
}

const minute = 60_000;
const day = 24 * 60 * minute;

/** What applies unless set. */
export const defaultSettings: EngineSettings = {
  pollMs: 2000,
  controllerLostMs: minute / 2,
  retentionMs: 7 * day,
  historyMs: 400 * day,
  eventsMs: 30 * day,
  publishEveryMs: 30_000,
  deadlineGraceMs: 30 * minute,
  flashGraceMs: day,
  longestWaitMs: 10 * day,
  sweepRows: 200,
};

/** What applies unless set. */
export const defaultLimits: EngineLimits = {
  active: 0,
  activePerFacility: 0,
  activePerModel: 0,
  pending: 100_000,
  uploads: 0,
};
