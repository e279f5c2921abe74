import type { ComponentType } from '../images/component-type.ts';
import type { Personality } from '../personalities/personality.ts';
import type { FirmwareSlot } from './firmware.ts';
import type { Machine } from './machine.ts';
import type { ApplyTime, UpdateFault } from './updates.ts';

/** How a vendor's BMC treats updates, where vendors differ. */
export interface UpdateRules {
  /** A second update while one downloads, is verified or flashes: refused as busy, or accepted and done later. */
  readonly concurrency: 'refuse' | 'queue';
  /** When the request does not say; otherwise `Immediate` where that is offered, or the first that is. */
  readonly defaultApplyTime?: ApplyTime;
  /** What a pushed image is refused for at once; other faults let its task fail after verification. */
  readonly refusesAtOnce: readonly UpdateFault[];
  /** Components that are written while the host is in POST, whatever the apply time: the update waits for a host reset. */
  readonly flashesAtPost: readonly ComponentType[];
  /** BIOS images are written at once, the task completes, and the version becomes active at the next POST (HPE). */
  readonly stagesBios: boolean;
  /** A BIOS image is refused unless the host is off; one that is switched on while it is written spoils it (OpenBMC). */
  readonly biosNeedsHostOff: boolean;
  /** After its flash the BMC goes on with the old version until it is reset by request (Lenovo). */
  readonly bmcNeedsReset: boolean;
  /** An `Immediate` update of what flashes at POST restarts a host that is on. */
  readonly doesImmediateReboot: boolean;
  /** With `OnStartUpdateRequest` the first task only verifies; the start makes a second one (Supermicro). */
  readonly hasVerifyTask: boolean;
  /** The slots a member of `Targets` means; undefined: no such target. Found by the last part of its path unless given. */
  slotsOf?(machine: Machine, target: string): readonly FirmwareSlot[] | undefined;
  /** Of all slots an image fits, those written when the request names no targets; all unless given. */
  chooseSlots?(machine: Machine, slots: readonly FirmwareSlot[]): readonly FirmwareSlot[];
}

/** How a vendor's BMC behaves otherwise, where vendors differ. */
export interface MachineRules {
  /** The id of the BMC's task number `number` (from 1); the number itself unless given. */
  taskId?(machine: Machine, number: number): string;
  /** Staged BIOS settings show as a task that ends when they are applied. */
  readonly hasBiosTasks: boolean;
  /** The task list does not survive a restart of the BMC (OpenBMC). */
  readonly losesTasksOnReset: boolean;
  /** A reset to the state the host is in is accepted and does nothing, and a restart of a host that is off switches it on. */
  readonly hasLenientResets: boolean;
}

const updateDefaults: UpdateRules = {
  concurrency: 'refuse',
  refusesAtOnce: ['not-an-image', 'too-large', 'wrong-target'],
  flashesAtPost: ['bios'],
  stagesBios: false,
  biosNeedsHostOff: false,
  bmcNeedsReset: false,
  doesImmediateReboot: false,
  hasVerifyTask: false,
};

const machineDefaults: MachineRules = {
  hasBiosTasks: true,
  losesTasksOnReset: false,
  hasLenientResets: false,
};

/** The update rules of a personality, with what it leaves out. */
export function updateRulesOf(personality: Personality): UpdateRules {
  return { ...updateDefaults, ...personality.updateRules };
}

/** The other rules of a personality, with what it leaves out. */
export function machineRulesOf(personality: Personality): MachineRules {
  return { ...machineDefaults, ...personality.machineRules };
}
