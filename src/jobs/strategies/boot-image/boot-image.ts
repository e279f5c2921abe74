import { type Inventory, isBmcError, readInventory, readPower, setPower, waitForPost } from '../../../bmc/index.ts';
import type { JsonObject, Work, WorkOutcome } from '../../../engine/index.ts';
import {
  createStepStatus,
  type Firmware,
  flasherHandlers,
  type HeldBmc,
  holdBmc,
  type StepStatus,
} from '../../../flasher/index.ts';
import { isJobError, JobError } from '../../errors.ts';
import { defineStrategy, type StrategyTools } from '../strategy.ts';
import { isInstalled, requireHardware, wantedOf } from '../wanted-firmware.ts';
import { chooseDrives, clearMedia, isBootDue, loadMedia } from './media.ts';
import {
  type BootTicket,
  createReportDesk,
  createTicket,
  type ExpectedBoot,
  type ImageReport,
  type ReportDesk,
} from './report-desk.ts';
import { type BootImageSettings, chooseImage, readBootImageSettings, type UpdateImage } from './settings.ts';

/** By booting an update image from virtual media; the image installs what it is told and reports back over HTTP. */
export const bootImage = defineStrategy({
  name: 'boot-image',
  create(given) {
    const settings = readBootImageSettings(given);
    const desk = createReportDesk(settings.report);
    return {
      name: 'boot-image',
      update: (work, tools) => new ImageRun({ work, tools, settings, desk }).update(),
      scan(work, tools) {
        const handler = flasherHandlers(tools).inventoryOOB;
        if (handler === undefined) throw new TypeError('the flasher reads no inventories');
        return handler(work);
      },
    };
  },
});

/** What the next life needs to go on. */
interface BootProgress {
  /**
   * `planned` is never stored: nothing has been changed. `preparing`: the media may be in. `withdrawing`: it was given up
   * before the host was restarted, and they have to go.
   */
  readonly state: 'planned' | 'preparing' | 'withdrawing' | 'booted' | 'restoring';
  readonly ticket: BootTicket;
  readonly powerBefore: string;
  readonly image: UpdateImage;
  readonly drives: readonly string[];
  /** When the image was booted, by the store's time. */
  readonly bootedAt?: number;
  /** Since when the end of the last self-test is waited for: the host was restarted for the last time. */
  readonly postSince?: number;
  readonly ending?: Ending;
}

interface Ending {
  readonly code: string;
  readonly message: string;
}

interface ImageRunParts {
  readonly work: Work;
  readonly tools: StrategyTools;
  readonly settings: BootImageSettings;
  readonly desk: ReportDesk;
}

const cancelled: Ending = { code: 'Cancelled', message: 'it was cancelled before the host was restarted' };
const imageSilent = 'ImageSilent';
const lookMs = 5000;
/** How often is looked whether the address for reports is free. */
const turnMs = 5000;

class ImageRun {
  readonly #parts: ImageRunParts;
  readonly #status: StepStatus;
  #percent = 0;

  constructor(parts: ImageRunParts) {
    this.#parts = parts;
    this.#status = createStepStatus(parts.work.condition.status, parts.tools.clock);
  }

  async update(): Promise<WorkOutcome> {
    const { work, tools } = this.#parts;
    const held = await holdBmc(work, tools);
    const wanted = wantedOf(work.condition.parameters);
    let progress = readProgress(work.condition.progress);
    if (progress === undefined) {
      const inventory = await readInventory(held.bmc);
      if (!this.#isForced && wanted.every((one) => isInstalled(inventory, one)))
        return await this.#finish(held, wanted, undefined);
      for (const one of wanted) requireHardware(inventory, one);
      progress = await this.#plan(held, inventory);
    } else if (progress.state === 'booted') progress = await this.#bootIfDue(held, progress);
    if (progress.state !== 'withdrawing' && progress.state !== 'restoring')
      progress = await this.#runImage(held, wanted, progress);
    if (progress.state === 'withdrawing') return await this.#withdraw(held, progress);
    await this.#restore(held, progress);
    return await this.#finish(held, wanted, progress.ending);
  }

  get #isForced(): boolean {
    return this.#parts.work.condition.parameters.force_install === true;
  }

  async #plan({ bmc }: HeldBmc, { system }: Inventory): Promise<BootProgress> {
    const server = { manufacturer: system.manufacturer ?? '', model: system.model ?? '' };
    const image = chooseImage(this.#parts.settings, server);
    const drives = await chooseDrives(bmc, image);
    const { state: powerBefore } = await readPower(bmc);
    return { state: 'planned', ticket: createTicket(), powerBefore, image, drives };
  }

  /** Boots the image unless it was, and waits for its end. */
  async #runImage(held: HeldBmc, wanted: readonly Firmware[], from: BootProgress): Promise<BootProgress> {
    const order = { firmwares: wanted.map(shownFirmware), force: this.#isForced };
    const boot = await this.#expect(held, from, order).catch((error: unknown) => {
      if (from.state !== 'preparing') throw error;
      return this.#endingOf(error);
    });
    if ('code' in boot)
      return from.state === 'booted' ? { ...from, state: 'restoring', ending: boot } : giveUp(from, boot);
    try {
      const progress = from.state === 'booted' ? from : await this.#boot(held, from, boot);
      return progress.state === 'booted' ? await this.#wait(held, progress, boot) : progress;
    } finally {
      await boot.close();
    }
  }

  /**
   * Jobs in processes of their own share one address: those that find it taken wait for their turn. Gives the ending when
   * it was cancelled meanwhile and the media may be in, or the time of a booted image is over.
   */
  async #expect(held: HeldBmc, progress: BootProgress, order: object): Promise<ExpectedBoot | Ending> {
    const { work, desk } = this.#parts;
    const { state, ticket } = progress;
    for (;;) {
      if (state === 'preparing' && work.cancel !== undefined) return cancelled;
      if (state === 'booted' && work.now() >= this.#endsAt(progress)) return this.#silent(this.#deadlineSeconds);
      try {
        return await desk.expect(ticket, order);
      } catch (error) {
        if (!isJobError(error, 'reportPortTaken')) throw error;
        this.#status.say(`it waits: ${error.message}`);
        await held.report({ status: this.#shown() });
        await work.pause(turnMs);
      }
    }
  }

  /** Puts both media in, lets the host boot from the first once, and restarts it. */
  async #boot(held: HeldBmc, from: BootProgress, boot: ExpectedBoot): Promise<BootProgress> {
    const { work } = this.#parts;
    const preparing: BootProgress = { ...from, state: 'preparing' };
    this.#status.say('the update image is put into a virtual drive');
    // The last safe point: from here on nobody may end this but who takes the media out again.
    if (from.state === 'planned') await held.report({ status: this.#shown() });
    await held.report({ status: this.#shown(), progress: stored(preparing), isCancelUnsafe: true });
    if (work.cancel !== undefined) return giveUp(preparing, cancelled);
    try {
      await loadMedia(held.bmc, { ...preparing, mediumUrl: boot.mediumUrl });
    } catch (error) {
      return giveUp(preparing, this.#endingOf(error));
    }
    // Somebody may have cancelled meanwhile.
    await held.report({});
    if (work.cancel !== undefined) return giveUp(preparing, cancelled);
    const booted: BootProgress = { ...preparing, state: 'booted', bootedAt: work.now() };
    this.#status.say('the host boots the update image');
    await held.report({ status: this.#shown(), progress: stored(booted), isCancelUnsafe: true });
    return await this.#restart(held, booted, { isGraceful: true });
  }

  /** An earlier life may have died before it restarted the host: then the one boot that it asked for is still to come. */
  async #bootIfDue(held: HeldBmc, booted: BootProgress): Promise<BootProgress> {
    if (!(await isBootDue(held.bmc))) return booted;
    await this.#parts.work.check();
    return await this.#restart(held, booted, {});
  }

  /** A host that cannot be restarted must not boot the image when somebody else restarts it. */
  async #restart(held: HeldBmc, booted: BootProgress, how: { readonly isGraceful?: true }): Promise<BootProgress> {
    try {
      await setPower(held.bmc, { target: 'reset', ...how, signal: this.#parts.work.signal });
      return booted;
    } catch (error) {
      return { ...booted, state: 'restoring', ending: this.#endingOf(error) };
    }
  }

  /** How an error ends the update. Throws those that leave it to the next life to go on. */
  #endingOf(error: unknown): Ending {
    const { work } = this.#parts;
    const hasCode = error instanceof Error && 'code' in error && 'retry' in error;
    const isPassing = hasCode && (error.retry === 'transient' || error.code === 'leaseLost');
    if (work.signal.aborted || isPassing || !(error instanceof Error)) throw error;
    const code = hasCode ? String(error.code) : 'workerError';
    return { code: `${code.charAt(0).toUpperCase()}${code.slice(1)}`, message: error.message };
  }

  /** Waits for the image's last word. What it may be in the middle of is never interrupted but by the deadline. */
  async #wait(held: HeldBmc, progress: BootProgress, boot: ExpectedBoot): Promise<BootProgress> {
    const { work, settings } = this.#parts;
    const { silenceSeconds = 45 * 60 } = settings;
    const end = this.#endsAt(progress);
    let heardAt = work.now();
    let count = 0;
    // A new life of the job waits where the last one did.
    await held.report({ isCancelUnsafe: true });
    for (;;) {
      const { seen } = boot;
      if (seen.count > count && seen.last !== undefined) {
        heardAt = work.now();
        await this.#hear(held, seen.last);
      }
      count = seen.count;
      if (seen.last !== undefined && seen.last.state !== 'running')
        return await this.#over(held, { ...progress, ...this.#endOf(seen.last) }, boot);
      const now = work.now();
      if (now >= end || now - heardAt >= silenceSeconds * 1000) {
        const ending = this.#silent(now >= end ? this.#deadlineSeconds : silenceSeconds);
        return await this.#over(held, { ...progress, ending }, boot);
      }
      await held.touch();
      await work.pause(lookMs);
    }
  }

  get #deadlineSeconds(): number {
    return this.#parts.settings.deadlineSeconds ?? 4 * 3600;
  }

  /** By the store's time, and over all lives of the job. */
  #endsAt({ bootedAt }: BootProgress): number {
    return (bootedAt ?? this.#parts.work.now()) + this.#deadlineSeconds * 1000;
  }

  #silent(seconds: number): Ending {
    const { message } = new JobError('imageSilent', { target: this.#parts.work.condition.target, seconds });
    return { code: imageSilent, message };
  }

  async #hear(held: HeldBmc, { percent, message }: ImageReport): Promise<void> {
    this.#percent = Math.min(99, Math.round(percent ?? this.#percent));
    this.#status.say(`the update image says: ${message ?? 'it is at work'}`);
    await held.report({ status: this.#shown() });
  }

  #endOf({ state, message }: ImageReport): { readonly ending?: Ending } {
    if (state === 'succeeded') return {};
    const { target } = this.#parts.work.condition;
    const error = new JobError('imageFailed', { target, detail: message ?? 'it does not say why' });
    return { ending: { code: 'ImageFailed', message: error.message } };
  }

  /** Only what is stored has been heard: until then the image has to say it again to the next life. */
  async #over(held: HeldBmc, progress: BootProgress, boot: ExpectedBoot): Promise<BootProgress> {
    const restoring: BootProgress = { ...progress, state: 'restoring' };
    await held.report({ status: this.#shown(), progress: stored(restoring), isCancelUnsafe: true });
    await boot.confirm();
    return restoring;
  }

  /** Takes the media out and leaves the host as it was found. */
  async #restore(held: HeldBmc, progress: BootProgress): Promise<void> {
    const { work } = this.#parts;
    this.#status.say('the media are taken out and the host is left as it was found');
    await held.report({ status: this.#shown(), progress: stored(progress), isCancelUnsafe: true });
    let { postSince } = progress;
    if (postSince === undefined) {
      await this.#clear(held, progress);
      await setPower(held.bmc, { target: progress.powerBefore === 'off' ? 'off' : 'reset', signal: work.signal });
      postSince = work.now();
      await held.report({ progress: stored({ ...progress, postSince }) });
    }
    if (progress.powerBefore !== 'off') await this.#awaitPost(held, work.now() - postSince);
    await held.report({ isCancelUnsafe: false });
  }

  /** What an image staged is written while the host starts. One that does not come up shows what there is to be seen. */
  async #awaitPost({ bmc }: HeldBmc, passedMs: number): Promise<void> {
    const { work, tools } = this.#parts;
    const waitedMs = Math.max(0, passedMs);
    await waitForPost(bmc, { ...tools.settings.post, waitedMs, signal: work.signal }).catch((error: unknown) => {
      if (!isBmcError(error, 'deadline')) throw error;
    });
  }

  /** Ends what was given up before the host was restarted, once nothing of it can be booted any more. */
  async #withdraw(held: HeldBmc, progress: BootProgress): Promise<WorkOutcome> {
    const { ending: reason = cancelled } = progress;
    this.#status.say(`${reason.message}; the media are taken out`);
    await held.report({ status: this.#shown(), progress: stored(progress), isCancelUnsafe: true });
    await this.#clear(held, progress);
    await held.report({ isCancelUnsafe: false });
    this.#status.say(reason.message);
    return { outcome: 'failed', reason, status: this.#shown() };
  }

  async #clear(held: HeldBmc, { drives }: BootProgress): Promise<void> {
    try {
      await clearMedia(held.bmc, drives);
    } catch (error) {
      if (!isJobError(error, 'mediaStay')) throw error;
      this.#status.say(error.message);
      await held.report({ status: this.#shown() });
      throw error;
    }
  }

  async #finish(held: HeldBmc, wanted: readonly Firmware[], ending: Ending | undefined): Promise<WorkOutcome> {
    const { work, tools } = this.#parts;
    const inventory = await readInventory(held.bmc);
    await held.confirmMachine();
    const lease = { conditionId: work.condition.id, token: work.lease.token };
    const { target } = work.condition;
    await tools.inventorySink.write({ target, inventory, biosSettings: undefined, readAt: tools.clock.now(), lease });
    const missing = wanted
      .filter((one) => !isInstalled(inventory, one))
      .map(({ component, version }) => `${component} ${version}`);
    const mismatch = {
      code: 'VersionMismatch',
      message: `the update image ended well, but the server does not show ${missing.join(', ')}`,
    };
    // What an image did counts, also if nobody heard of it. What was installed before says nothing about that.
    const isDone = missing.length === 0 && (ending === undefined || (ending.code === imageSilent && !this.#isForced));
    const reason = isDone ? undefined : (ending ?? mismatch);
    this.#status.say(reason?.message ?? `${wanted.length} installed`);
    this.#percent = 100;
    const status = this.#shown();
    return reason === undefined ? { outcome: 'succeeded', status } : { outcome: 'failed', reason, status };
  }

  #shown(): JsonObject {
    return this.#status.with({ percent: this.#percent });
  }
}

function giveUp(progress: BootProgress, ending: Ending): BootProgress {
  return { ...progress, state: 'withdrawing', ending };
}

function shownFirmware({ component, vendor, version, url, checksum, filename }: Firmware): JsonObject {
  return { component, vendor, version, url, checksum, filename };
}

function stored(progress: BootProgress): JsonObject {
  return JSON.parse(JSON.stringify(progress)) as JsonObject;
}

function readProgress(progress: JsonObject): BootProgress | undefined {
  const isKnown = typeof progress.state === 'string' && progress.ticket !== undefined;
  // Of an older version, which chose the drives later.
  if (progress.state === 'preparing' && progress.image === undefined) return undefined;
  return isKnown ? (progress as unknown as BootProgress) : undefined;
}
