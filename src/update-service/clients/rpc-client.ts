import { type Client, ConnectError, createClient, type Interceptor } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { type ResolvedFirmware, updateRpc } from '../../api/index.ts';
import { traceparentHere } from '../../telemetry/index.ts';
import { refusalCodeOf } from '../rpc/answers.ts';
import { type RequestOutcome, toOutcome, type UpdateClient, waitOf } from './request-outcome.ts';

/** Where an update service is, and how to speak to it. */
export interface RpcClientOptions {
  readonly url: string;
  /** Asked for each call, so that tokens may change. */
  readonly token?: (() => Promise<string>) | undefined;
  /** Who signed its certificate, where the system does not know. */
  readonly caPem?: string | undefined;
  /** How long a call may take; 30 s unless given. */
  readonly timeoutMs?: number;
}

/** A client of every call of the update service, over gRPC. */
export function createUpdateServiceClient(options: RpcClientOptions): Client<typeof updateRpc.UpdateService> {
  const { token, caPem } = options;
  const introduce: Interceptor = (next) => async (request) => {
    if (token !== undefined) request.header.set('authorization', `Bearer ${await token()}`);
    const traceparent = traceparentHere();
    if (traceparent !== undefined) request.header.set('traceparent', traceparent);
    return await next(request);
  };
  const transport = createGrpcTransport({
    baseUrl: options.url,
    interceptors: [introduce],
    ...(caPem === undefined ? {} : { nodeOptions: { ca: caPem } }),
  });
  return createClient(updateRpc.UpdateService, transport);
}

interface Answer {
  readonly status: updateRpc.RequestStatus;
  readonly error?: updateRpc.RequestError | undefined;
  readonly jobId: string;
  readonly resolved?: readonly updateRpc.ResolvedFirmware[];
}

/** An update service elsewhere, as the firmware controllers use it. */
export function createRpcClient(options: RpcClientOptions): UpdateClient {
  const rpc = createUpdateServiceClient(options);
  const { timeoutMs = 30_000 } = options;
  const ask = async (work: () => Promise<Answer>): Promise<RequestOutcome> => {
    try {
      return read(await work());
    } catch (error) {
      const reason = ConnectError.from(error);
      return { kind: 'unavailable', message: `the update service did not answer: ${reason.rawMessage}` };
    }
  };
  /** What keeps a job waiting, as far as that can be found out. */
  const waits = async (jobId: string, signal: AbortSignal) => {
    const { job } = await rpc.getJob({ jobId }, { signal, timeoutMs }).catch(() => ({ job: undefined }));
    return waitOf(job === undefined ? undefined : { code: job.reason, message: job.message });
  };
  const withWaits = async (outcome: RequestOutcome, signal: AbortSignal): Promise<RequestOutcome> => {
    const isTaken = outcome.kind === 'accepted' || outcome.kind === 'already-scheduled';
    return isTaken ? { ...outcome, ...(await waits(outcome.jobId, signal)) } : outcome;
  };
  return {
    async update({ server, firmwares }, signal) {
      const order = { server: { name: server.systemUUID }, firmwares: [...firmwares] };
      return await withWaits(await ask(() => rpc.update(order, { signal, timeoutMs })), signal);
    },
    async scan({ server }, signal) {
      const order = { server: { name: server.systemUUID } };
      return await withWaits(await ask(() => rpc.scan(order, { signal, timeoutMs })), signal);
    },
    discover: ({ name, manufacturer, model, versionsToStore }, signal) =>
      ask(() =>
        rpc.discover({ discoveredFirmware: { name }, manufacturer, model, versionsToStore }, { signal, timeoutMs }),
      ),
    async withdraw({ jobId }, signal) {
      const { job, error } = await rpc.cancelJob({ jobId }, { signal, timeoutMs });
      if (error?.code === updateRpc.ErrorCode.JOB_NOT_FOUND) return 'unknown-job';
      if (error !== undefined) throw new Error(error.message);
      return job?.state === updateRpc.JobState.FAILED && job.reason === 'Cancelled' ? 'withdrawn' : 'too-late';
    },
  };
}

function read({ status, error, jobId, resolved: shown = [] }: Answer): RequestOutcome {
  const { RequestStatus } = updateRpc;
  const resolved = shown.length === 0 ? {} : { resolved: shown.map(readResolved) };
  if (status === RequestStatus.SCHEDULED) return { kind: 'accepted', jobId, ...resolved };
  if (status === RequestStatus.ALREADY_SCHEDULED) return { kind: 'already-scheduled', jobId, ...resolved };
  const {
    code = updateRpc.ErrorCode.INTERNAL,
    message = 'the update service gave no reason',
    details = [],
  } = error ?? {};
  return toOutcome({ code: refusalCodeOf(code) ?? 'internal', message, details, jobId, ...resolved });
}

function readResolved(shown: updateRpc.ResolvedFirmware): ResolvedFirmware {
  const { name, manufacturer, version, slots, model, softwareId, slot, reason, message } = shown;
  const optional = Object.entries({ model, softwareId, slot, reason, message }).filter(([, text]) => text !== '');
  return { name, manufacturer, version, slots: [...slots], ...Object.fromEntries(optional) };
}
