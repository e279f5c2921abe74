import { startInsideRunner } from './inside-runner.ts';
import { startOutsideRunner } from './outside-runner.ts';
import type { JobRunner, JobRunnerOptions } from './runner-options.ts';

/** Starts a job runner. */
export function startJobRunner(options: JobRunnerOptions): JobRunner {
  return options.launcher.areJobsInside === true ? startInsideRunner(options) : startOutsideRunner(options);
}
