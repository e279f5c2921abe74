import { durationFromMs, durationMs, timestampMs } from '@bufbuild/protobuf/wkt';
import type { ConnectRouter, HandlerContext, ServiceImpl } from '@connectrpc/connect';
import { updateRpc } from '../../api/index.ts';
import type { Authorizer } from '../../rest/index.ts';
import type { AuditExport, Logger, Metrics, Tracer } from '../../telemetry/index.ts';
import { invalid } from '../desk/check-request.ts';
import { UpdateError } from '../errors.ts';
import { stateOf } from '../jobs/job-book.ts';
import type { kindOf } from '../kinds.ts';
import { type Refusal, toRefusal } from '../refusal.ts';
import type { Reporter } from '../reports/result-desk.ts';
import type { UpdateDesks } from '../update-desks.ts';
import { callerKey, findUnfencedReporter } from './access.ts';
import { cancelled, refused, scheduled, succeeded } from './answers.ts';
import { createWatchers } from './watchers.ts';

/** What calls are answered with. */
export interface RpcParts {
  readonly desks: UpdateDesks;
  readonly authorizer: Authorizer;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Is told who asked for what. */
  readonly audit?: AuditExport | undefined;
  readonly tracer?: Tracer | undefined;
}

type Service = ServiceImpl<typeof updateRpc.UpdateService>;

const types = ['', 'update', 'scan', 'discovery'] as const;

/** The routes of the update service, for any server of Connect. Every answer carries status and error. */
export function updateServiceRoutes(parts: RpcParts): (router: ConnectRouter) => void {
  const calls = { ...requestCalls(parts), ...jobCalls(parts), ...resultCalls(parts), ...watchCalls(parts) };
  return (router) => {
    router.service(updateRpc.UpdateService, calls satisfies Service);
  };
}

/** Answers with what a call gives, or with why it was refused; both are counted. */
function answering({ logger, metrics }: RpcParts) {
  const counter = metrics.counter({
    name: 'rackwright_update_requests_total',
    help: 'Calls of the update service, by what became of them.',
    labels: ['call', 'outcome'],
  });
  return async <T extends object>(call: string, work: () => Promise<T>): Promise<T | ReturnType<typeof refused>> => {
    try {
      const answer = await work();
      counter.add(1, { call, outcome: 'ok' });
      return answer;
    } catch (error) {
      if (Object(error).name === 'ConnectError') throw error;
      const refusal: Refusal = toRefusal(error, logger);
      counter.add(1, { call, outcome: refusal.code });
      return refused(refusal);
    }
  };
}

function callerOf(context: HandlerContext): string {
  return context.values.get(callerKey)?.name ?? 'unknown';
}

function requestCalls(parts: RpcParts): Pick<Service, 'update' | 'scan' | 'discover'> {
  const answer = answering(parts);
  const { requests } = parts.desks;
  return {
    update: ({ server, firmwares, force, priority }, context) =>
      answer('Update', async () =>
        scheduled(
          await requests.update({
            server: server?.name,
            firmwares,
            isForced: force,
            priority,
            client: callerOf(context),
          }),
        ),
      ),
    scan: ({ server, priority }, context) =>
      answer('Scan', async () =>
        scheduled(await requests.scan({ server: server?.name, priority, client: callerOf(context) })),
      ),
    discover: ({ discoveredFirmware, priority, manufacturer, model, versionsToStore }, context) =>
      answer('Discover', async () =>
        scheduled(
          await requests.discover({
            name: discoveredFirmware?.name,
            manufacturer,
            model,
            priority,
            client: callerOf(context),
            ...(versionsToStore === 0 ? {} : { versionsToStore }),
          }),
        ),
      ),
  };
}

function proofOf(proof: updateRpc.JobProof | undefined): { jobId: string; token: string } {
  if (proof === undefined) throw new UpdateError('permissionDenied', { detail: 'the proof of the job is missing' });
  return proof;
}

function jobCalls(
  parts: RpcParts,
): Pick<
  Service,
  | 'takeJob'
  | 'reportProgress'
  | 'heartbeat'
  | 'checkLease'
  | 'failJob'
  | 'acquireUploadSlot'
  | 'releaseUploadSlot'
  | 'listJobs'
  | 'getJob'
  | 'cancelJob'
> {
  const answer = answering(parts);
  const { jobs, book, cancel } = parts.desks;
  return {
    takeJob: ({ proof, ...by }) =>
      answer('TakeJob', async () => {
        const { job, workJson, progressJson, leaseMs, lostAfterMs } = await jobs.take(proofOf(proof), by);
        return {
          ...{ ...succeeded, job: await book.show(job), workJson, progressJson, lease: durationFromMs(leaseMs) },
          ...(lostAfterMs === undefined ? {} : { lostAfter: durationFromMs(lostAfterMs) }),
        };
      }),
    heartbeat: ({ proof }) =>
      answer('Heartbeat', async () => {
        await jobs.heartbeat(proofOf(proof));
        return succeeded;
      }),
    checkLease: ({ proof, request }) =>
      answer('CheckLease', async () => {
        await jobs.check(proofOf(proof), request === undefined ? {} : { requestMs: durationMs(request) });
        return succeeded;
      }),
    reportProgress: ({ proof, ...told }) =>
      answer('ReportProgress', async () => {
        const { isCancelAsked } = await jobs.progress(proofOf(proof), { ...told, isCancelUnsafe: told.isCancelUnsafe });
        return { ...succeeded, isCancelAsked };
      }),
    failJob: ({ proof, reason, message, isTransient }) =>
      answer('FailJob', async () => {
        await jobs.fail(proofOf(proof), { reason, message, isTransient });
        return succeeded;
      }),
    acquireUploadSlot: ({ proof }, { signal }) =>
      answer('AcquireUploadSlot', async () => ({
        ...succeeded,
        isGranted: await jobs.acquireSlot(proofOf(proof), signal),
      })),
    releaseUploadSlot: ({ proof }) =>
      answer('ReleaseUploadSlot', async () => {
        await jobs.releaseSlot(proofOf(proof));
        return succeeded;
      }),
    listJobs: ({ type, state, target, pageSize, pageToken, withHistory }) =>
      answer('ListJobs', async () => {
        const query = { type: typeOf(type), state: stateOf(state), target, limit: pageSize };
        const page = await book.list({ ...query, after: pageToken, isWithHistory: withHistory });
        const shown = await Promise.all(page.jobs.map((job) => book.show(job)));
        return { ...succeeded, jobs: shown, nextPageToken: page.next ?? '' };
      }),
    getJob: ({ jobId }) =>
      answer('GetJob', async () => ({ ...succeeded, job: await book.show(await book.require(jobId)) })),
    cancelJob: ({ jobId, timeout, force, insist }, context) =>
      answer('CancelJob', async () => {
        const how = { isForced: force, doesInsist: insist, timeoutMs: timeout === undefined ? 0 : durationMs(timeout) };
        const job = await cancel({ jobId, client: callerOf(context), signal: context.signal, ...how });
        return { ...cancelled(job), job: await book.show(job) };
      }),
  };
}

function resultCalls(parts: RpcParts): Pick<Service, 'updateServer' | 'updateDiscoveredFirmware'> {
  const answer = answering(parts);
  const { results, clock } = parts.desks;
  const reporterOf = async (proof: updateRpc.JobProof | undefined, context: HandlerContext): Promise<Reporter> =>
    proof === undefined ? await findUnfencedReporter(parts.authorizer, context) : { proof };
  return {
    updateServer: ({ server, firmwares, proof, observedAt, inventoryJson }, context) =>
      answer('UpdateServer', async () => {
        const at = observedAt === undefined ? clock.now() : timestampMs(observedAt);
        const result = { server: server?.name ?? '', firmwares, inventoryJson, observedAt: at };
        await results.server(await reporterOf(proof, context), result);
        return succeeded;
      }),
    updateDiscoveredFirmware: ({ discoveredFirmware, firmwares, images, imagesNotKept, proof, observedAt }, context) =>
      answer('UpdateDiscoveredFirmware', async () => {
        const at = observedAt === undefined ? clock.now() : timestampMs(observedAt);
        const available = firmwares.map(({ name, manufacturer, versions, model, softwareIds }) => ({
          ...{ name, manufacturer, versions },
          ...(model === '' ? {} : { model }),
          ...(softwareIds.length === 0 ? {} : { softwareIds }),
        }));
        const name = discoveredFirmware?.name ?? '';
        const result = { name, firmwares: available, images, imagesNotKept, observedAt: at };
        await results.discovery(await reporterOf(proof, context), result);
        return succeeded;
      }),
  };
}

function watchCalls(parts: RpcParts): Pick<Service, 'watchJobs'> {
  const watchers = createWatchers();
  const { watch, book } = parts.desks;
  return {
    async *watchJobs({ type, target, jobId }, context) {
      const leave = watchers.enter();
      try {
        const query = { type: typeOf(type), target, jobId };
        for await (const job of watch(query, context.signal)) yield { job: await book.show(job) };
      } catch (error) {
        throw watchers.explain(error, toRefusal(error, parts.logger));
      } finally {
        leave();
      }
    },
  };
}

function typeOf(type: updateRpc.JobType): keyof typeof kindOf | undefined {
  const name = types[type];
  if (name === undefined) throw invalid([`there is no type of job ${type}`]);
  return name === '' ? undefined : name;
}
