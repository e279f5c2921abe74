import { create } from '@bufbuild/protobuf';
import { durationFromMs, durationMs } from '@bufbuild/protobuf/wkt';
import type { ConnectRouter } from '@connectrpc/connect';
import { createRouterTransport, type Transport } from '@connectrpc/connect';
import { updateRpc } from '../../api/index.ts';
import { encodeJobWork, type JobWork } from '../job-work.ts';

const { RequestStatus, ErrorCode, JobType } = updateRpc;

/** For tests: what an update service keeps of one job. */
export interface KeptJob {
  readonly id: string;
  readonly token: string;
  readonly type: 'UPDATE' | 'SCAN' | 'DISCOVERY';
  readonly manufacturer: string;
  readonly model: string;
  readonly work: JobWork;
  leaseMs: number;
  /** It said that it is fenced by heartbeats. */
  isFenced: boolean;
  /** How long it may be silent. */
  lostAfterMs: number;
  progress: string;
  status: string;
  sessionUri: string;
  isCancelUnsafe: boolean;
  isCancelAsked: boolean;
  /** Another has the lease. */
  isLost: boolean;
  address: string;
  /** Below 0: how often it has to ask for the slot before it gets it; 1 while it has it. */
  slots: number;
  /** The process that took it. */
  taker: string | undefined;
  takes: number;
  reports: number;
  heartbeats: number;
  ended: 'succeeded' | 'failed' | undefined;
  failure: { readonly reason: string; readonly message: string; readonly isTransient: boolean } | undefined;
  server: updateRpc.UpdateServerRequest | undefined;
  discovered: updateRpc.UpdateDiscoveredFirmwareRequest | undefined;
}

/** For tests: an update service that has jobs to give, and can be away. */
export interface FakeUpdateService {
  readonly jobs: Map<string, KeptJob>;
  readonly routes: (router: ConnectRouter) => void;
  readonly transport: Transport;
  /** While it is true nothing is answered. */
  isAway: boolean;
  /** The call that is answered with a refusal. */
  refuses: string;
  /** Called before each answer, by the name of the call. */
  onCall: (name: string, job: KeptJob | undefined) => void | Promise<void>;
  /** Called once a result was taken, before that is answered. */
  onAnswer: (name: string) => void;
  /** Called with how long the request may take that a job is about to send. */
  onCheck: (requestMs: number | undefined) => void;
  add(job: Partial<KeptJob> & Pick<KeptJob, 'id' | 'work'>): KeptJob;
}

/** For tests: makes an update service without a network. */
export function createFakeUpdateService(): FakeUpdateService {
  const jobs = new Map<string, KeptJob>();
  const service: FakeUpdateService = {
    jobs,
    isAway: false,
    refuses: '',
    onCall: () => {},
    onAnswer: () => {},
    onCheck: () => {},
    add(job) {
      const kept = { ...emptyJob, ...job };
      jobs.set(kept.id, kept);
      return kept;
    },
    routes,
    transport: createRouterTransport((router) => routes(router)),
  };
  async function enter(name: string, proof: updateRpc.JobProof | undefined): Promise<Entry> {
    const job = jobs.get(proof?.jobId ?? '');
    await service.onCall(name, job);
    if (service.isAway) throw new Error('connection refused');
    if (service.refuses === name) return refused(ErrorCode.INVALID_REQUEST, 'it is not taken');
    if (job === undefined) return refused(ErrorCode.JOB_NOT_FOUND, 'there is no such job');
    if (job.token !== proof?.token || job.isLost || job.ended !== undefined) {
      return refused(ErrorCode.LEASE_LOST, 'the lease is not held any more');
    }
    return { job };
  }
  /** The same result twice is one, as long as nobody has the job by now. */
  function isTakenAlready(proof: updateRpc.JobProof | undefined): boolean {
    const job = jobs.get(proof?.jobId ?? '');
    return job?.ended === 'succeeded' && job.token === proof?.token && !job.isLost;
  }
  function routes(router: ConnectRouter): void {
    router.service(updateRpc.UpdateService, {
      async takeJob({ proof, address, taker, isFencedByHeartbeats }) {
        const entry = await enter('TakeJob', proof);
        if ('error' in entry) return entry;
        const { job } = entry;
        if (job.taker !== undefined && job.taker !== taker) return refused(ErrorCode.LEASE_LOST, 'another took it');
        Object.assign(job, { address, taker, isFenced: isFencedByHeartbeats });
        job.takes += 1;
        return {
          status: RequestStatus.SUCCEEDED,
          job: shown(job),
          workJson: encodeJobWork(job.work),
          progressJson: job.progress,
          lease: durationFromMs(job.leaseMs),
          ...(isFencedByHeartbeats ? { lostAfter: durationFromMs(job.lostAfterMs) } : {}),
        };
      },
      async reportProgress({ proof, progressJson, statusJson, sessionUri, isCancelUnsafe }) {
        const entry = await enter('ReportProgress', proof);
        if ('error' in entry) return entry;
        const { job } = entry;
        job.reports += 1;
        if (progressJson !== '') job.progress = progressJson;
        if (statusJson !== '') job.status = statusJson;
        if (sessionUri !== '') job.sessionUri = sessionUri;
        job.isCancelUnsafe = isCancelUnsafe ?? job.isCancelUnsafe;
        return { status: RequestStatus.SUCCEEDED, isCancelAsked: job.isCancelAsked };
      },
      async heartbeat({ proof }) {
        const entry = await enter('Heartbeat', proof);
        if ('error' in entry) return entry;
        entry.job.heartbeats += 1;
        return { status: RequestStatus.SUCCEEDED };
      },
      async checkLease({ proof, request }) {
        service.onCheck(request === undefined ? undefined : durationMs(request));
        const entry = await enter('CheckLease', proof);
        return 'error' in entry ? entry : { status: RequestStatus.SUCCEEDED };
      },
      async failJob({ proof, reason, message, isTransient }) {
        const entry = await enter('FailJob', proof);
        if ('error' in entry) return entry;
        entry.job.failure = { reason, message, isTransient };
        entry.job.ended = 'failed';
        return { status: RequestStatus.SUCCEEDED };
      },
      async acquireUploadSlot({ proof }) {
        const entry = await enter('AcquireUploadSlot', proof);
        if ('error' in entry) return entry;
        entry.job.slots += 1;
        return { status: RequestStatus.SUCCEEDED, isGranted: entry.job.slots > 0 };
      },
      async releaseUploadSlot({ proof }) {
        const entry = await enter('ReleaseUploadSlot', proof);
        if ('error' in entry) return entry;
        entry.job.slots = 0;
        return { status: RequestStatus.SUCCEEDED };
      },
      async updateServer(request) {
        const isRepeated = isTakenAlready(request.proof);
        const entry = isRepeated ? undefined : await enter('UpdateServer', request.proof);
        if (entry !== undefined && 'error' in entry) return entry;
        if (entry !== undefined) Object.assign(entry.job, { server: request, ended: 'succeeded' });
        service.onAnswer('UpdateServer');
        return { status: RequestStatus.SUCCEEDED };
      },
      async updateDiscoveredFirmware(request) {
        const entry = await enter('UpdateDiscoveredFirmware', request.proof);
        if ('error' in entry) return entry;
        entry.job.discovered = request;
        entry.job.ended = 'succeeded';
        return { status: RequestStatus.SUCCEEDED };
      },
    });
  }
  return service;
}

type Entry = { readonly job: KeptJob } | ReturnType<typeof refused>;

function refused(code: updateRpc.ErrorCode, message: string) {
  return { status: RequestStatus.REFUSED, error: create(updateRpc.RequestErrorSchema, { code, message }) };
}

function shown({ id, type, manufacturer, model, work }: KeptJob): updateRpc.Job {
  return create(updateRpc.JobSchema, {
    id,
    type: JobType[type],
    manufacturer,
    model,
    target: work.server ?? work.target,
    strategy: work.strategy?.name ?? '',
  });
}

const emptyJob: Omit<KeptJob, 'id' | 'work'> = {
  token: 'the-token-of-the-job',
  type: 'UPDATE',
  manufacturer: 'Acme',
  model: 'One',
  leaseMs: 60_000,
  isFenced: false,
  lostAfterMs: 30_000,
  progress: '',
  status: '',
  sessionUri: '',
  isCancelUnsafe: false,
  isCancelAsked: false,
  isLost: false,
  address: '',
  slots: 0,
  taker: undefined,
  takes: 0,
  reports: 0,
  heartbeats: 0,
  ended: undefined,
  failure: undefined,
  server: undefined,
  discovered: undefined,
};
