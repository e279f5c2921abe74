import type { HostIdentity } from '../provisioners/index.ts';

/** What is done to a machine from outside the engine. */
export type ExternalWorkKind = 'inspect' | 'clean' | 'provision' | 'deprovision' | 'service' | 'power';

/** Whether a machine is ours to work on. */
export type Hold =
  | { readonly kind: 'held' }
  /** Somebody else works on it; ask again after this long. */
  | { readonly kind: 'refused'; readonly message: string; readonly afterMs: number };

/** Which host something is held for. */
export type HostName = Pick<HostIdentity, 'namespace' | 'name'>;

/** Keeps two from working on one machine: held before a provisioner is told to work on it, released when it has ended. */
export interface ExternalWork {
  /** Holding what is held already is fine. */
  hold(host: HostIdentity, what: ExternalWorkKind): Promise<Hold>;
  /** Releasing what is not held is fine. */
  release(host: HostIdentity): Promise<void>;
  /** Releases all that is held for a host of which only the name is left. */
  releaseOwner(host: HostName): Promise<void>;
  /** Every host for which something is held. */
  owners(): Promise<readonly HostName[]>;
}

/** Something that a host has to do so that others can work on its machine, or the provisioner again. */
export interface HostTurn {
  readonly host: HostName;
  /** `make-way`: the provisioner is to leave the machine alone. `take-back`: others have ended. */
  readonly kind: 'make-way' | 'take-back';
}

/** Which machines are hosts, for others who want to work on them. */
export interface MachineClaims {
  /** Says which machine a host is, and the state in which it is in use, if it is: then others do not disturb it. */
  claim(host: HostIdentity, claim: { readonly use: string | undefined }): Promise<void>;
  /** Every host that claims a machine. */
  owners(): Promise<readonly HostName[]>;
  /** There is no such host any more. */
  unclaim(host: HostName): Promise<void>;
  /** What hosts have to do now; told again until it is done. */
  turns(): Promise<readonly HostTurn[]>;
  done(turn: HostTurn): Promise<void>;
  /** Whether the machine of a host is the provisioner's just now. */
  isOurs(host: HostName): Promise<boolean>;
  /** Every host that has made way and waits. */
  waiting(): Promise<readonly HostName[]>;
  /** Calls back when there may be turns. */
  onChange(listener: () => void): () => void;
}

/** Work outside, watched for as long as somebody leads. */
export interface OpenExternalWork extends ExternalWork {
  readonly claims: MachineClaims;
  /** Nothing is held anew from then on; what is held stays, since the work goes on. */
  close(): Promise<void>;
}

/** For where nobody else works on machines. */
export const nobodyElse: OpenExternalWork = {
  hold: async () => ({ kind: 'held' }),
  release: async () => {},
  releaseOwner: async () => {},
  owners: async () => [],
  claims: {
    claim: async () => {},
    owners: async () => [],
    unclaim: async () => {},
    turns: async () => [],
    done: async () => {},
    isOurs: async () => true,
    waiting: async () => [],
    onChange: () => () => {},
  },
  close: async () => {},
};
