import { type Firmware, jobWaitReasons, type ResolvedFirmware } from '../../api/index.ts';
import type { Refusal } from '../refusal.ts';

/** A server that something is asked for. */
export interface ServerTarget {
  /** Name of the Server object. */
  readonly name: string;
  /** The id of the machine. */
  readonly systemUUID: string;
}

/** What the controllers ask for; see their port for the words. */
export interface UpdateAsked {
  readonly server: ServerTarget;
  readonly firmwares: readonly (Firmware & { readonly excludedSlots?: string[] })[];
}

/** The same for a scan. */
export interface ScanAsked {
  readonly server: ServerTarget;
}

/** The same for a discovery. */
export interface DiscoverAsked {
  readonly name: string;
  readonly manufacturer: string;
  readonly model: string;
  readonly versionsToStore: number;
}

/** Why a job does not begin before somebody lets it. */
export interface JobWait {
  readonly code: string;
  readonly message: string;
}

/** What keeps a job waiting, where its ServerFirmware tells of it: all else is only a job's turn. */
export function waitOf(reason: JobWait | undefined): { readonly waits?: JobWait } {
  if (reason === undefined || !jobWaitReasons.includes(reason.code)) return {};
  return { waits: { code: reason.code, message: reason.message } };
}

/** What became of a request, in the words of the controllers. */
export type RequestOutcome =
  | {
      readonly kind: 'accepted';
      readonly jobId: string;
      readonly waits?: JobWait;
      readonly resolved?: readonly ResolvedFirmware[];
    }
  | {
      readonly kind: 'already-scheduled';
      readonly jobId: string;
      readonly waits?: JobWait;
      readonly resolved?: readonly ResolvedFirmware[];
    }
  | { readonly kind: 'conflict'; readonly message: string; readonly jobId?: string | undefined }
  | { readonly kind: 'resource-exhausted'; readonly message: string; readonly retryAfterMs?: number | undefined }
  | {
      readonly kind: 'firmware-not-found';
      readonly message: string;
      readonly resolved?: readonly ResolvedFirmware[];
    }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  | { readonly kind: 'unavailable'; readonly message: string };

/** What became of taking a request back. */
export type WithdrawOutcome = 'withdrawn' | 'too-late' | 'unknown-job';

/** The update service as the firmware controllers use it: their `UpdateServicePort`. */
export interface UpdateClient {
  update(request: UpdateAsked, signal: AbortSignal): Promise<RequestOutcome>;
  scan(request: ScanAsked, signal: AbortSignal): Promise<RequestOutcome>;
  discover(request: DiscoverAsked, signal: AbortSignal): Promise<RequestOutcome>;
  withdraw(order: { readonly jobId: string; readonly reason: string }, signal: AbortSignal): Promise<WithdrawOutcome>;
}

/** A refusal in the words of the controllers. */
export function toOutcome({ code, message, jobId, resolved }: Refusal): RequestOutcome {
  switch (code) {
    case 'conflict':
      return { kind: 'conflict', message, ...(jobId === undefined || jobId === '' ? {} : { jobId }) };
    case 'resourceExhausted':
      return { kind: 'resource-exhausted', message };
    case 'firmwareNotFound':
      return { kind: 'firmware-not-found', message, ...(resolved === undefined ? {} : { resolved }) };
    case 'unavailable':
    case 'internal':
      return { kind: 'unavailable', message };
    default:
      return { kind: 'refused', code: `${code.charAt(0).toUpperCase()}${code.slice(1)}`, message };
  }
}
