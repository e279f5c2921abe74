import {
  type Bmc,
  ejectMedia,
  insertMedium,
  listVirtualDrives,
  readBoot,
  readInventory,
  readPower,
  setBootOverride,
  setPower,
  type VirtualDrive,
} from '../../../bmc/index.ts';
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
import { isInstalled, wantedOf } from '../wanted-firmware.ts';
import {
  type BootTicket,
  createReportDesk,
  createTicket,
  type ExpectedBoot,
  type ImageReport,
  type ReportDesk,
} from './report-desk.ts';
import { type BootImageSettings, chooseImage, readBootImageSettings } from './settings.ts';

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
  readonly state: 'preparing' | 'booted' | 'restoring';
  readonly ticket: BootTicket;
  readonly powerBefore: string;
  readonly drives: readonly string[];
  readonly bootedAt?: number;
  readonly ending?: { readonly code: string; readonly message: string };
}

interface ImageRunParts {
  readonly work: Work;
  readonly tools: StrategyTools;
  readonly settings: BootImageSettings;
  readonly desk: ReportDesk;
}

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
    if (progress?.state === 'booted') await this.#bootIfDue(held);
    if (progress === undefined) {
      const inventory = await readInventory(held.bmc);
      const isForced = work.condition.parameters.force_install === true;
      if (!isForced && wanted.every((one) => isInstalled(inventory, one)))
        return await this.#finish(held, wanted, undefined);
      const { state: powerBefore } = await readPower(held.bmc);
      progress = { state: 'preparing', ticket: createTicket(), powerBefore, drives: [] };
    }
    const boot = await this.#expect(held, progress.ticket, {
      firmwares: wanted.map(shownFirmware),
      force: work.condition.parameters.force_install === true,
    });
    try {
      if (progress.state === 'preparing') progress = await this.#boot(held, progress, boot);
      if (progress.state === 'booted') progress = await this.#wait(held, progress, boot);
    } finally {
      await boot.close();
    }
    await this.#restore(held, progress);
    return await this.#finish(held, wanted, progress.ending);
  }

  /** Jobs in processes of their own share one address: those that find it taken wait for their turn. */
  async #expect(held: HeldBmc, ticket: BootTicket, order: object): Promise<ExpectedBoot> {
    const { work, desk } = this.#parts;
    for (;;) {
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
  async #boot(held: HeldBmc, progress: BootProgress, boot: ExpectedBoot): Promise<BootProgress> {
    const { work, tools, settings } = this.#parts;
    const { bmc } = held;
    this.#status.say('the update image is put into a virtual drive');
    await held.report({ status: this.#shown(), progress: stored(progress) });
    const { system } = await readInventory(bmc);
    const image = chooseImage(settings, { manufacturer: system.manufacturer ?? '', model: system.model ?? '' });
    const first = await insertMedium(bmc, { image: image.url, kind: 'cd' });
    const drives = [first.drive.id, await insertParameters(bmc, boot.mediumUrl, first.drive.id)];
    await setBootOverride(bmc, {
      enabled: 'Once',
      target: 'Cd',
      ...(image.mode === undefined ? {} : { mode: image.mode }),
    });
    const booted: BootProgress = { ...progress, drives, state: 'booted', bootedAt: tools.clock.now() };
    this.#status.say('the host boots the update image');
    await held.report({ status: this.#shown(), progress: stored(booted), isCancelUnsafe: true });
    await setPower(bmc, { target: 'reset', isGraceful: true, signal: work.signal });
    return booted;
  }

  /** An earlier life may have died before it restarted the host: then the one boot that it asked for is still to come. */
  async #bootIfDue(held: HeldBmc): Promise<void> {
    const { work } = this.#parts;
    const { enabled, target } = await readBoot(held.bmc);
    if (enabled !== 'Once' || target?.toLowerCase() !== 'cd') return;
    await work.check();
    await setPower(held.bmc, { target: 'reset', signal: work.signal });
  }

  /** Waits for the image's last word. What it may be in the middle of is never interrupted but by the deadline. */
  async #wait(held: HeldBmc, progress: BootProgress, boot: ExpectedBoot): Promise<BootProgress> {
    const { work, tools, settings } = this.#parts;
    const { deadlineSeconds = 4 * 3600, silenceSeconds = 45 * 60 } = settings;
    const end = (progress.bootedAt ?? tools.clock.now()) + deadlineSeconds * 1000;
    let heardAt = tools.clock.now();
    let count = 0;
    // A new life of the job waits where the last one did.
    await held.report({ isCancelUnsafe: true });
    for (;;) {
      const { seen } = boot;
      if (seen.count > count && seen.last !== undefined) {
        heardAt = tools.clock.now();
        await this.#hear(held, seen.last);
      }
      count = seen.count;
      if (seen.last !== undefined && seen.last.state !== 'running') return this.#over(progress, seen.last);
      const now = tools.clock.now();
      if (now >= end || now - heardAt >= silenceSeconds * 1000) {
        const seconds = now >= end ? deadlineSeconds : silenceSeconds;
        const { message } = new JobError('imageSilent', { target: work.condition.target, seconds });
        return { ...progress, state: 'restoring', ending: { code: 'ImageSilent', message } };
      }
      await held.touch();
      await work.pause(lookMs);
    }
  }

  async #hear(held: HeldBmc, { percent, message }: ImageReport): Promise<void> {
    this.#percent = Math.min(99, Math.round(percent ?? this.#percent));
    this.#status.say(`the update image says: ${message ?? 'it is at work'}`);
    await held.report({ status: this.#shown() });
  }

  #over(progress: BootProgress, { state, message }: ImageReport): BootProgress {
    if (state === 'succeeded') return { ...progress, state: 'restoring' };
    const { target } = this.#parts.work.condition;
    const error = new JobError('imageFailed', { target, detail: message ?? 'it does not say why' });
    return { ...progress, state: 'restoring', ending: { code: 'ImageFailed', message: error.message } };
  }

  /** Takes the media out and leaves the host as it was found. */
  async #restore(held: HeldBmc, progress: BootProgress): Promise<void> {
    const { work } = this.#parts;
    this.#status.say('the media are taken out and the host is left as it was found');
    await held.report({
      status: this.#shown(),
      progress: stored({ ...progress, state: 'restoring' }),
      isCancelUnsafe: true,
    });
    for (const drive of progress.drives) await ejectMedia(held.bmc, { drive });
    await setBootOverride(held.bmc, { enabled: 'Disabled' });
    await setPower(held.bmc, { target: progress.powerBefore === 'off' ? 'off' : 'reset', signal: work.signal });
    await held.report({ isCancelUnsafe: false });
  }

  async #finish(held: HeldBmc, wanted: readonly Firmware[], ending: BootProgress['ending']): Promise<WorkOutcome> {
    const { work, tools } = this.#parts;
    const inventory = await readInventory(held.bmc);
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
    const reason = ending ?? (missing.length === 0 ? undefined : mismatch);
    this.#status.say(reason?.message ?? `${wanted.length} installed`);
    this.#percent = 100;
    const status = this.#shown();
    return reason === undefined ? { outcome: 'succeeded', status } : { outcome: 'failed', reason, status };
  }

  #shown(): JsonObject {
    return this.#status.with({ percent: this.#percent });
  }
}

/** The second medium goes where a stick would; BMCs that have none of that have a second CD drive. Gives the drive. */
async function insertParameters(bmc: Bmc, image: string, taken: string): Promise<string> {
  const others = (await listVirtualDrives(bmc)).filter(({ id }) => id !== taken);
  const isStick = ({ mediaTypes }: VirtualDrive): boolean =>
    mediaTypes.some((type) => /^(USBStick|Floppy)$/.test(type));
  const found = others.find((drive) => drive.image === image) ?? others.find(isStick) ?? others[0];
  if (found === undefined) throw new JobError('noSecondDrive', { origin: bmc.gate.origin });
  await insertMedium(bmc, { image, drive: found.id, kind: isStick(found) ? 'usb' : 'cd' });
  return found.id;
}

function shownFirmware({ component, vendor, version, url, checksum, filename }: Firmware): JsonObject {
  return { component, vendor, version, url, checksum, filename };
}

function stored(progress: BootProgress): JsonObject {
  return JSON.parse(JSON.stringify(progress)) as JsonObject;
}

function readProgress(progress: JsonObject): BootProgress | undefined {
  return typeof progress.state === 'string' && progress.ticket !== undefined
    ? (progress as unknown as BootProgress)
    : undefined;
}
