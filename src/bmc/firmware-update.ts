import type { BmcErrorCode } from './errors.ts';
import type { JsonObject } from './json.ts';

/** An image on this machine's disk. */
export interface ImageFile {
  readonly path: string;
  readonly digest: { readonly algorithm: 'sha256' | 'sha512' | 'md5'; readonly hex: string };
}

/** What to install, and how. */
export interface InstallOrder {
  readonly image: ImageFile | { readonly uri: string; readonly username?: string; readonly password?: string };
  /** `@odata.id`s of what shall be written; empty lets the BMC find out. */
  readonly targets: readonly string[];
  readonly component: string;
  /** When it takes effect; the vendor's best for the component unless given. */
  readonly applyTime?: 'Immediate' | 'OnReset' | 'OnStartUpdateRequest';
  /** The way; the best that the BMC offers unless given. */
  readonly via?: 'multipart' | 'push' | 'pull';
  readonly isForced?: boolean;
  /** Where the same image can be fetched from, for BMCs that only pull. A URI without credentials in it. */
  readonly served?: { readonly uri: string; readonly username?: string; readonly password?: string };
  /** The version in the image where it is known: findStartedUpdate can tell more then. */
  readonly version?: string;
  /** Members for the vendor's Oem part of the request, over those that are sent by themselves. */
  readonly oem?: JsonObject;
}

/** An update that the BMC took. Plain data: it is stored before anything else is done, and can be followed after a crash. */
export interface StartedUpdate {
  readonly via: 'multipart' | 'push' | 'pull';
  /** The task to poll; undefined where the BMC gave none, then only the version can tell. */
  readonly taskUri: string | undefined;
  /** The vendor's own job (Dell JID), which outlives the task. */
  readonly jobUri: string | undefined;
  readonly startedAt: number;
  /** The task's monitor, asked where the task itself is not found. */
  readonly monitorUri?: string;
  /** As ordered; a BMC update is followed with more patience. */
  readonly component?: string;
  /** As sent; undefined where the BMC was left to choose. */
  readonly applyTime?: string;
  /** The image is only uploaded: the update begins when this action is posted, see continueInstall. */
  readonly startTarget?: string;
  /** Tasks that were there once the image was uploaded: an update task besides them is this one, already begun. */
  readonly earlierTasks?: readonly string[];
  /** The BMC may have taken it and forgotten: if the version does not come in the end, it was not taken. */
  readonly isAssumed?: true;
  /** What went wrong besides, without harm to the update. */
  readonly warnings?: readonly string[];
}

/** Where a started update stands. */
export type UpdateProgress =
  | {
      readonly kind: 'running';
      readonly percent: number | undefined;
      readonly message: string;
      /** The BMC has not begun with it; host firmware that stays so waits for the host without saying it. */
      readonly isQueued?: boolean;
    }
  /** Staged: goes on when the host is reset; where the task is over it says so even after the reset. */
  | { readonly kind: 'waits-for-host-reset'; readonly message: string; readonly isTaskOver?: boolean }
  /** Staged: goes on when the BMC is reset. */
  | { readonly kind: 'waits-for-bmc-reset'; readonly message: string; readonly isTaskOver?: boolean }
  | { readonly kind: 'suspended'; readonly message: string }
  /** Uploaded and checked: goes on when continueInstall is called. */
  | { readonly kind: 'waits-for-start'; readonly message: string }
  /** The BMC says it is over; the version must still be verified. */
  | { readonly kind: 'completed'; readonly hasWarning: boolean; readonly message: string }
  /** The task is not there any more: only the version can tell. */
  | { readonly kind: 'gone'; readonly message: string }
  /** The BMC cannot be asked now (it restarts, or answers 401 while it updates). */
  | { readonly kind: 'unreachable'; readonly code: BmcErrorCode; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string; readonly messageIds: readonly string[] };
