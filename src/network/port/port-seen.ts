import type {
  PortOfSwitch,
  Switch,
  SwitchPort,
  SwitchPortConfiguration,
  SwitchResourceLimit,
} from '../../api/index.ts';
import type { Instant } from '../../kube/index.ts';
import type { PortSettings, PortState, SwitchFailure } from '../../switches/index.ts';
import type { NetworkFault } from '../errors.ts';
import type { PortClaim } from '../fabric/claims.ts';
import type { NetworkSettings } from '../settings.ts';

/** Whether a switch can be told anything. */
export type SwitchStanding =
  | {
      readonly kind: 'ready';
      /** Stands for how it is reached: a change makes failures of before meaningless. */
      readonly access: string;
      /** Stands for the switch itself: what is known of another one says nothing about it. */
      readonly unit: string;
      /** Since when it answers without a break. */
      readonly since: Instant;
      /** The port that it is reached through, where it says so. */
      readonly managementPort?: string | undefined;
    }
  | { readonly kind: 'waiting'; readonly fault: NetworkFault };

/** What a device told about a port, and how long ago. */
export interface PortReading {
  readonly at: Instant;
  readonly state: PortState;
  /** A device said that this may be out of date. */
  readonly isStale?: boolean | undefined;
}

/** Something that did not work, and how often in a row. */
export interface PortFailure {
  readonly at: Instant;
  /** What was asked of the device. */
  readonly call: 'read' | 'apply' | 'clear';
  /** What was to be reached; a failure of another goal does not count. */
  readonly goal: string;
  readonly attempts: number;
  readonly failure: SwitchFailure;
}

/** A call to the device that has not ended. */
export interface PortWorkUnderWay {
  readonly kind: 'read' | 'apply' | 'clear';
  readonly since: Instant;
  /** A device said in the meantime that the port changed. */
  readonly isStale?: boolean | undefined;
}

/** A change that may still be carried out: the call failed late, or the process that made it is gone. */
export interface UnsettledChange {
  /** When waiting for it ended. */
  readonly at: Instant;
  /** What it sets; undefined when that is not known, or when there are several. */
  readonly wanted: PortSettings | undefined;
}

/** What is known of a port besides its object. It is lost with the process, and then read again. */
export interface PortMemory {
  readonly reading?: PortReading | undefined;
  readonly work?: PortWorkUnderWay | undefined;
  readonly failure?: PortFailure | undefined;
  /** Until it has ended, no reading says what the port will be. */
  readonly unsettled?: UnsettledChange | undefined;
  /** What was last set with success: stands in for aspects that a device does not tell. */
  readonly applied?: PortSettings | undefined;
  /** The switch that was read and set. */
  readonly unit?: string | undefined;
}

/** When a change has ended, whatever came of it: a reading begun from then on is evidence. */
export function settledAt({ at }: UnsettledChange, standing: SwitchStanding, settleMs: number): Instant {
  // A switch that was away may have kept what it was sent.
  return Math.max(at, standing.kind === 'ready' ? standing.since : at) + settleMs;
}

/** What the port controller looks at. */
export interface PortSeen {
  readonly port: SwitchPort;
  readonly owner: Switch | undefined;
  readonly entry: PortOfSwitch | undefined;
  readonly claim: PortClaim | undefined;
  /** The configuration that is linked; undefined also when there is none of that name. */
  readonly configuration: SwitchPortConfiguration | undefined;
  /** The limit of the tenant. */
  readonly limit: SwitchResourceLimit | undefined;
  readonly standing: SwitchStanding;
  readonly memory: PortMemory;
  readonly settings: NetworkSettings;
}
