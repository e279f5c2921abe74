import { resolve } from 'node:path';
import {
  claimJob,
  isJobError,
  type JobEnd,
  loadImplementations,
  publishAddress,
  type RunJobOptions,
  runJob,
} from '../../jobs/index.ts';
import { createLogger, redactText } from '../../telemetry/index.ts';
import { CliError, usageError } from '../errors.ts';
import { openTraces } from '../observe/open-traces.ts';
import type { Settings } from '../settings.ts';
import type { Terminal } from '../terminal.ts';

/** The flags of `rackwright job` that are no settings. */
export interface JobFlags {
  readonly jobFile: string;
  readonly mounted?: boolean;
  readonly claim?: string;
  readonly updateServiceUrl?: string;
  readonly taskPort?: string;
}

type JobSettings = Settings<
  | 'host'
  | 'jobImplementation'
  | 'imageCache'
  | 'imageCacheSize'
  | 'imageFolder'
  | 'stopWithin'
  | 'logLevel'
  | 'logFormat'
  | 'tracesEndpoint'
>;

/** What a job prints goes to a file or to a cluster's logs: past this it says no more. */
const mostOutput = 4 * 1024 * 1024;

/** Does the job of a job file and ends with how it ended. */
export async function runJobCommand(flags: JobFlags, settings: JobSettings, terminal: Terminal): Promise<void> {
  const logger = createLogger({
    level: settings.logLevel ?? 'info',
    format: settings.logFormat,
    write: boundedWriter(terminal),
  }).child({ service: 'job' });
  const claim = flags.claim === undefined ? undefined : resolve(terminal.cwd, flags.claim);
  if (claim !== undefined) await claimJob(claim, process.pid).catch(explain);
  const names = settings.jobImplementation ?? [];
  const end = await runJob({
    jobFile: resolve(terminal.cwd, flags.jobFile),
    isMounted: flags.mounted === true,
    updateServiceUrl: flags.updateServiceUrl,
    host: settings.host,
    port: portOf(flags.taskPort),
    loadImplementations: names.length === 0 ? undefined : () => loadImplementations({ names }),
    stopping: terminal.interrupted,
    graceMs: settings.stopWithin,
    maxImageBytes: settings.imageCacheSize,
    folder: settings.imageCache,
    fileFolders: settings.imageFolder === undefined ? undefined : [settings.imageFolder],
    logger,
    openTraces: (told) => openTraces({ tracesEndpoint: settings.tracesEndpoint ?? told }, 'rackwright-job'),
    onListening: async (url) => {
      logger.info('the interface of the job listens', { url });
      if (claim !== undefined) await publishAddress(claim, url);
    },
  } satisfies RunJobOptions).catch(explain);
  logger.info('the job ended', { ...end });
  throwUnlessDone(end);
}

function portOf(text: string | undefined): number {
  const port = Number(text ?? 0);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw usageError(`--task-port ${text}: not a port`);
  return port;
}

function throwUnlessDone(end: JobEnd): void {
  switch (end.outcome) {
    case 'succeeded':
      return;
    case 'failed':
      throw new CliError(
        end.reason === 'Cancelled' ? 'work-cancelled' : 'work-failed',
        `${end.reason}: ${end.message}`,
      );
    case 'released':
      throw new CliError('failed', `the job was given back, to be done again later: ${end.message}`);
    case 'lost':
      throw new CliError('failed', `the job has no right to go on: ${end.message}`);
  }
}

function explain(error: unknown): never {
  if (isJobError(error)) throw new CliError('failed', error.message, { cause: error });
  throw error;
}

function boundedWriter({ out }: Pick<Terminal, 'out'>): (line: string) => void {
  let left = mostOutput;
  return (line) => {
    if (left <= 0) return;
    left -= line.length;
    out(
      left > 0 ? redactText(line) : `${JSON.stringify({ level: 'warn', msg: 'too much was printed; no more is' })}\n`,
    );
  };
}
