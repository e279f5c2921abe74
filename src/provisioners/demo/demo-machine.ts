import type { HardwareDetails, Image } from '../../api/index.ts';
import type { FirmwareComponentSeen, FirmwareSettings, FirmwareSettingsSeen, PowerOrder } from '../provisioner.ts';

/** A machine that stands behind a demo host, so that what is done to the host happens to something. */
export interface DemoMachine {
  readHardware(): HardwareDetails;
  /** `changing` while it is on its way from one to the other. */
  readPower(): 'on' | 'off' | 'changing';
  /** Presses its power button; false while it cannot be switched, as in the middle of an update. */
  switchPower(order: Pick<PowerOrder, 'target' | 'mode'>): boolean;
  /** Starts it anew, from the network; false while it cannot be. */
  bootFromNetwork?(): boolean;
  readSettings(): FirmwareSettingsSeen;
  /** Has settings take effect at its next start; says what is wrong with them when it takes none of them. */
  stageSettings(settings: FirmwareSettings): string | undefined;
  /** True while settings wait for its next start. */
  hasStagedSettings(): boolean;
  readComponents(): readonly FirmwareComponentSeen[];
  /** Puts an image onto its disk; undefined takes off what is there. */
  writeDisk(image: Image | undefined): void;
}
