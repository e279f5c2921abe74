import type { Bmc, VendorName } from '../bmc.ts';
import type { BmcError } from '../errors.ts';
import type { InstallOrder, UpdateProgress } from '../firmware-update.ts';
import type { JsonObject } from '../json.ts';
import type { TaskSnapshot } from '../tasks/index.ts';
import type { UpdateOffer } from '../update-offer.ts';

/** What a task found on the BMC is. */
export type TaskKind = 'update' | 'other' | 'unclear';

/** Where vendors differ in updating. Everything else is the same for all. */
export interface UpdateWays {
  readonly vendor: VendorName;
  /** The applying time to ask for when the order names none; undefined leaves it to the BMC. */
  chooseApplyTime(component: string, offered: readonly string[]): string | undefined;
  /** What to name as targets when the order names none. */
  defaultTargets(bmc: Bmc, order: InstallOrder): Promise<readonly string[]>;
  /** True where the BMC reads from an image which parts it is for, and cannot be told: it may write to all equal ones. */
  readonly choosesParts: boolean;
  /** The Oem member of an update's parameters. */
  oemFor(bmc: Bmc, order: InstallOrder): Promise<JsonObject>;
  /** Looks whether the update can begin; throws BmcError `blocked` with what to do when not. Sends nothing that changes. */
  checkBefore(bmc: Bmc, order: InstallOrder): Promise<void>;
  /** Why the raw push that this BMC offers cannot be used; undefined where it can. */
  whyNoPush(offer: UpdateOffer): string | undefined;
  /** The vendor's own job behind a task. */
  jobUriOf(taskUri: string): string | undefined;
  /** Where the vendor lists its own jobs; undefined where it has none. */
  readonly jobCollection: string | undefined;
  /** Whether a task is of a firmware update. */
  recognise(task: TaskSnapshot): TaskKind;
  /** False where reading the monitor of a finished task throws the task away. */
  readonly mayReadMonitors: boolean;
  /** How the update stands by other signs than its task; undefined where there are none. */
  readServiceProgress(bmc: Bmc): Promise<UpdateProgress | undefined>;
  /** True when an update that was taken so long ago may be over without a trace in tasks and inventory. */
  mayHaveForgotten(bmc: Bmc, sinceMs: number): Promise<boolean>;
  /** What to do about a refusal, where the vendor's message is known. */
  adviceFor(error: BmcError): string | undefined;
}
