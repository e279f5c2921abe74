import {
  type Activation,
  activationOf,
  type Bmc,
  type FirmwareSlot,
  type InstallOrder,
  type VendorName,
} from '../../bmc/index.ts';
import type { JsonObject, Work } from '../../engine/index.ts';
import type { Artifact } from '../artifacts/artifact-cache.ts';
import type { HeldBmc } from '../held-bmc.ts';
import { told } from '../plan/match-slots.ts';
import { unsafeStates } from './install-table.ts';
import type { InstallParameters } from './parameters.ts';
import type { InstallContext } from './ports.ts';
import { type ActionFailure, type ActionProgress, type InstallProgress, storedProgress, tell } from './progress.ts';
import { percentOf, statusOf } from './status.ts';

/** How a step was come to: after a crash, or after a try that failed, what it does may have been begun already. */
export interface StepEntry {
  readonly isResumed: boolean;
}

/** One process's work on an install: what is stored, and what is not. */
export class InstallRun {
  readonly work: Work;
  readonly context: InstallContext;
  readonly parameters: InstallParameters;
  readonly progress: InstallProgress;
  readonly #held: HeldBmc;
  #artifact: { readonly of: ActionProgress; readonly artifact: Artifact } | undefined;
  #slot: (() => Promise<void>) | undefined;
  #toldAt = 0;

  constructor(parts: {
    readonly work: Work;
    readonly context: InstallContext;
    readonly parameters: InstallParameters;
    readonly progress: InstallProgress;
    readonly held: HeldBmc;
  }) {
    this.work = parts.work;
    this.context = parts.context;
    this.parameters = parts.parameters;
    this.progress = parts.progress;
    this.#held = parts.held;
  }

  get bmc(): Bmc {
    return this.#held.bmc;
  }

  get now(): number {
    return this.context.clock.now();
  }

  /** The action that goes on. */
  get action(): ActionProgress {
    const action = this.progress.actions[this.progress.at];
    if (action === undefined) throw new RangeError(`there is no action ${this.progress.at}`);
    return action;
  }

  async vendor(): Promise<VendorName> {
    return (await this.bmc.root()).vendor;
  }

  /** What makes the firmware of the action run. */
  async activation(): Promise<Activation> {
    return activationOf(await this.vendor(), this.action.component, this.action.started?.applyTime);
  }

  /** Tells people something; it is shown with the next report. */
  say(message: string): void {
    tell(this.progress, this.now, message);
    const action = this.progress.actions[this.progress.at];
    if (action?.state === 'active') action.message = message;
  }

  /** The same of the action that goes on, or has just ended. */
  sayOf(message: string): void {
    this.say(`${told(this.action.firmware)}: ${message}`);
    this.action.message = message;
  }

  /** Makes all of it durable. Throws when the lease is lost, and at a safe point when somebody cancelled. */
  async save(): Promise<void> {
    this.#toldAt = this.context.clock.monotonic();
    const status = this.status();
    await this.#held.report({
      progress: storedProgress(this.progress),
      status,
      isCancelUnsafe: unsafeStates.includes(this.progress.state),
    });
  }

  /** Tells of progress that need not be durable, now and then. */
  async saveSometimes(): Promise<void> {
    const since = this.context.clock.monotonic() - this.#toldAt;
    if (since >= this.context.settings.tellEveryMs) await this.save();
    else await this.touch();
  }

  touch(): Promise<void> {
    return this.#held.touch();
  }

  status(): JsonObject {
    this.progress.percent = percentOf(this.progress);
    return statusOf(this.progress, { isDryRun: this.parameters.isDryRun });
  }

  fail(failure: Omit<ActionFailure, 'messageIds'> & { readonly messageIds?: readonly string[] }): 'refused' {
    this.action.failure = { messageIds: [], ...failure };
    this.sayOf(failure.message);
    return 'refused';
  }

  /** The image of the action on this machine's disk. */
  async image(): Promise<Artifact> {
    const { action } = this;
    if (this.#artifact?.of === action) return this.#artifact.artifact;
    await this.dropImage();
    const { url, checksum, sizeBytes } = action.firmware;
    const artifact = await this.context.artifacts.open({
      url,
      checksum,
      ...(sizeBytes === undefined ? {} : { sizeBytes }),
      signal: this.work.signal,
    });
    this.#artifact = { of: action, artifact };
    for (const warning of artifact.warnings) if (!action.warnings.includes(warning)) action.warnings.push(warning);
    return artifact;
  }

  async dropImage(): Promise<void> {
    const held = this.#artifact;
    this.#artifact = undefined;
    await held?.artifact.release();
  }

  async takeSlot(): Promise<void> {
    this.#slot ??= await this.work.acquireSlot('upload');
  }

  async giveSlotBack(): Promise<void> {
    const give = this.#slot;
    this.#slot = undefined;
    await give?.();
  }

  /** What is asked of the BMC for the action. */
  async order(): Promise<InstallOrder> {
    const { action, context } = this;
    const { path, digest } = await this.image();
    const served = context.imageAddress(action.firmware);
    return {
      image: { path, digest },
      targets: targetsOf(await this.vendor(), action),
      component: action.component,
      version: action.firmware.version,
      ...(served === undefined ? {} : { served }),
    };
  }

  /** Which slots of an inventory the action is about. */
  async isMeant(): Promise<(slot: FirmwareSlot) => boolean> {
    const { component, slots } = this.action;
    // OpenBMC names what it has installed by a hash, which goes with the version.
    if ((await this.vendor()) === 'openbmc') return (slot) => slot.component === component && slot.isBackup !== true;
    const names = slots.map(({ slot }) => slot);
    return ({ slot }) => names.includes(slot);
  }
}

/** Most BMCs read from the image what it is for, and some refuse to be told; these want to be. */
function targetsOf(vendor: VendorName, { component, slots }: ActionProgress): readonly string[] {
  if (component === 'bmc' || component === 'bios') return [];
  return vendor === 'dell' || vendor === 'hpe' || vendor === 'lenovo' ? [] : slots.map(({ uri }) => uri);
}
