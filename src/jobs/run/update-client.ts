import { create } from '@bufbuild/protobuf';
import { durationFromMs, timestampFromMs } from '@bufbuild/protobuf/wkt';
import { type Client, Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { updateRpc } from '../../api/index.ts';
import type { CheckOptions } from '../../engine/index.ts';
import type { InstalledPart } from '../../parts/index.ts';
import { traceparentHere } from '../../telemetry/index.ts';
import type { AvailableFirmware } from '../discovery/discover-firmware.ts';
import { JobError } from '../errors.ts';
import type { JobFile } from '../job-file.ts';

/** An answer that says that the job has no right to go on: another has its lease, or nobody knows it any more. */
export interface Lost {
  readonly lost: string;
}

/** How a job tells how far it is. */
export interface Progress {
  readonly percent: number;
  readonly message: string;
  readonly progressJson?: string | undefined;
  readonly statusJson?: string | undefined;
  readonly sessionUri?: string | undefined;
  readonly isCancelUnsafe?: boolean | undefined;
  /** What the BMC says of itself. */
  readonly bmcJson?: string | undefined;
}

/** How a job failed. */
export interface JobFailure {
  readonly reason: string;
  readonly message: string;
  readonly isTransient: boolean;
}

/** What an update or scan job found installed. */
export interface ServerResult {
  readonly server: string;
  readonly firmwares: readonly InstalledPart[];
  readonly inventoryJson: string;
  readonly observedAt: number;
}

/** What a discovery job found. */
export interface DiscoveryResult {
  readonly name: string;
  readonly firmwares: readonly AvailableFirmware[];
  readonly images: readonly {
    readonly component: string;
    readonly manufacturer: string;
    readonly version: string;
    readonly models: readonly string[];
    readonly fileName: string;
    readonly url: string;
    readonly checksum: string;
    readonly sizeBytes?: number | undefined;
    readonly softwareIds?: readonly string[] | undefined;
  }[];
  /** How many of the images are not in the store. */
  readonly imagesNotKept?: number | undefined;
  readonly observedAt: number;
}

/** The client inside a job. Its calls throw JobErrors: `unreachable` may go better later, `refused` will not. */
export interface JobClient {
  takeJob(by: {
    readonly address: string;
    readonly taker: string;
    readonly isFencedByHeartbeats: boolean;
  }): Promise<updateRpc.TakeJobResponse | Lost>;
  heartbeat(): Promise<Lost | undefined>;
  /** Makes sure that the lease is held; what follows may reach the device for `requestMs`. */
  checkLease(options: CheckOptions): Promise<Lost | undefined>;
  reportProgress(progress: Progress): Promise<{ readonly isCancelAsked: boolean } | Lost>;
  failJob(failure: JobFailure): Promise<Lost | undefined>;
  /** Waits a while for one of the slots that limit uploads. */
  acquireUploadSlot(signal: AbortSignal): Promise<{ readonly isGranted: boolean } | Lost>;
  releaseUploadSlot(): Promise<Lost | undefined>;
  updateServer(result: ServerResult): Promise<Lost | undefined>;
  updateDiscoveredFirmware(result: DiscoveryResult): Promise<Lost | undefined>;
}

/** What a client is made of. */
export interface JobClientOptions {
  readonly file: Pick<JobFile, 'jobId' | 'token' | 'updateService' | 'traces'>;
  /** Of HTTP unless given. */
  readonly transport?: Transport;
  /** How long one call may take; 30 s unless given. */
  readonly timeoutMs?: number;
}

/** One that takes longer is sent again: the engine has to hear of the job in time. */
const heartbeatTimeoutMs = 5000;

/** Makes the client by which a job reports. */
export function createJobClient({ file, transport, timeoutMs = 30_000 }: JobClientOptions): JobClient {
  const { url } = file.updateService;
  const rpc: Client<typeof updateRpc.UpdateService> = createClient(
    updateRpc.UpdateService,
    transport ?? httpTransport(file),
  );
  const proof = { jobId: file.jobId, token: file.token };
  /** What is told beside the work itself, of its lease too, is part of the trace that the job came with. */
  const options = () => {
    const traceparent = traceparentHere() ?? file.traces?.parent;
    return { timeoutMs, ...(traceparent === undefined ? {} : { headers: { traceparent } }) };
  };
  const ask = async <T extends Answer>(what: string, call: () => Promise<T>): Promise<T | Lost> => {
    try {
      return judge(what, await call(), url);
    } catch (error) {
      return explain(error, what, url);
    }
  };
  const tell = async (what: string, call: () => Promise<Answer>): Promise<Lost | undefined> => {
    const answer = await ask(what, call);
    return 'lost' in answer ? answer : undefined;
  };
  return {
    takeJob: (by) => ask('TakeJob', () => rpc.takeJob({ proof, ...by }, options())),
    reportProgress: ({ isCancelUnsafe, progressJson = '', statusJson = '', sessionUri = '', bmcJson = '', ...said }) =>
      ask('ReportProgress', () =>
        rpc.reportProgress(
          {
            proof,
            progressJson,
            statusJson,
            sessionUri,
            bmcJson,
            ...said,
            ...(isCancelUnsafe === undefined ? {} : { isCancelUnsafe }),
          },
          options(),
        ),
      ),
    heartbeat: () => tell('Heartbeat', () => rpc.heartbeat({ proof }, { ...options(), timeoutMs: heartbeatTimeoutMs })),
    checkLease: ({ requestMs }) =>
      tell('CheckLease', () =>
        rpc.checkLease(
          { proof, ...(requestMs === undefined ? {} : { request: durationFromMs(requestMs) }) },
          options(),
        ),
      ),
    failJob: (failure) => tell('FailJob', () => rpc.failJob({ proof, ...failure }, options())),
    acquireUploadSlot: (signal) =>
      ask('AcquireUploadSlot', () => rpc.acquireUploadSlot({ proof }, { ...options(), signal })),
    releaseUploadSlot: () => tell('ReleaseUploadSlot', () => rpc.releaseUploadSlot({ proof }, options())),
    updateServer: ({ server, firmwares, inventoryJson, observedAt }) =>
      tell('UpdateServer', () =>
        rpc.updateServer(
          {
            proof,
            server: { name: server },
            firmwares: firmwares.map((one) => create(updateRpc.FirmwareVersionSchema, one)),
            inventoryJson,
            observedAt: timestampFromMs(observedAt),
          },
          options(),
        ),
      ),
    updateDiscoveredFirmware: ({ name, firmwares, images, imagesNotKept = 0, observedAt }) =>
      tell('UpdateDiscoveredFirmware', () =>
        rpc.updateDiscoveredFirmware(
          {
            proof,
            discoveredFirmware: { name },
            firmwares: firmwares.map(({ name, manufacturer, model = '', softwareIds = [], versions }) => ({
              ...{ name, manufacturer, model },
              softwareIds: [...softwareIds],
              versions: [...versions],
            })),
            images: images.map(({ sizeBytes, softwareIds, models, ...one }) => ({
              ...one,
              models: [...models],
              sizeBytes: BigInt(sizeBytes ?? 0),
              softwareIds: [...(softwareIds ?? [])],
            })),
            imagesNotKept,
            observedAt: timestampFromMs(observedAt),
          },
          options(),
        ),
      ),
  };
}

function httpTransport({ updateService }: Pick<JobFile, 'updateService'>): Transport {
  const { url: baseUrl, caPem, http = '2' } = updateService;
  const nodeOptions = caPem === undefined ? {} : { ca: caPem };
  return createConnectTransport({ baseUrl, httpVersion: http, nodeOptions });
}

interface Answer {
  readonly status: updateRpc.RequestStatus;
  readonly error?: updateRpc.RequestError | undefined;
}

const lostCodes: readonly updateRpc.ErrorCode[] = [
  updateRpc.ErrorCode.LEASE_LOST,
  updateRpc.ErrorCode.JOB_NOT_FOUND,
  updateRpc.ErrorCode.UNAUTHENTICATED,
  updateRpc.ErrorCode.PERMISSION_DENIED,
];
const passingCodes: readonly updateRpc.ErrorCode[] = [
  updateRpc.ErrorCode.UNAVAILABLE,
  updateRpc.ErrorCode.INTERNAL,
  updateRpc.ErrorCode.RESOURCE_EXHAUSTED,
];

function judge<T extends Answer>(what: string, answer: T, url: string): T | Lost {
  const { error } = answer;
  if (answer.status !== updateRpc.RequestStatus.REFUSED && error === undefined) return answer;
  const code = error?.code ?? updateRpc.ErrorCode.UNSPECIFIED;
  const detail = [error?.message ?? 'it does not say why', ...(error?.details ?? [])].join('; ');
  if (lostCodes.includes(code)) return { lost: detail };
  if (passingCodes.includes(code)) throw new JobError('unreachable', { what, url, detail });
  throw new JobError('refused', { what, detail });
}

const refusals: readonly Code[] = [Code.InvalidArgument, Code.NotFound, Code.Unimplemented, Code.OutOfRange];

/** Errors of the way there: nothing was answered, so that most may go better later. */
function explain(error: unknown, what: string, url: string): Lost {
  if (error instanceof JobError) throw error;
  const { code, rawMessage } = ConnectError.from(error);
  if (code === Code.Unauthenticated || code === Code.PermissionDenied) return { lost: rawMessage };
  if (refusals.includes(code)) throw new JobError('refused', { what, detail: rawMessage }, { cause: error });
  throw new JobError('unreachable', { what, url, detail: rawMessage }, { cause: error });
}
