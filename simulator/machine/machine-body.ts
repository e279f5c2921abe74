import type { ImageDownloader } from '../images/download-image.ts';
import type { ImageDigests } from '../images/image-digests.ts';
import type { AccountTable } from './account-table.ts';
import type { BiosSetup } from './bios-setup.ts';
import type { BmcUnit } from './bmc-unit.ts';
import type { BootOverride } from './boot-override.ts';
import type { EventSource } from './event-source.ts';
import type { HostUnit } from './host-unit.ts';
import type { Machine } from './machine.ts';
import type { MediaSlots } from './media-slots.ts';
import type { SessionTable } from './session-table.ts';
import type { TaskList } from './task-list.ts';
import type { UpdateLine } from './update-line.ts';

/** A machine as its own parts see it: with what they do to each other. */
export interface MachineBody extends Machine {
  readonly accounts: AccountTable;
  readonly power: HostUnit;
  readonly boot: BootOverride;
  readonly bios: BiosSetup;
  readonly sessions: SessionTable;
  readonly tasks: TaskList;
  readonly updates: UpdateLine;
  readonly manager: BmcUnit;
  readonly media: MediaSlots;
  readonly events: EventSource;
  readonly images: ImageDigests;
  readonly download: ImageDownloader;
  readonly seed: number;
  /** A duration, changed either way by the machine's own seed: by up to a tenth unless its options say otherwise. */
  vary(durationMs: number): number;
}
