import type { JsonObject } from './condition.ts';

/**
 * How work shares a device. `exclusive`: alone. `shared`: beside other shared work, never beside exclusive work, since
 * its requests could disturb it. `passive`: beside anything, since it does not touch the device.
 */
export type Sharing = 'exclusive' | 'shared' | 'passive';

/** A kind of condition. */
export interface KindDefinition {
  /** `firmwareInstall`; matched without regard to case. */
  readonly kind: string;
  readonly sharing: Sharing;
  /** True for work that can take a host away from who uses it: it waits while the machine is in use. */
  readonly isDisruptive: boolean;
  /** True for parameters with which it disturbs nobody, such as those of a dry run: then it does not wait for that. */
  isHarmless?(parameters: JsonObject): boolean;
  /** Reasons why the parameters cannot be used; empty when they can. Also gives defaults. */
  check(parameters: JsonObject): { readonly parameters: JsonObject; readonly problems: readonly string[] };
  /** How long a lease lasts without progress. */
  readonly leaseMs: number;
  /** The longest a request of this work to a device can take: a new holder waits that long after the lease ended. */
  readonly requestDeadlineMs: number;
  /** How long all of it may take from creation; none unless given. */
  readonly deadlineMs?: number;
  /**
   * How many leases may end without an end of the work (run out, or given back for a failure) before it fails as
   * unrunnable. What a stopping worker gives back does not count.
   */
  readonly maxLeases: number;
  /**
   * True where new work with equal parameters goes on from the progress of the last that was given up in the middle of what
   * must not be cut off (too many leases ended, its deadline passed): the device may still be at it, and what was sent to it
   * is known there only. Beginning anew would be blind. False unless given.
   */
  readonly isCarriedOn?: boolean;
  /**
   * The kind that reads the machine again once this has ended, whatever ended it. Until that has succeeded, what is known of
   * the machine is shown as outdated. It is read with `parameters`, as they would be ordered; a reading that was asked for
   * otherwise is as good where it has those. With `isDone`, work whose own status says that it has read the machine needs no reading.
   * With `settlesAt`, a status says until when the device may go on writing: it is read once more after that.
   */
  readonly reread?: {
    readonly kind: string;
    readonly parameters?: JsonObject;
    isDone?(status: JsonObject): boolean;
    settlesAt?(status: JsonObject): number | undefined;
  };
  /** How many of this kind may be active at once and wait, beside the limits of all; none unless given, nor with 0. */
  readonly limits?: { readonly active?: number; readonly pending?: number };
}
