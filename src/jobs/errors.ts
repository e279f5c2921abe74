import { type ErrorEntry, type ErrorMore, isErrorOf, TableError } from '../kube/index.ts';

/** Everything that a job refuses or cannot do by itself. */
export const jobErrors = {
  badJobFile: { retry: 'terminal', message: 'the job file {file} cannot be used: {problems}' },
  openJobFile: {
    retry: 'terminal',
    message: 'the job file {file} can be read by others than its owner: it holds a token, so give it mode 0600',
  },
  alreadyRuns: { retry: 'terminal', message: 'another process does or did the job of {folder}' },
  badWork: { retry: 'bug', message: 'what the update service gave job {job} to do cannot be read: {detail}' },
  refused: { retry: 'terminal', message: 'the update service refused {what}: {detail}' },
  unreachable: { retry: 'transient', message: 'the update service at {url} did not answer {what}: {detail}' },
  noImplementation: {
    retry: 'terminal',
    message:
      'nothing here does {type} jobs for {manufacturer} {model}: give the job application an implementation for them',
  },
  unknownImplementation: {
    retry: 'terminal',
    message: 'jobs of {name} cannot be loaded ({detail}): install the package, or correct its name or path',
  },
  badImplementation: { retry: 'terminal', message: 'jobs of {name} cannot be used: {detail}' },
  severalImplementations: {
    retry: 'terminal',
    message: '{name} and {other} both have {type} jobs for {whose}: leave one of them out',
  },
  unknownStrategy: { retry: 'terminal', message: 'there is no strategy {strategy} here; there are {known}' },
  badSettings: { retry: 'terminal', message: 'the settings of the strategy {strategy} cannot be used: {problems}' },
  noTemplate: {
    retry: 'terminal',
    message: 'no command is set for {what} on {manufacturer} {model}; add one to the settings of vendor-cli',
  },
  noBmc: { retry: 'blocked', message: 'no BMC is known for {target}: give the server its BMC address first' },
  commandNotFound: { retry: 'terminal', message: 'the command {command} cannot be started: {detail}' },
  commandFailed: { retry: 'terminal', message: 'the command {command} failed: {detail}' },
  commandUnavailable: { retry: 'transient', message: 'the command {command} failed in passing: {detail}' },
  commandLate: { retry: 'terminal', message: 'the command {command} took longer than {seconds} s and was ended' },
  nothingRead: {
    retry: 'terminal',
    message: 'the command {command} printed nothing that the rules of its template know: correct its patterns',
  },
  otherHardware: {
    retry: 'terminal',
    message:
      'the image of {component} {version} is for other hardware than the server has: it is for {wanted}, and the server shows {shown}',
  },
  noImage: {
    retry: 'terminal',
    message: 'no update image is set for {manufacturer} {model}; add one to the settings of boot-image',
  },
  noSecondDrive: {
    retry: 'terminal',
    message: 'the BMC at {origin} has one virtual drive, and an update image needs a second one for what it is told',
  },
  mediaStay: {
    retry: 'transient',
    message:
      'the media of the update image are still in the virtual drives of the BMC at {origin}, and are taken out as soon as it answers: {detail}',
  },
  mediaLeft: {
    retry: 'terminal',
    message:
      'the media of the update image are still in the virtual drives of the BMC at {origin}; take them out, and its boot from CD back, before the host restarts: {detail}',
  },
  reportPortTaken: {
    retry: 'transient',
    message: 'reports of update images cannot be listened for at {host}, port {port}: another job or program does so',
  },
  imageFailed: { retry: 'terminal', message: 'the update image that ran on {target} failed: {detail}' },
  imageSilent: {
    retry: 'terminal',
    message: 'the update image did not report from {target} within {seconds} s: look at the console of the host',
  },
  noCatalog: {
    retry: 'terminal',
    message: 'no catalogue is set for {manufacturer}: add one to the discovery settings of the update service',
  },
} as const satisfies Record<string, ErrorEntry>;

/** A key of the error table. */
export type JobErrorCode = keyof typeof jobErrors;

/** What a job refused, with a code to decide on and a message to show. */
export class JobError extends TableError<JobErrorCode> {
  constructor(code: JobErrorCode, fields: Readonly<Record<string, string | number>>, more: ErrorMore = {}) {
    super({ table: jobErrors, code, fields }, more);
  }
}

/** True for errors of this room with one of the codes, or with any when none is named. */
export function isJobError(error: unknown, ...codes: readonly JobErrorCode[]): error is JobError {
  return isErrorOf(JobError, error, codes);
}
