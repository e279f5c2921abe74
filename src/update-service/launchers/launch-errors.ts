import { type ErrorEntry, type ErrorMore, isErrorOf, TableError } from '../../kube/index.ts';

/** Why jobs cannot be launched or found. */
export const launchErrors = {
  notStarted: { retry: 'transient', message: 'the job application {program} cannot be started: {detail}' },
  notReplaced: {
    retry: 'transient',
    message: 'the Job {name} of an earlier lease is still there; it was told to go and is looked for again',
  },
  noNamespace: {
    retry: 'transient',
    message: 'the namespace {namespace} of Jobs cannot be read, by which jobs that run are found again: {detail}',
  },
  outdated: { retry: 'terminal', message: 'the Job {name} is of a newer lease of the same job' },
  refused: { retry: 'terminal', message: 'the cluster does not take the Job {name}: {detail}' },
} as const satisfies Record<string, ErrorEntry>;

/** A key of the error table. */
export type LaunchErrorCode = keyof typeof launchErrors;

/** Why a job could not be launched, with a code to decide on and a message to show. */
export class LaunchError extends TableError<LaunchErrorCode> {
  constructor(code: LaunchErrorCode, fields: Readonly<Record<string, string | number>>, more: ErrorMore = {}) {
    super({ table: launchErrors, code, fields }, more);
  }
}

/** True for errors of launchers with one of the codes, or with any when none is named. */
export function isLaunchError(error: unknown, ...codes: readonly LaunchErrorCode[]): error is LaunchError {
  return isErrorOf(LaunchError, error, codes);
}
