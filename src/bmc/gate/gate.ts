import type { Readable } from 'node:stream';
import type { JsonObject } from '../json.ts';

/** How the BMC's certificate is checked. Nothing is skipped unless said. */
export type TlsTrust = (
  | { readonly kind: 'system' }
  | { readonly kind: 'ca'; readonly caPem: string }
  /** SHA-256 of the certificate, hex with or without colons. */
  | { readonly kind: 'fingerprint'; readonly sha256: string }
  | { readonly kind: 'insecure' }
) & {
  /** A BMC at an http address is spoken to as well, though whoever is on the way can read its password. */
  readonly allowsHttp?: boolean;
};

/** A log-in name and password. Asked for anew at each log-in, so that a rotated one is picked up. */
export type CredentialSource = () => Promise<{ readonly username: string; readonly password: string }>;

/** A BMC to talk to. */
export interface BmcEndpoint {
  /** `https://10.0.0.7`, `https://[fe80::1]:8443`; see parseBmcAddress for Metal3's forms. */
  readonly origin: string;
  readonly credentials: CredentialSource;
  readonly trust: TlsTrust;
  /**
   * The UUID that its service root is known by. Where no certificate is checked, it has to be that one before a password
   * is sent; a BMC that hides its root, or has none in it, cannot prove itself so.
   */
  readonly serviceUuid?: string | undefined;
  /** `session` falls back on Basic where the BMC has no sessions; `basic` never logs in. `session` unless given. */
  readonly authentication?: 'session' | 'basic';
}

/** Why a lease is looked at. */
export type LeasePurpose = 'log-in' | 'disruptive';

/**
 * Asked immediately before a log-in or a disruptive request: resolves when the caller still holds its lease, throws
 * BmcError `leaseLost` when not. The request is not sent then.
 */
export type LeaseCheck = (purpose: LeasePurpose, origin: string, about: LeaseRequest) => Promise<void>;

/** The request that a lease is looked at for. */
export interface LeaseRequest {
  /** How long a new holder has to wait for it if its sender dies; 0 where it changes nothing. */
  readonly fenceMs: number;
}

/** A body that is streamed: its length is always said, and `open` may be called again for a retry of a safe request. */
export interface StreamBody {
  readonly contentType: string;
  readonly lengthBytes: number;
  open(): Readable;
}

/** One request to a BMC. */
export interface GateRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Path and query on the BMC; an absolute URL of the same origin works too, one of another origin is refused. */
  readonly path: string;
  readonly body?: JsonObject | StreamBody;
  readonly headers?: Readonly<Record<string, string>>;
  /** True for what changes the machine: reset, update, BIOS settings. The lease is checked immediately before. */
  readonly isDisruptive?: boolean;
  /** No log-in for it: the service root. */
  readonly isPublic?: boolean;
  /**
   * How long one try may take, waiting for the gate not counted; 30 s unless given. An upload gets as long as it makes
   * progress within that time.
   */
  readonly deadlineMs?: number;
  /**
   * How long whoever holds the lease next has to wait for a disruptive request if its sender dies; `deadlineMs` unless
   * given. Less where the next holder finds out by itself what the request began.
   */
  readonly fenceMs?: number;
  /** Statuses that are answers to the caller and not errors, besides 2xx: `[404]` for a task monitor. */
  readonly accept?: readonly number[];
  readonly signal?: AbortSignal;
  /** Only this many tries; the rules by method decide unless given. */
  readonly maxTries?: number;
}

/** What a BMC answered. */
export interface GateReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The JSON body; an empty object where there was none. */
  readonly body: JsonObject;
  /** As sent, less the suffixes that compression adds. */
  readonly etag: string | undefined;
}

/** What the gate knows of its BMC, for status and console. */
export interface GateState {
  readonly origin: string;
  /** `open`: requests pass. `paused`: it backs off until `until`. `stopped`: credentials were refused. */
  readonly mode: 'open' | 'paused' | 'stopped';
  readonly reason: string;
  readonly until: number | undefined;
  readonly hasSession: boolean;
  /** Least time between two requests, as it adapted. */
  readonly spacingMs: number;
  readonly waiting: number;
  readonly requests: number;
}

/** The one way to a BMC in this process. Requests wait in turn; one is in flight at a time unless set otherwise. */
export interface Gate {
  readonly origin: string;
  /** Sends it when its turn comes; logs in as needed; retries by the rules of the method. Throws BmcError. */
  request(request: GateRequest): Promise<GateReply>;
  /** Opens a stream of server-sent events; it does not count as the request in flight. Ends with the signal. */
  openEventStream(path: string, signal: AbortSignal, headers?: GateRequest['headers']): Promise<Readable>;
  /**
   * The BMC is about to go away (reset, BMC flash): until the returned function is called, refused connections, 401
   * and 503 are waited out, log-ins are spaced so that no account is locked, and the breaker counts them apart.
   */
  expectOutage(): () => void;
  /** The Redfish session in use, to be recorded with a lease. */
  readonly sessionUri: string | undefined;
  /** Logs out and forgets the session. */
  logOut(): Promise<void>;
  readonly state: GateState;
}

/** A caller's view of a gate: the same gate, with the caller's lease and the lane it waits in. */
export interface GateLane extends Gate {
  readonly endpoint: BmcEndpoint;
}

/** All gates of this process. There is at most one per BMC. */
export interface Gates {
  /** The gate of a BMC with this caller's lease check; two callers of one BMC share gate and breaker, and with the same credentials the session. */
  open(endpoint: BmcEndpoint, caller?: { readonly checkLease?: LeaseCheck }): GateLane;
  /** What each gate knows. */
  readonly states: readonly GateState[];
  /** Logs out everywhere and closes all connections. */
  close(): Promise<void>;
}
