import type { JsonObject, Work, WorkOutcome } from '../../engine/index.ts';

/** What a job is for. */
export type JobType = 'update' | 'scan' | 'discovery';

/** A job that is to run: a condition that this runner holds a lease of. */
export interface LaunchOrder {
  readonly jobId: string;
  readonly type: JobType;
  readonly manufacturer: string;
  readonly model: string;
  readonly strategy: string;
  /** Proves to the update service that the job holds the lease; reaches the job by file or Secret, nothing else. */
  readonly token: string;
  readonly work: Work;
}

/** A job that was launched. */
export interface LaunchedJob {
  /** Finds the job again after a restart of this process; stored with the condition before the job may act. */
  readonly handle: JsonObject;
  /** How it ended, of jobs in this process: the runner reports it for them. Others report for themselves. */
  readonly ended?: Promise<WorkOutcome>;
}

/**
 * Where a launched job stands. `gone`: it ended without telling how. `unknown`: it is not one that can be seen from here, and
 * may run elsewhere.
 */
export type JobSight =
  | { readonly state: 'running' }
  | { readonly state: 'gone'; readonly why: string }
  | { readonly state: 'unknown'; readonly why: string };

/** Runs jobs somewhere. */
export interface Launcher {
  /** `embedded`, `process` or `kubernetes`. */
  readonly name: string;
  /** True when jobs end with this process. False, or not given: they outlive it, and are found again by their handles. */
  readonly areJobsInside?: boolean;
  /**
   * Where its jobs can be seen from: this process, a folder of this machine, a namespace of a cluster. The same in each life
   * that sees the same jobs, and in no other, since only who can see a job may say that it is gone.
   */
  scope(): Promise<string>;
  /** Starts a job. Called again for the same job and token, it gives the one that it started. */
  launch(order: LaunchOrder): Promise<LaunchedJob>;
  look(handle: JsonObject): Promise<JobSight>;
  /**
   * Asks it to stop within a time; afterwards ends it if that is forced. Resolves when it is gone or the time is over. The
   * handle has a member `address` once the job said where its own interface is.
   */
  interrupt(handle: JsonObject, how: { readonly timeoutMs: number; readonly isForced: boolean }): Promise<JobSight>;
  /** Throws away what a job that is gone left behind and that does not go by itself. */
  bury?(handle: JsonObject): Promise<void>;
  /** Throws away what jobs that ended unseen left behind; those of the handles are looked after by somebody. */
  sweep?(kept: readonly JsonObject[]): Promise<void>;
  /** Lets go of what it needs to launch; jobs that live outside this process go on. */
  close(): Promise<void>;
}
