import type { ImageFault } from '../images/check-image.ts';
import type { ImageHeader } from '../images/image-header.ts';
import type { FirmwareSlot } from './firmware.ts';

/** When an update takes effect, in Redfish's words. */
export type ApplyTime =
  | 'Immediate'
  | 'OnReset'
  | 'OnStartUpdateRequest'
  | 'AtMaintenanceWindowStart'
  | 'InMaintenanceWindowOnReset'
  | 'OnTargetReset';

/** Where an update stands. */
export type UpdatePhase =
  | 'uploaded'
  | 'downloading'
  | 'verifying'
  | 'scheduled'
  | 'flashing'
  | 'activating'
  | 'done'
  | 'failed';

/** Why an update failed or was refused; the personality says it in the vendor's words. */
export type UpdateFault =
  | ImageFault
  | 'wrong-target'
  | 'download-failed'
  | 'busy'
  | 'host-must-be-off'
  | 'unsupported-apply-time'
  | 'missing-member'
  | 'flash-failed';

/** An update that was not accepted. */
export interface UpdateRefusal {
  readonly fault: UpdateFault;
  readonly detail: string;
}

/** An update in its course. */
export interface Update {
  readonly id: string;
  /** The task to follow now; changes only where the start of an uploaded image makes a task of its own. */
  readonly taskId: string;
  readonly via: 'multipart' | 'push' | 'pull';
  readonly applyTime: ApplyTime;
  /** Known once the image is here; a pull has to download it first. */
  header?: ImageHeader;
  /** The slots it writes; empty until the header is known. */
  slots: readonly FirmwareSlot[];
  phase: UpdatePhase;
  /** What a waiting update waits for: a reset, its turn to flash, or UpdateService.StartUpdate. */
  waitsFor?: 'reset' | 'turn' | 'start';
  fault?: UpdateFault;
}

/** A request to update from a file that was pushed or from an address to pull from. */
export interface UpdateRequest {
  readonly via: Update['via'];
  readonly applyTime?: string;
  readonly targets: readonly string[];
  readonly file?: { readonly head: Uint8Array; readonly sizeBytes: number; readonly sha256: string };
  readonly imageUri?: string;
  readonly credentials?: { readonly username: string; readonly password: string };
}

/** The updates of one BMC: at most one flashes at a time. */
export interface Updates {
  readonly all: readonly Update[];
  /** Checks and begins; the returned update goes on by itself in simulated time. */
  begin(request: UpdateRequest): Update | UpdateRefusal;
  /** Starts updates that wait for UpdateService.StartUpdate. */
  startUploaded(): number;
  /** Throws queued updates away (vendor job queues); a flash in its course is not stopped. */
  clearQueue(options: { readonly isForced: boolean }): number;
}
