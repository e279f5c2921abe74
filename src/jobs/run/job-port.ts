import { randomUUID } from 'node:crypto';
import { durationMs } from '@bufbuild/protobuf/wkt';
import {
  type CheckOptions,
  EngineError,
  type JsonObject,
  type Lease,
  type ReportOutcome,
  type WorkerPort,
  type WorkReport,
} from '../../engine/index.ts';
import { type InstallOutcome, readInstallOutcome } from '../../flasher/index.ts';
import { backoffDelay, type Clock, type Random, sleep } from '../../kube/index.ts';
import { isJobError, JobError } from '../errors.ts';
import { type JobType, jobTypeOf } from '../job-type.ts';
import { decodeJobWork, type JobWork, leaseOf, parseObject } from '../job-work.ts';
import type { Harvest } from './harvest.ts';
import type { JobClient, JobFailure, Lost, Progress } from './update-client.ts';

/** How a job ended, as far as it knows. */
export type JobEnd =
  | { readonly outcome: 'succeeded' }
  | { readonly outcome: 'failed'; readonly reason: string; readonly message: string }
  /** Given back, to be done again later. */
  | { readonly outcome: 'released'; readonly message: string }
  /** Another has the lease, or nobody: nothing was written. */
  | { readonly outcome: 'lost'; readonly message: string };

/** What the job is, once it was taken. */
export interface JobDescription {
  readonly type: JobType;
  readonly manufacturer: string;
  readonly model: string;
  readonly strategy: string;
  readonly target: string;
  readonly work: JobWork;
}

/** What the port needs. */
export interface JobPortParts {
  readonly jobId: string;
  readonly client: JobClient;
  readonly harvest: Harvest;
  readonly clock: Clock;
  readonly random: Random;
  /** Where the job's own interface is. */
  readonly address: string;
  /** Nothing that the job starts outlives its process. */
  readonly isFencedByHeartbeats: boolean;
  /** How long the update service may be away when the job begins and nothing is leased yet by its own clock. */
  readonly patienceMs: number;
  /** The trace that the job is part of. */
  readonly traceparent?: string | undefined;
}

const retry = { baseMs: 250, maxMs: 10_000 };

/** How far a job is, for who asks the job itself. */
export interface TaskState {
  readonly percent: number;
  readonly message: string;
  readonly isCancelUnsafe: boolean;
  /** What an update has come to so far. */
  readonly outcome: InstallOutcome;
}

/** How far a job is that has reported nothing. */
export const beginning: TaskState = { percent: 0, message: 'the job begins', isCancelUnsafe: false, outcome: {} };

/**
 * The one lease of a job as a worker of the engine sees it: everything that works under leases can work over the update
 * service's interface. The worker asks for more work when it has told the end of this; that is when the job is over.
 */
export class JobPort implements WorkerPort {
  readonly #parts: JobPortParts;
  readonly #ended = Promise.withResolvers<JobEnd>();
  #isAsked = false;
  #job: JobDescription | undefined;
  #leaseMs = 0;
  /** How long it may be silent, once it was taken; undefined where it is not fenced by heartbeats. */
  #lostAfterMs: number | undefined;
  #end: JobEnd | undefined;
  /** Why a heartbeat was refused. */
  #unheard: string | undefined;
  #cancel: { readonly at: number; readonly isForced: boolean; readonly by: string } | undefined;
  #state: TaskState = beginning;
  /** The end whose progress was told, though maybe not the end itself. */
  #ending: WorkReport | undefined;

  constructor(parts: JobPortParts) {
    this.#parts = parts;
  }

  /** Resolves when the end of the job was told, or there is no sense in telling it. */
  get ended(): Promise<JobEnd> {
    return this.#ended.promise;
  }

  /** How it ended, once that was told. */
  get end(): JobEnd | undefined {
    return this.#end;
  }

  /** What the job is; only once it was taken. */
  get job(): JobDescription {
    if (this.#job === undefined) throw new TypeError('the job was not taken yet');
    return this.#job;
  }

  get state(): TaskState {
    return this.#state;
  }

  /** Somebody asked the job itself to stop: the next report says so. */
  askToCancel(how: { readonly isForced: boolean }): void {
    this.#cancel = {
      at: this.#parts.clock.now(),
      by: 'CancelTask',
      isForced: how.isForced || this.#cancel?.isForced === true,
    };
  }

  async online(): Promise<void> {}
  async offline(): Promise<void> {}

  async heartbeat(worker: string): Promise<void> {
    if (this.#lostAfterMs === undefined || this.#end !== undefined) return;
    const lost = await this.#parts.client.heartbeat();
    if (lost === undefined) return;
    // It may cross the end of the job, which is told meanwhile: that counts.
    this.#unheard = lost.lost;
    throw new EngineError('unknownWorker', { worker });
  }

  async lease(_worker: string, { signal }: { readonly signal?: AbortSignal }): Promise<readonly Lease[]> {
    if (!this.#isAsked) {
      this.#isAsked = true;
      const lease = await this.#take(signal);
      if (lease !== undefined) return [lease];
    }
    const message = this.#unheard ?? 'the end of the job could not be told';
    this.#ended.resolve(this.#end ?? { outcome: 'lost', message });
    await aborted(signal);
    return [];
  }

  /** Takes the job, however often the update service has to be asked. */
  async #take(signal: AbortSignal | undefined): Promise<Lease | undefined> {
    const { client, clock, random, address, patienceMs, isFencedByHeartbeats } = this.#parts;
    const taker = randomUUID();
    const end = clock.monotonic() + patienceMs;
    for (let failures = 1; signal?.aborted !== true; failures += 1) {
      try {
        const answer = await client.takeJob({ address, taker, isFencedByHeartbeats });
        if ('lost' in answer) {
          this.#end = { outcome: 'lost', message: answer.lost };
          return undefined;
        }
        return this.#read(answer);
      } catch (error) {
        if (!isJobError(error, 'unreachable') || clock.monotonic() >= end) {
          this.#end = { outcome: 'lost', message: error instanceof Error ? error.message : String(error) };
          // What cannot be read is never done: whoever gave it has to know.
          if (isJobError(error, 'badWork'))
            await this.#fail({ reason: 'BadWork', message: error.message, isTransient: false });
          return undefined;
        }
        await sleep(clock, backoffDelay(retry, failures, random), signal);
      }
    }
    this.#end = { outcome: 'lost', message: 'the job was stopped before it was taken' };
    return undefined;
  }

  #read({
    job,
    workJson,
    progressJson,
    lease,
    lostAfter,
  }: Extract<Awaited<ReturnType<JobClient['takeJob']>>, { workJson: string }>): Lease {
    const { jobId, clock, traceparent } = this.#parts;
    const type = jobTypeOf(job?.type ?? 0);
    if (job === undefined || type === undefined)
      throw new JobError('badWork', { job: jobId, detail: 'it is of no known type' });
    const work = decodeJobWork(jobId, workJson);
    const { manufacturer, model, target } = job;
    this.#job = { type, manufacturer, model, target, work, strategy: work.strategy?.name ?? job.strategy };
    this.#state = { ...this.#state, isCancelUnsafe: work.isCancelUnsafe === true };
    this.#leaseMs = Math.max(1000, lease === undefined ? 60_000 : durationMs(lease));
    this.#lostAfterMs = lostAfter === undefined ? undefined : durationMs(lostAfter);
    const lostAfterMs = this.#lostAfterMs;
    const progress = parseObject(jobId, progressJson);
    const cancel = this.#cancel;
    const now = work.storeTime ?? clock.now();
    return leaseOf({ jobId, work, progress, leaseMs: this.#leaseMs, lostAfterMs, now, traceparent, cancel });
  }

  async report(_lease: unknown, report: WorkReport): Promise<ReportOutcome> {
    // An end that comes again may have been taken, and its answer lost: after it no progress is.
    if (report !== this.#ending) {
      const told = await this.#tellProgress(report);
      if ('lost' in told) return this.#lose(told);
      if (told.isCancelAsked && this.#cancel === undefined) {
        this.#cancel = { at: this.#parts.clock.now(), by: 'the update service', isForced: false };
      }
      if (report.state === 'succeeded' || report.state === 'failed') this.#ending = report;
    }
    const lost = await this.#tellEnd(report);
    if (lost !== undefined) return this.#lose(lost);
    return { outcome: 'kept', until: this.#parts.clock.now() + this.#leaseMs, cancel: this.#cancel };
  }

  #lose({ lost }: Lost): ReportOutcome {
    this.#end = { outcome: 'lost', message: lost };
    return { outcome: 'lost', why: lost };
  }

  #tellProgress({ status, progress, sessionUri, isCancelUnsafe, bmc }: WorkReport) {
    const said: Progress = {
      percent: numberIn(status, 'percent') ?? this.#state.percent,
      message: textIn(status, 'message') ?? this.#state.message,
      isCancelUnsafe,
      sessionUri,
      progressJson: progress === undefined ? undefined : JSON.stringify(progress),
      bmcJson: bmc === undefined ? undefined : JSON.stringify(bmc),
      statusJson: status === undefined ? undefined : JSON.stringify(status),
    };
    const { percent, message } = said;
    const outcome = status === undefined ? this.#state.outcome : readInstallOutcome(status);
    this.#state = { percent, message, isCancelUnsafe: isCancelUnsafe ?? this.#state.isCancelUnsafe, outcome };
    return this.#parts.client.reportProgress(said);
  }

  async #tellEnd({ state, reason }: WorkReport): Promise<Lost | undefined> {
    if (state === 'succeeded') return await this.#succeed().catch((error: unknown) => this.#refused(error));
    if (state !== 'failed') return undefined;
    const { code = 'JobFailed', message = 'it does not say why' } = reason ?? {};
    return await this.#fail({ reason: code, message, isTransient: false });
  }

  /** A result that is not taken will not be taken later either: better said now than when the lease ends. */
  async #refused(error: unknown): Promise<Lost | undefined> {
    if (!isJobError(error, 'refused')) throw error;
    return await this.#fail({ reason: 'ReportRefused', message: error.message, isTransient: false });
  }

  async #succeed(): Promise<Lost | undefined> {
    const lost = this.job.type === 'discovery' ? await this.#tellDiscovered() : await this.#tellInstalled();
    if (lost === undefined) this.#end ??= { outcome: 'succeeded' };
    return lost;
  }

  async #tellInstalled(): Promise<Lost | undefined> {
    const { installed } = this.#parts.harvest;
    if (installed === undefined) {
      return await this.#fail({ reason: 'NothingRead', message: 'nothing was read of the server', isTransient: false });
    }
    const { firmwares, inventory, at } = installed;
    const server = this.job.work.server ?? this.job.target;
    return await this.#parts.client.updateServer({ server, firmwares, inventoryJson: inventory, observedAt: at });
  }

  async #tellDiscovered(): Promise<Lost | undefined> {
    const { client, harvest } = this.#parts;
    const { discovered } = harvest;
    if (discovered === undefined) {
      const message = 'the discovery does not say what it found';
      return await this.#fail({ reason: 'NothingFound', message, isTransient: false });
    }
    return await client.updateDiscoveredFirmware({
      name: this.job.work.discovery?.name ?? this.job.target,
      ...discovered,
    });
  }

  async #fail(failure: JobFailure): Promise<Lost | undefined> {
    const lost = await this.#parts.client.failJob(failure);
    const { reason, message, isTransient } = failure;
    if (lost === undefined)
      this.#end = isTransient ? { outcome: 'released', message } : { outcome: 'failed', reason, message };
    return lost;
  }

  async check(lease: { readonly conditionId: string }, options: CheckOptions = {}): Promise<void> {
    const lost = await this.#parts.client.checkLease(options);
    if (lost === undefined) return;
    this.#lose(lost);
    throw new EngineError('leaseLost', { id: lease.conditionId, detail: lost.lost });
  }

  /**
   * Gives the job back; who was asked to stop and is at a safe point, or was forced to, was cancelled. A flash that goes on
   * is for the next life of the job. Tried again as long as the lease may last.
   */
  async release(_lease: unknown, why: string, options: { readonly afterMs?: number } = {}): Promise<void> {
    const { clock, random } = this.#parts;
    const isDue = this.#cancel?.isForced === true || !this.#state.isCancelUnsafe;
    const isCancelled = this.#cancel !== undefined && options.afterMs === undefined && isDue;
    const failure = isCancelled
      ? { reason: 'Cancelled', message: `it was stopped by ${this.#cancel?.by}`, isTransient: false }
      : { reason: 'Released', message: why, isTransient: true };
    const end = clock.monotonic() + this.#leaseMs;
    for (let failures = 1; ; failures += 1) {
      try {
        const lost = await this.#fail(failure);
        if (lost !== undefined) this.#end = { outcome: 'lost', message: lost.lost };
        return;
      } catch (error) {
        if (!isJobError(error, 'unreachable') || clock.monotonic() >= end) throw error;
        await sleep(clock, backoffDelay(retry, failures, random));
      }
    }
  }

  /** Stands in the line of all who upload, over several calls. */
  async acquireSlot(
    _name: 'upload',
    lease: { readonly conditionId: string },
    signal: AbortSignal,
  ): Promise<() => Promise<void>> {
    const { client } = this.#parts;
    const giveBack = async (): Promise<void> => {
      await client.releaseUploadSlot();
    };
    try {
      for (;;) {
        const answer = await client.acquireUploadSlot(signal);
        if ('lost' in answer) {
          this.#lose(answer);
          throw new EngineError('leaseLost', { id: lease.conditionId, detail: answer.lost });
        }
        if (answer.isGranted) return giveBack;
      }
    } catch (error) {
      // Who leaves the line gives the place back; unheard, it is free again soon.
      if (signal.aborted) void giveBack().catch(() => {});
      throw error;
    }
  }
}

function textIn(status: JsonObject | undefined, name: string): string | undefined {
  const value = status?.[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function numberIn(status: JsonObject | undefined, name: string): number | undefined {
  const value = status?.[name];
  return typeof value === 'number' && Number.isFinite(value)
    ? Math.min(100, Math.max(0, Math.round(value)))
    : undefined;
}

function aborted(signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
