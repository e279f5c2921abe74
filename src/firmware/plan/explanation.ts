import type { Condition } from '../../api/index.ts';
import type { PlannedFirmware, ServerPlan } from './plan.ts';

/** Something that was told of one of the objects of a server. */
export interface ToldEvent {
  /** `Server/rack1-bmc7-system-0`. */
  readonly about: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly lastSeen: string;
}

/** A firmware that is wanted, whether or not it is there. */
export interface WantedFirmware extends Omit<PlannedFirmware, 'relation'> {
  /** `same` when it is installed; `unknown` before the first scan. */
  readonly relation: PlannedFirmware['relation'] | 'unknown';
}

/** The last request about a server, and what became of it. */
export interface ToldRequest {
  readonly kind: string;
  readonly jobID: string;
  readonly time: string;
  /**
   * `reported`: the job ended, and the controller has not judged yet what came of it. `superseded`: other versions are
   * wanted now. `lost`: nobody reported for so long that it is asked for again.
   */
  readonly became: 'under-way' | 'reported' | 'superseded' | 'lost';
}

/** Something to type, and what for. */
export interface Advice {
  readonly command: string;
  readonly purpose: string;
}

/** Why a server is as it is, as `rackwright why -o json` prints it. */
export interface ServerExplanation {
  readonly kind: 'ServerExplanation';
  /** Grows when a member changes its meaning; members may be added without. */
  readonly formatVersion: 1;
  readonly madeAt: string;
  readonly server: {
    readonly name: string;
    /** False when a ServerFirmware is about a Server that is not there. */
    readonly isThere: boolean;
    readonly systemUUID?: string | undefined;
    readonly bmc?: string | undefined;
    /** Where there is no BMC object, and the Server says it itself. */
    readonly bmcAddress?: string | undefined;
    readonly manufacturer?: string | undefined;
    readonly model?: string | undefined;
    readonly state?: string | undefined;
    readonly powerState?: string | undefined;
  };
  readonly serverFirmware?: string | undefined;
  /** The same as `rackwright plan firmware` tells of it. */
  readonly plan: ServerPlan;
  /** Since when the state holds, where that is known. */
  readonly since?: string | undefined;
  /** False when the objects changed since the controllers last looked. */
  readonly isObserved: boolean;
  readonly wanted: readonly WantedFirmware[];
  readonly request?: ToldRequest | undefined;
  /** The job that last reported. */
  readonly lastReport?: string | undefined;
  readonly attempts?:
    | {
        readonly failed: number;
        readonly most: number;
        readonly lastFailureTime?: string | undefined;
        readonly message?: string | undefined;
      }
    | undefined;
  readonly failedScans?:
    | { readonly failed: number; readonly lastFailureTime?: string | undefined; readonly message?: string | undefined }
    | undefined;
  readonly conditions: readonly Condition[];
  /** Oldest first. */
  readonly events: readonly ToldEvent[];
  /** All of it in words. */
  readonly sentences: readonly string[];
  readonly advice: readonly Advice[];
}
