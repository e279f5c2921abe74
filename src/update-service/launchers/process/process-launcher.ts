import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize } from 'node:path';
import type { JsonObject } from '../../../engine/index.ts';
import {
  createTaskClient,
  isRunning,
  type ProcessMark,
  readAddress,
  readProcessMark,
  signalToolsOf,
} from '../../../jobs/index.ts';
import { type Clock, sleep } from '../../../kube/index.ts';
import type { Logger } from '../../../telemetry/index.ts';
import { type JobFileParts, jobFileOf } from '../job-access.ts';
import { LaunchError } from '../launch-errors.ts';
import type { JobSight, LaunchedJob, Launcher, LaunchOrder } from '../launcher.ts';
import {
  doesRun,
  folderAt,
  folderOf,
  isJobFolder,
  type JobFolder,
  lastLines,
  readJobFileOf,
  readProcess,
  removeFolder,
  writeJobFile,
  writeProcess,
} from './job-folder.ts';
import { scopeOf } from './scope.ts';

/** How jobs are run as processes of this machine. */
export interface ProcessLauncherOptions extends JobFileParts {
  /** Where the folders of running jobs are. It must survive a restart of this process. */
  readonly folder: string;
  /** The job application and its first arguments; `--job-file` and `--claim` follow. */
  readonly command: readonly [string, ...string[]];
  /** What the jobs see of the environment; nothing else reaches them. */
  readonly environment: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How much of what a job printed is logged when it is gone; 64 KiB unless given. */
  readonly mostOutputBytes?: number;
  /** How long a job that is ended may take between SIGTERM and SIGKILL; 5 s unless given. */
  readonly killAfterMs?: number;
}

const lookEveryMs = 200;
const toldWithinMs = 1000;
const unknownJob: JobSight = { state: 'unknown', why: 'it is no job of this folder' };

/** Makes a launcher that runs each job as a process of its own, in its own process group. */
export function createProcessLauncher(options: ProcessLauncherOptions): Launcher {
  return new ProcessLauncher(options);
}

class ProcessLauncher implements Launcher {
  readonly name = 'process';
  readonly areJobsInside = false;
  readonly #options: ProcessLauncherOptions;
  readonly #launches = new Map<string, Promise<LaunchedJob>>();
  /** Processes of this life, by the path of their folder. */
  readonly #children = new Map<string, ChildProcess>();

  constructor(options: ProcessLauncherOptions) {
    if (!isAbsolute(options.folder)) throw new TypeError('the folder of jobs has to be an absolute path');
    this.#options = options;
  }

  scope(): Promise<string> {
    return scopeOf(this.#options.folder);
  }

  launch(order: LaunchOrder): Promise<LaunchedJob> {
    const folder = folderOf(this.#options.folder, order);
    const begun = this.#launches.get(folder.path);
    if (begun !== undefined) return begun;
    const launch = this.#launch(order, folder).finally(() => this.#launches.delete(folder.path));
    this.#launches.set(folder.path, launch);
    return launch;
  }

  async #launch(order: LaunchOrder, folder: JobFolder): Promise<LaunchedJob> {
    const known = await readProcess(folder);
    if (known !== undefined) return { handle: handleOf(folder, known) };
    await writeJobFile(folder, await jobFileOf(order, this.#options));
    const mark = await this.#start(folder).catch(async (error: unknown) => {
      await removeFolder(folder);
      throw error;
    });
    await writeProcess(folder, mark);
    this.#options.logger.info('a job was started', { job: order.jobId, type: order.type, pid: mark.pid });
    return { handle: handleOf(folder, mark) };
  }

  async #start(folder: JobFolder): Promise<ProcessMark> {
    const [program, ...words] = this.#options.command;
    const output = openSync(folder.outputFile, 'a', 0o600);
    let child: ChildProcess;
    try {
      child = spawn(program, [...words, '--job-file', folder.jobFile, '--claim', folder.path], {
        // Its own group and session: it outlives this process, and can be ended with all that it started.
        detached: true,
        cwd: folder.path,
        env: { ...this.#options.environment },
        stdio: ['ignore', output, output],
      });
    } finally {
      closeSync(output);
    }
    await once(child, 'spawn').catch((cause: unknown) => {
      const detail = cause instanceof Error ? cause.message : String(cause);
      throw new LaunchError('notStarted', { program, detail }, { cause });
    });
    child.unref();
    this.#children.set(folder.path, child);
    const pid = child.pid ?? 0;
    return (await readProcessMark(pid)) ?? { pid, startedAt: 'ended before it was looked at' };
  }

  async look(handle: JsonObject): Promise<JobSight> {
    const folder = this.#folderOf(handle);
    if (folder === undefined) return unknownJob;
    if (await this.#runs(folder, handle)) return { state: 'running' };
    return await this.#bury(folder);
  }

  /** The claim of the process itself counts, and until it is written what the handle says. */
  async #runs(folder: JobFolder, handle: JsonObject): Promise<boolean> {
    if ((await readProcess(folder)) !== undefined) return await doesRun(folder);
    const { pid, startedAt } = handle;
    return typeof pid === 'number' && typeof startedAt === 'string' && (await isRunning({ pid, startedAt }));
  }

  /** Logs what a job that is gone printed last, and throws its folder away. */
  async #bury(folder: JobFolder): Promise<JobSight> {
    const { logger, mostOutputBytes = 64 * 1024 } = this.#options;
    const lines = await lastLines(folder, mostOutputBytes);
    for (const line of lines) logger.info('a job printed', { folder: folder.path, line });
    const child = this.#children.get(folder.path);
    this.#children.delete(folder.path);
    await removeFolder(folder);
    const how = await this.#endOf(child);
    const last = lines.at(-1);
    return { state: 'gone', why: last === undefined ? how : `${how}; it printed last: ${last.slice(0, 500)}` };
  }

  /** A process shows that it ended a moment before this one is told what it ended with. */
  async #endOf(child: ChildProcess | undefined): Promise<string> {
    const isTold = (): boolean => child !== undefined && (child.exitCode !== null || child.signalCode !== null);
    if (child !== undefined && !isTold())
      await Promise.race([once(child, 'exit'), sleep(this.#options.clock, toldWithinMs)]);
    if (child === undefined || !isTold()) return 'its process ended';
    const { exitCode, signalCode } = child;
    return signalCode === null ? `its process ended with ${exitCode}` : `its process was ended by ${signalCode}`;
  }

  async interrupt(
    handle: JsonObject,
    how: { readonly timeoutMs: number; readonly isForced: boolean },
  ): Promise<JobSight> {
    const folder = this.#folderOf(handle);
    if (folder === undefined) return unknownJob;
    const mark = await this.#markOf(folder, handle);
    const sight = await this.#interrupt(folder, handle, how);
    // A job that ended, or died, may have left its command behind.
    if (how.isForced && sight.state === 'gone') await this.#signalTools(mark, 'SIGKILL');
    return sight;
  }

  async #interrupt(
    folder: JobFolder,
    handle: JsonObject,
    { timeoutMs, isForced }: { readonly timeoutMs: number; readonly isForced: boolean },
  ): Promise<JobSight> {
    const { clock } = this.#options;
    const end = clock.monotonic() + timeoutMs;
    const isAsked = await this.#ask(folder, handle, { timeoutMs, isForced });
    if (!isAsked) await this.#tellToStop(folder, handle);
    if (await this.#isGoneBy(folder, handle, end)) return await this.#bury(folder);
    if (!isForced) return { state: 'running' };
    await this.#kill(folder, handle, 'SIGTERM');
    const last = clock.monotonic() + (this.#options.killAfterMs ?? 5000);
    if (!(await this.#isGoneBy(folder, handle, last))) {
      await this.#kill(folder, handle, 'SIGKILL');
      if (!(await this.#isGoneBy(folder, handle, clock.monotonic() + 5000))) return { state: 'running' };
    }
    return await this.#bury(folder);
  }

  /** Asks the job itself; false when it cannot be asked. */
  async #ask(
    folder: JobFolder,
    handle: JsonObject,
    how: { readonly timeoutMs: number; readonly isForced: boolean },
  ): Promise<boolean> {
    const url = (await readAddress(folder.path)) ?? handle.address;
    const file = await readJobFileOf(folder);
    if (typeof url !== 'string' || file === undefined) return false;
    try {
      await createTaskClient({ url, token: file.token }).cancel(how);
      return true;
    } catch (error) {
      // It may end at this moment, or not listen yet: either is as it should be.
      const why = error instanceof Error ? error.message : String(error);
      this.#options.logger.info('the job does not answer; sending it a signal', { job: file.jobId, why });
      return false;
    }
  }

  async #isGoneBy(folder: JobFolder, handle: JsonObject, end: number): Promise<boolean> {
    const { clock } = this.#options;
    for (;;) {
      if (!(await this.#runs(folder, handle))) return true;
      const left = end - clock.monotonic();
      if (left <= 0) return false;
      await sleep(clock, Math.min(left, lookEveryMs));
    }
  }

  /** The process alone: what it started may be in the middle of a flash. */
  async #tellToStop(folder: JobFolder, handle: JsonObject): Promise<void> {
    const mark = await this.#markOf(folder, handle);
    if (await isRunning(mark)) send(mark.pid, 'SIGTERM');
  }

  /** With all that it started. Only while that very process runs: the number of one that ended may be another's by now. */
  async #kill(folder: JobFolder, handle: JsonObject, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const mark = await this.#markOf(folder, handle);
    if (!(await isRunning(mark))) return;
    send(-mark.pid, signal);
    await this.#signalTools(mark, signal);
  }

  async #signalTools(owner: ProcessMark, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await signalToolsOf(owner, { signal, folder: temporaryFolder(this.#options.environment) });
  }

  async #markOf(folder: JobFolder, handle: JsonObject): Promise<ProcessMark> {
    return (await readProcess(folder)) ?? { pid: Number(handle.pid), startedAt: String(handle.startedAt) };
  }

  /** The folder that a handle names; undefined for those of other launchers, or of other folders of jobs. */
  #folderOf({ folder }: JsonObject): JobFolder | undefined {
    const isOurs = typeof folder === 'string' && dirname(folder) === normalize(this.#options.folder).replace(/\/$/, '');
    return isOurs ? folderAt(folder) : undefined;
  }

  async sweep(kept: readonly JsonObject[]): Promise<void> {
    const { folder: root, logger } = this.#options;
    const names = await readdir(root).catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
      throw error;
    });
    const paths = new Set(kept.map((handle) => this.#folderOf(handle)?.path));
    for (const folder of names.filter(isJobFolder).map((name) => folderAt(join(root, name)))) {
      if (paths.has(folder.path) || (await doesRun(folder))) continue;
      logger.info('a job ended while nobody looked after it', { folder: folder.path });
      await this.#bury(folder);
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#launches.values());
    for (const child of this.#children.values()) child.unref();
    this.#children.clear();
  }
}

function send(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** Of a process with that environment. */
function temporaryFolder({ TMPDIR, TMP, TEMP }: Readonly<Record<string, string>>): string {
  return TMPDIR || TMP || TEMP || '/tmp';
}

function handleOf(folder: JobFolder, { pid, startedAt }: ProcessMark): JsonObject {
  return { folder: folder.path, pid, startedAt };
}
