import type { Firmware, ResolvedFirmware } from '../api/index.ts';

/** A server that something is asked for. */
export interface ServerTarget {
  /** Name of the Server object. */
  readonly name: string;
  /** `spec.systemUUID`: the id of the machine. */
  readonly systemUUID: string;
  readonly manufacturer: string | undefined;
  readonly model: string | undefined;
}

/** An entry of spec that differs from what is installed. */
export interface RequestedFirmware extends Firmware {
  /** Slots that the entry means and must not change: another entry decides there. */
  readonly excludedSlots?: string[];
}

/** Asks for firmware to be installed. */
export interface UpdateRequest {
  /** Two requests with one key are one request. */
  readonly key: string;
  readonly server: ServerTarget;
  /**
   * What differs from what is installed, as it was written: whoever takes it knows all spellings of components and makers.
   * The BIOS is the entry `bios` of the server's own manufacturer.
   */
  readonly firmwares: readonly RequestedFirmware[];
  /** Which desired list this is for. */
  readonly desiredHash: string;
}

/** Asks for the installed firmware to be read. */
export interface ScanRequest {
  readonly key: string;
  readonly server: ServerTarget;
}

/** Asks for the firmware that can be had for a model. */
export interface DiscoverRequest {
  readonly key: string;
  /** Name of the DiscoveredFirmware object. */
  readonly name: string;
  readonly manufacturer: string;
  readonly model: string;
  readonly versionsToStore: number;
}

/** Why a job does not begin before somebody lets it: the host is in use. */
export interface JobWait {
  readonly code: string;
  readonly message: string;
}

/** What became of a request. */
export type RequestOutcome =
  /** A job is there; its report wakes the controller. `resolved` names entries that do not apply to all they select. */
  | {
      readonly kind: 'accepted';
      readonly jobId: string;
      readonly waits?: JobWait | undefined;
      readonly resolved?: readonly ResolvedFirmware[] | undefined;
    }
  /** The very same request is under way as this job. */
  | {
      readonly kind: 'already-scheduled';
      readonly jobId: string;
      readonly waits?: JobWait | undefined;
      readonly resolved?: readonly ResolvedFirmware[] | undefined;
    }
  /** An update to other versions is not finished; the job's report wakes the controller. */
  | { readonly kind: 'conflict'; readonly message: string; readonly jobId?: string | undefined }
  /** The queue is full: nothing was kept, ask again later. */
  | { readonly kind: 'resource-exhausted'; readonly message: string; readonly retryAfterMs?: number | undefined }
  /** Nothing of it can be installed; no job was made. `resolved` says of each entry why not. */
  | {
      readonly kind: 'firmware-not-found';
      readonly message: string;
      readonly resolved?: readonly ResolvedFirmware[] | undefined;
    }
  /** It will not be done as it was asked for. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  /** The update service did not answer. */
  | { readonly kind: 'unavailable'; readonly message: string };

/** What became of taking a request back. */
export type WithdrawOutcome = 'withdrawn' | 'too-late' | 'unknown-job';

/** The update service, as the controllers see it. May throw; what is thrown counts as unavailable. */
export interface UpdateServicePort {
  update(request: UpdateRequest, signal: AbortSignal): Promise<RequestOutcome>;
  scan(request: ScanRequest, signal: AbortSignal): Promise<RequestOutcome>;
  discover(request: DiscoverRequest, signal: AbortSignal): Promise<RequestOutcome>;
  /** Takes a request back where that is safe; without it, what was accepted runs to its end. */
  withdraw?(order: { readonly jobId: string; readonly reason: string }, signal: AbortSignal): Promise<WithdrawOutcome>;
}

/** Two versions of one part of a server. */
export interface VersionQuestion {
  /** Who makes the part; the server's manufacturer for its own firmware. */
  readonly manufacturer: string;
  /** `bios`, `bmc`, `nic`, ... */
  readonly component: string;
  readonly wanted: string;
  readonly installed: string;
}

/** How the wanted version stands to the installed one; `different` where the vendor's scheme knows no order. */
export type VersionRelation = 'same' | 'newer' | 'older' | 'different';

/** Compares versions as their vendor writes them. Pure. */
export type CompareVersions = (question: VersionQuestion) => VersionRelation;

/** A BMC to be read. */
export interface BmcTarget {
  /** Name of the BMC object. */
  readonly name: string;
  /** `https://10.0.0.7:443`. */
  readonly origin: string;
  readonly credentials: () => Promise<{ readonly username: string; readonly password: string }>;
  /** Also what takes many requests: interfaces, processors. */
  readonly isFull: boolean;
}

/** One system behind a BMC, as the BMC tells of it. */
export interface SystemReading {
  readonly path: string;
  /** What the machine goes by: its UUID, or one made of the BMC's serial number and the path where that is no use. */
  readonly id: string;
  /** The latter, for when another machine has the same UUID. */
  readonly fallbackId: string | undefined;
  readonly manufacturer: string | undefined;
  readonly model: string | undefined;
  readonly sku: string | undefined;
  readonly serialNumber: string | undefined;
  readonly biosVersion: string | undefined;
  readonly powerState: string | undefined;
  readonly memoryMib: number | undefined;
  readonly interfaces: readonly { readonly name: string; readonly mac: string }[] | undefined;
  readonly processors:
    | readonly { readonly id: string; readonly model?: string | undefined; readonly cores?: number | undefined }[]
    | undefined;
}

/** What a BMC told, or why it did not. */
export type BmcReading =
  | {
      readonly kind: 'read';
      readonly board: {
        readonly manufacturer: string | undefined;
        readonly model: string | undefined;
        readonly sku: string | undefined;
        readonly serialNumber: string | undefined;
        readonly firmwareVersion: string | undefined;
        readonly powerState: string | undefined;
      };
      readonly systems: readonly SystemReading[];
      /** What could not be read, in words. */
      readonly gaps: readonly string[];
    }
  | {
      readonly kind: 'failed';
      /** A word in CamelCase. */
      readonly code: string;
      readonly message: string;
      /** Nothing is to be asked of the BMC before. */
      readonly until: number | undefined;
    };

/** Reads BMCs; never throws. */
export type ReadBmc = (target: BmcTarget, signal: AbortSignal) => Promise<BmcReading>;

/** What one small request tells of a system. */
export interface PowerReading {
  readonly path: string;
  readonly powerState: string | undefined;
  readonly biosVersion: string | undefined;
}

/** Reads the power of systems behind a BMC, one request each; those that do not answer are missing. Never throws. */
export type ReadPower = (
  target: Omit<BmcTarget, 'isFull'>,
  paths: readonly string[],
  signal: AbortSignal,
) => Promise<readonly PowerReading[]>;

/** A server as the inventory is told of it. */
export interface MirroredServer {
  /** The machine's id. */
  readonly id: string;
  /** Name of the Server object. */
  readonly name: string;
  readonly manufacturer: string;
  readonly model: string;
  readonly serialNumber: string;
  /** What all systems behind one BMC share. */
  readonly bmcId: string;
  /** With the path of the system. */
  readonly bmcAddress: string;
  readonly macs: readonly string[];
  readonly credentials: { readonly username: string; readonly password: string } | undefined;
}

/** What became of telling the inventory of a server. */
export type MirrorOutcome =
  | { readonly kind: 'ok' }
  /** Another machine has one of its names. */
  | { readonly kind: 'duplicate'; readonly message: string };

/** A server that the inventory was told of. */
export interface ToldServer {
  readonly id: string;
  /** Name of the Server object. */
  readonly name: string;
  /** Ids of other records of the same machine, by what its BMC says of itself. */
  readonly duplicates?: readonly string[] | undefined;
}

/** The inventory, as onboarding sees it: it is told of servers, and asked only of which. */
export interface InventoryMirror {
  put(server: MirroredServer, signal: AbortSignal): Promise<MirrorOutcome>;
  /** The Server object is gone. What the inventory was told by somebody else stays. Throws while work on it goes on. */
  remove(id: string, name: string): Promise<void>;
  /** Servers that are there because they were put here, for taking away those whose object went unseen. */
  told?(signal: AbortSignal): Promise<readonly ToldServer[]>;
  /** Other records of the same machines, by id; those that have none are missing. */
  duplicatesOf?(ids: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Calls with the id of a server whenever there is news of work on it: that is when its BMC says who it is. */
  onWork?(listener: (id: string) => void): () => void;
}
