import type { JsonObject } from './json.ts';

/** What an UpdateService offers, with everything that a request has to know. */
export interface UpdateOffer {
  readonly path: string;
  /** False only where the BMC says so. */
  readonly isEnabled: boolean;
  readonly multipart: { readonly uri: string; readonly applyTimes: readonly string[] } | undefined;
  readonly push: PushOffer | undefined;
  readonly pull: PullOffer | undefined;
  /** Action that starts what was uploaded with OnStartUpdateRequest. */
  readonly startUpdate: string | undefined;
  /** Every applying time named anywhere. */
  readonly applyTimes: readonly string[];
  readonly maxImageSizeBytes: number | undefined;
  readonly firmwareInventory: string | undefined;
  readonly body: JsonObject;
}

/** A raw push, and what can be set for it beforehand. */
export interface PushOffer {
  readonly uri: string;
  /** Applying times that can be set; empty where none can. */
  readonly applyTimes: readonly string[];
  /** The one that is set now. */
  readonly applyTime: string | undefined;
  readonly canNameTargets: boolean;
  /** Whether somebody has claimed the push; undefined where the BMC knows no claims. */
  readonly isBusy: boolean | undefined;
}

/** SimpleUpdate. */
export interface PullOffer {
  readonly target: string;
  /** Undefined where the BMC does not say. */
  readonly protocols: readonly string[] | undefined;
  readonly isProtocolRequired: boolean;
  /** Names of all members that may be sent; undefined where the BMC does not say. */
  readonly members: readonly string[] | undefined;
  readonly targets: readonly string[] | undefined;
  readonly applyTimes: readonly string[];
}
