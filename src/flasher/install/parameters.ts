import type { Firmware } from '../plan/firmware.ts';

/** Where a host boots from when it is restarted for an update. */
export type InstallBoot = 'auto' | 'uefi-shell' | 'pxe' | 'as-configured';

/** What was asked for. */
export interface InstallParameters {
  readonly firmwareSetId: string | undefined;
  /** Given, or taken from the set when the condition was made; empty means that the set is read now. */
  readonly firmwares: readonly Firmware[];
  readonly isForced: boolean;
  readonly isDryRun: boolean;
  readonly doesResetBmcFirst: boolean;
  readonly mustHostBeOff: boolean;
  /** Install also what is older than what is installed. */
  readonly mayGoBack: boolean;
  readonly boot: InstallBoot;
  /** How long the system of the host may take to shut down at each restart; undefined: its power is cut at once. */
  readonly gracePeriodMs?: number | undefined;
}
