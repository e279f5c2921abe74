import { type BmcIdentity, parseBmcIdentity } from '../../bmc/index.ts';
import type { CatalogSource } from '../../catalogs/index.ts';
import type { SlotDesk } from '../../conditionorc/index.ts';
import {
  type CheckOptions,
  type Condition,
  type Engine,
  isEngineError,
  type JsonObject,
  leaseHolderId,
  machineIdOf,
  type WorkReport,
} from '../../engine/index.ts';
import { encodeJobWork } from '../../jobs/index.ts';
import { backoffDelay } from '../../kube/index.ts';
import { invalid } from '../desk/check-request.ts';
import { UpdateError } from '../errors.ts';
import type { JobTakers } from '../jobs/job-takers.ts';
import type { HeldLease, JobProof, JobTokens } from '../jobs/job-tokens.ts';
import { hasBegun, type LaunchRecord, ownProgress, readLaunch, withLaunch } from '../jobs/launch-record.ts';
import { discoveryOf, kindOf } from '../kinds.ts';
import type { FleetNames } from '../names/fleet-names.ts';

/** What jobs are served with. */
export interface JobDeskParts {
  readonly engine: Pick<Engine, 'get' | 'worker' | 'kinds' | 'handOver'>;
  readonly tokens: JobTokens;
  readonly takers: JobTakers;
  readonly slots: SlotDesk;
  readonly names: Pick<FleetNames, 'serverOf'>;
  readonly strategy: { readonly name: string; readonly settings?: unknown };
  /** Catalogues that discovery jobs read. */
  readonly sources: readonly CatalogSource[];
}

/** What a job that takes its work is told. */
export interface TakenWork {
  readonly job: Condition;
  readonly workJson: string;
  readonly progressJson: string;
  readonly leaseMs: number;
  /** How long the job may be silent; not given where it is not fenced by heartbeats. */
  readonly lostAfterMs?: number;
}

/** A process that takes a job. */
export interface JobTaker {
  /** Where its interface is; empty where nobody reaches it. */
  readonly address: string;
  /** What tells it from other processes; its address does where this is empty. */
  readonly taker: string;
  /** It sends heartbeats and stops by itself without them; nothing that it starts itself outlives it. */
  readonly isFencedByHeartbeats?: boolean;
}

/** How far a job is. */
export interface ProgressReport {
  readonly percent: number;
  readonly message: string;
  /** Empty: as it is. */
  readonly progressJson: string;
  readonly statusJson: string;
  readonly sessionUri: string;
  readonly isCancelUnsafe: boolean | undefined;
  /** What the BMC says of itself; empty: nothing new. */
  readonly bmcJson?: string;
}

/** Why a job failed. */
export interface JobFailure {
  readonly reason: string;
  readonly message: string;
  readonly isTransient: boolean;
}

/** What jobs say on their way. Each needs a proof; throws `badProof`, `leaseLost`, `invalidRequest`. */
export interface JobDesk {
  /**
   * Throws `unavailable` until it is written down where the job runs: it must not act before it can be found again; and
   * `leaseLost` for all but the process that took it first.
   */
  take(proof: JobProof, by: JobTaker): Promise<TakenWork>;
  /** Renews the lease; says whether somebody asked to cancel. */
  progress(proof: JobProof, report: ProgressReport): Promise<{ readonly isCancelAsked: boolean }>;
  /** It is alive; this does not renew its lease. */
  heartbeat(proof: JobProof): Promise<void>;
  /** Throws unless its lease is held; see `WorkerPort.check`. */
  check(proof: JobProof, options: CheckOptions): Promise<void>;
  fail(proof: JobProof, failure: JobFailure): Promise<void>;
  /** Waits a while for one of the slots that limit uploads; true once the job has it. */
  acquireSlot(proof: JobProof, signal: AbortSignal): Promise<boolean>;
  /** Gives it back, or the place in the line. */
  releaseSlot(proof: JobProof): Promise<void>;
}

const longestProgress = 1024 * 1024;
const longestStatus = 256 * 1024;
const longestMessage = 4096;
const longestTaker = 256;
/** Well within the time that calls of jobs may take. */
const slotWaitMs = 10_000;
const retry = { baseMs: 30_000, maxMs: 15 * 60_000 };

/** Makes the desk of jobs. */
export function createJobDesk(parts: JobDeskParts): JobDesk {
  const { engine, tokens, takers, slots, strategy } = parts;
  const held = async (proof: JobProof): Promise<{ lease: HeldLease; condition: Condition }> => {
    const lease = tokens.verify(proof);
    await engine.worker.check(lease, { requestMs: 0 });
    const condition = await engine.get(lease.conditionId);
    if (condition === undefined) throw new UpdateError('jobNotFound', { job: lease.conditionId });
    return { lease, condition };
  };
  const report = async (lease: HeldLease, told: WorkReport) => {
    const outcome = await engine.worker.report(lease, told);
    if (outcome.outcome === 'kept') return outcome;
    throw new UpdateError('leaseLost', { job: lease.conditionId, detail: outcome.why });
  };
  return {
    async take(proof, { address, taker, isFencedByHeartbeats = false }) {
      const { lease, condition } = await held(proof);
      const launch = readLaunch(condition);
      if (launch?.token !== lease.token) {
        throw new UpdateError('unavailable', { detail: 'the launch of this job is not written down yet; ask again' });
      }
      const where = address === '' ? {} : { address: checkAddress(address) };
      if (taker.length > longestTaker) throw invalid([`taker is longer than ${longestTaker} characters`]);
      if (!(await takers.take(lease, taker || address))) {
        throw new UpdateError('leaseLost', { job: lease.conditionId, detail: 'another process took the job before' });
      }
      await report(lease, { progress: withLaunch(condition.progress, { ...launch, ...where, isTaken: true }) });
      // What other strategies start, such as a vendor's command, may outlive the process of the job.
      const isFenced = isFencedByHeartbeats && (condition.kind === kindOf.discovery || strategy.name === 'redfish');
      const fence = isFenced ? { lostAfterMs: (await engine.handOver(lease)).lostAfterMs } : {};
      const leaseMs = engine.kinds.find(({ kind }) => kind === condition.kind)?.leaseMs ?? 0;
      // Read again for the time at which the store took the report: the job counts the store's time from it.
      const work = await describeWork(parts, (await engine.get(condition.id)) ?? condition, launch);
      return {
        job: condition,
        leaseMs,
        workJson: work,
        progressJson: JSON.stringify(ownProgress(condition)),
        ...fence,
      };
    },
    async progress(proof, told) {
      const { lease, condition } = await held(proof);
      const { cancel } = await report(lease, toWorkReport(condition, told));
      return { isCancelAsked: cancel !== undefined };
    },
    async heartbeat(proof) {
      const lease = tokens.verify(proof);
      await engine.worker.heartbeat(leaseHolderId(lease)).catch((error: unknown) => {
        if (!isEngineError(error, 'unknownWorker')) throw error;
        throw new UpdateError('leaseLost', { job: lease.conditionId, detail: 'its heartbeats did not come in time' });
      });
    },
    check: (proof, options) => engine.worker.check(tokens.verify(proof), options),
    async fail(proof, { reason, message, isTransient }) {
      const lease = tokens.verify(proof);
      const text = message.slice(0, longestMessage) || 'the job gave no reason';
      if (!isTransient) {
        const code = /^[A-Za-z][A-Za-z0-9]{0,63}$/.test(reason) ? reason : 'JobFailed';
        await report(lease, { state: 'failed', isCancelUnsafe: false, reason: { code, message: text } });
        return;
      }
      const { condition } = await held(proof);
      const afterMs = Math.round(backoffDelay(retry, condition.leases, () => 0.5));
      await engine.worker.release(lease, text, { afterMs });
    },
    acquireSlot: async (proof, signal) =>
      (await slots.acquire(tokens.verify(proof), { waitMs: slotWaitMs, signal })) === 'granted',
    releaseSlot: async (proof) => await slots.release(tokens.verify(proof)),
  };
}

function toWorkReport(condition: Condition, told: ProgressReport): WorkReport {
  const launch = readLaunch(condition);
  // Who reports has begun, whether or not it took its work first.
  const kept = launch === undefined || hasBegun(launch) ? undefined : ownProgress(condition);
  const own = told.progressJson === '' ? kept : parse(told.progressJson, 'progress_json', longestProgress);
  const progress = own === undefined || launch === undefined ? own : withLaunch(own, { ...launch, isTaken: true });
  const status = told.statusJson === '' ? condition.status : parse(told.statusJson, 'status_json', longestStatus);
  const { percent, message, sessionUri, isCancelUnsafe } = told;
  if (percent < 0 || percent > 100) throw invalid([`percent is ${percent}, and must be from 0 to 100`]);
  return {
    status: {
      ...status,
      percent,
      ...(message === '' ? {} : { message: message.slice(0, longestMessage) }),
    },
    ...(progress === undefined ? {} : { progress }),
    ...(sessionUri === '' ? {} : { sessionUri: sessionUri.slice(0, 1024) }),
    ...(isCancelUnsafe === undefined ? {} : { isCancelUnsafe }),
    ...(told.bmcJson === undefined || told.bmcJson === '' ? {} : { bmc: readBmc(told.bmcJson) }),
  };
}

const longestBmc = 16 * 1024;

function readBmc(json: string): BmcIdentity {
  const bmc = parseBmcIdentity(parse(json, 'bmc_json', longestBmc));
  if (bmc === undefined) throw invalid(['bmc_json is not what a BMC says of itself: system, systems, serviceUuid']);
  return bmc;
}

function parse(json: string, field: string, most: number): JsonObject {
  if (json.length > most) throw invalid([`${field} is longer than ${most} characters`]);
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  } catch {
    throw invalid([`${field} is no JSON`]);
  }
  throw invalid([`${field} is no JSON object`]);
}

function checkAddress(address: string): string {
  const url = URL.parse(address);
  const isGood = url !== null && ['http:', 'https:'].includes(url.protocol) && address.length <= 1024;
  if (!isGood || url.username !== '' || url.password !== '') throw invalid(['address is no http or https address']);
  return address;
}

async function describeWork(
  { names, strategy, sources }: JobDeskParts,
  condition: Condition,
  { leftovers }: LaunchRecord,
): Promise<string> {
  const { kind, target, parameters, status, facility, leases, fencingToken, updatedAt } = condition;
  const machineId = machineIdOf(target);
  const server = machineId === undefined ? undefined : ((await names.serverOf(machineId)) ?? machineId);
  return encodeJobWork({
    kind,
    target,
    parameters,
    status,
    facility,
    leases: Math.max(1, leases),
    fencingToken,
    storeTime: updatedAt,
    leftovers: leftovers.map(({ controller, token, sessionUri }) => ({
      controller,
      token,
      ...(sessionUri === undefined ? {} : { sessionUri }),
    })),
    isCancelUnsafe: condition.isCancelUnsafe,
    ...(kind === kindOf.discovery ? { discovery: discoveryOf(parameters, sources) } : { strategy }),
    ...(server === undefined ? {} : { server }),
  });
}
