import {
  type Activation,
  activationOf,
  type Bmc,
  choosesParts,
  type FirmwareList,
  type FirmwareSlot,
  type InstallOrder,
  type Member,
  readFirmware,
  systemOf,
  type VendorName,
} from '../../bmc/index.ts';
import type { JsonObject, Work } from '../../engine/index.ts';
import type { Artifact } from '../../firmware-store/index.ts';
import type { Timer } from '../../kube/index.ts';
import { FlasherError } from '../errors.ts';
import type { OpenBmc } from '../held-bmc.ts';
import { told } from '../plan/match-slots.ts';
import { unsafeStates } from './install-table.ts';
import { openImage } from './open-image.ts';
import type { InstallParameters } from './parameters.ts';
import type { InstallContext } from './ports.ts';
import { type ActionFailure, type ActionProgress, type InstallProgress, storedProgress, tell } from './progress.ts';
import type { PollTimes } from './settings.ts';
import { stateEndsAt } from './state-deadline.ts';
import { percentOf, statusOf } from './status.ts';

/** How old a list of what is installed may be for the next step to go by it. */
const freshMs = 5000;

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
  readonly #held: OpenBmc;
  #stateEnd = new AbortController();
  #stateTimer: Timer | undefined;
  #isAbandoned = false;
  #artifact: { readonly of: ActionProgress; readonly artifact: Artifact } | undefined;
  #slot: (() => Promise<void>) | undefined;
  #toldAt = 0;
  /** The slots that this process saw last. */
  knownSlots: readonly FirmwareSlot[] = [];
  #make: { readonly manufacturer: string | undefined; readonly model: string | undefined } | undefined;
  #firmware: { readonly at: number; readonly list: FirmwareList } | undefined;

  constructor(parts: {
    readonly work: Work;
    readonly context: InstallContext;
    readonly parameters: InstallParameters;
    readonly progress: InstallProgress;
    readonly held: OpenBmc;
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

  get held(): OpenBmc {
    return this.#held;
  }

  /** The store's time: what is stored with it means the same to every worker. */
  get now(): number {
    return this.work.now();
  }

  /** Aborts when the lease is lost, and when the time of the state is over. */
  get signal(): AbortSignal {
    return AbortSignal.any([this.work.signal, this.#stateEnd.signal]);
  }

  /** The time of the state is over: its step is to end at once. */
  get isOver(): boolean {
    return this.#stateEnd.signal.aborted;
  }

  /** Ends the step of the state when its time is over. Done again after a cancel, which may leave less of it. */
  watchState(): void {
    const { clock, settings } = this.context;
    this.#stateTimer?.cancel();
    const endsAt = stateEndsAt(this.progress, { settings, cancelledAt: this.work.cancel?.at });
    const end = this.#stateEnd;
    this.#stateTimer = clock.after(Math.max(0, endsAt - this.now), () => end.abort());
  }

  /** A state begins: its step may take until the end of it. */
  enterState(): void {
    this.#stateEnd = new AbortController();
    this.#held.limit(this.signal);
    this.watchState();
  }

  leaveState(): void {
    this.#stateTimer?.cancel();
  }

  /** That the state was not over in time, and what was last in its way. */
  overdue(): FlasherError {
    const { state, since } = this.progress;
    const minutes = Math.round((this.now - since) / 60_000);
    const detail = this.lastError instanceof Error ? this.lastError.message : 'it did not end';
    return new FlasherError('overdue', { step: state, minutes, detail });
  }

  /** What a state may still take of a time that began when it was entered; at least what an extension leaves. */
  left(ms: number): number {
    const { since, extendedTo = 0 } = this.progress;
    return Math.max(0, since + ms - this.now, extendedTo - this.now);
  }

  /** Waits; throws at safe points as a report does, and when the time of the state is over. */
  async pause(ms: number): Promise<void> {
    await this.work.pause(ms, this.signal);
    if (this.isOver) throw this.overdue();
  }

  /** What failed last in passing in the state. */
  lastError?: unknown;

  /**
   * The run of whoever goes on after a step that did not end with its time. If that step ever wakes up, it can send and
   * store nothing.
   */
  abandon(): InstallRun {
    this.#isAbandoned = true;
    this.leaveState();
    const { work, context, parameters } = this;
    const progress = structuredClone(this.progress);
    const next = new InstallRun({ work, context, parameters, progress, held: this.#held.renew() });
    next.#slot = this.#slot;
    next.lastError = this.lastError;
    return next;
  }

  #throwIfAbandoned(): void {
    if (this.#isAbandoned) throw this.overdue();
  }

  /** It is left while it may still be written: says until when, and keeps hands off the power. */
  leaveUnsettled(): string {
    const until = this.now + this.context.settings.settleMs;
    this.action.isUnsettled = true;
    this.action.mayBeWritingUntil = until;
    return `the BMC may still be writing it until ${new Date(until).toISOString()}: do not switch the host off or restart the BMC before`;
  }

  /** When to look again: as it is set, but well before the lease ends, which only progress renews. */
  looksOf(times: PollTimes): PollTimes {
    const most = Math.min(times.most, this.work.lease.leaseMs / 4);
    return { ...times, most, first: Math.min(times.first, most) };
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

  /** What the BMC says of the system now. */
  async system(): Promise<Member['body']> {
    const { body } = await systemOf(this.bmc);
    this.#make = { manufacturer: textOf(body.Manufacturer), model: textOf(body.Model) };
    return body;
  }

  /** Whose server it is, and which, as far as it was read in this life; the BMC is not asked, for it may be away. */
  get knownMake(): { readonly manufacturer: string | undefined; readonly model: string | undefined } | undefined {
    return this.#make;
  }

  /** Whose server it is, and which: what was read of it before will do. */
  async make(): Promise<{ readonly manufacturer: string | undefined; readonly model: string | undefined }> {
    if (this.#make === undefined) await this.system();
    return this.#make ?? { manufacturer: undefined, model: undefined };
  }

  /** Some BMCs learn from the self-test of a host what it is. */
  forgetMake(): void {
    this.#make = undefined;
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
    this.#throwIfAbandoned();
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

  async touch(): Promise<void> {
    this.#throwIfAbandoned();
    await this.#held.touch();
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
    const file = { url, checksum, ...(sizeBytes === undefined ? {} : { sizeBytes }) };
    const artifact = await openImage((opening) => this.context.artifacts.open({ ...file, ...opening }), {
      clock: this.context.clock,
      signal: this.signal,
      touch: () => this.touch(),
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
    if (this.#slot !== undefined) return;
    // The line may be long, and none of it is the BMC's doing: the time of the state begins behind it.
    this.leaveState();
    try {
      this.#slot = await this.work.acquireSlot('upload');
    } finally {
      this.progress.since = this.now;
      this.watchState();
    }
  }

  /** One that cannot be given back is free again when the lease ends: no reason to stop what goes well. */
  async giveSlotBack(): Promise<void> {
    const give = this.#slot;
    this.#slot = undefined;
    await give?.().catch((error: unknown) => {
      this.context.logger.warn('a slot for uploads was not given back', { condition: this.work.condition.id, error });
    });
  }

  /** What is installed. What this process read a moment ago will do, unless an image was sent since. */
  async firmware(): Promise<FirmwareList> {
    const { clock } = this.context;
    if (this.#firmware !== undefined && clock.monotonic() - this.#firmware.at <= freshMs) return this.#firmware.list;
    const list = await readFirmware(this.bmc, { signal: this.signal });
    this.knownSlots = list.slots;
    this.#firmware = list.gaps.length === 0 ? { at: clock.monotonic(), list } : undefined;
    return list;
  }

  /** Something is about to change what is installed, or may have changed it. */
  forgetFirmware(): void {
    this.#firmware = undefined;
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
      ...(action.firmware.version === '' ? {} : { version: action.firmware.version }),
      ...(served === undefined ? {} : { served }),
    };
  }

  /** Which slots of an inventory the action is about. */
  async isMeant(): Promise<(slot: FirmwareSlot) => boolean> {
    const { component, slots } = this.action;
    // OpenBMC names its own image and the host's by a hash, which goes with the version.
    const isNamedByHash = (component === 'bmc' || component === 'bios') && (await this.vendor()) === 'openbmc';
    if (isNamedByHash) return (slot) => slot.component === component && slot.isBackup !== true;
    const names = slots.map(({ slot }) => slot);
    return ({ slot }) => names.includes(slot);
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Only BMCs that want to be told are. */
function targetsOf(vendor: VendorName, { component, slots, targets }: ActionProgress): readonly string[] {
  if (component === 'bmc' || component === 'bios') return [];
  if (choosesParts(vendor)) return [];
  // What has the version already is not written once more.
  return slots.filter(({ slot }) => targets?.includes(slot) ?? true).map(({ uri }) => uri);
}
