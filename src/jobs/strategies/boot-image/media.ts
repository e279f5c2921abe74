import {
  type Bmc,
  type BmcError,
  ejectMedia,
  findVirtualDrive,
  insertMedium,
  isBmcError,
  listVirtualDrives,
  readBoot,
  setBootOverride,
  type VirtualDrive,
} from '../../../bmc/index.ts';
import { JobError } from '../../errors.ts';
import type { UpdateImage } from './settings.ts';

/** The two media of an update. */
export interface UpdateMedia {
  readonly image: UpdateImage;
  /** Of the medium that tells the image what to do. */
  readonly mediumUrl: string;
  /** Of the image, and of the other medium. */
  readonly drives: readonly string[];
}

/** The drives for both media: the second goes where a stick would, or into another CD drive. Throws `noSecondDrive`. */
export async function chooseDrives(bmc: Bmc, image: UpdateImage): Promise<readonly [string, string]> {
  const first = await findVirtualDrive(bmc, { image: image.url, kind: 'cd' });
  const others = (await listVirtualDrives(bmc)).filter(({ id }) => id !== first.id);
  const isStick = ({ mediaTypes }: VirtualDrive): boolean =>
    mediaTypes.some((type) => /^(USBStick|Floppy)$/.test(type));
  const second = others.find(isStick) ?? others[0];
  if (second === undefined) throw new JobError('noSecondDrive', { origin: bmc.gate.origin });
  return [first.id, second.id];
}

/** Puts both media in, and lets the host boot from the first once. Doing it again changes nothing. */
export async function loadMedia(bmc: Bmc, { image, mediumUrl, drives }: UpdateMedia): Promise<void> {
  const [first = '', second = ''] = drives;
  await insertMedium(bmc, { image: image.url, drive: first });
  await insertMedium(bmc, { image: mediumUrl, drive: second });
  const mode = image.mode === undefined ? {} : { mode: image.mode };
  await setBootOverride(bmc, { enabled: 'Once', target: 'Cd', ...mode });
}

/**
 * Takes the boot from CD back and the media out; what fails stops none of the rest. Throws `mediaStay` when that has to be
 * tried again, or `mediaLeft`.
 */
export async function clearMedia(bmc: Bmc, drives: readonly string[]): Promise<void> {
  const failures: BmcError[] = [];
  for (const step of [() => dropBoot(bmc), ...drives.map((drive) => () => ejectMedia(bmc, { drive }))]) {
    try {
      await step();
    } catch (cause) {
      if (!isBmcError(cause) || cause.code === 'leaseLost') throw cause;
      failures.push(cause);
    }
  }
  const passing = failures.find(({ retry }) => retry === 'transient' || retry === 'blocked');
  const cause = passing ?? failures[0];
  if (cause === undefined) return;
  const code = passing === undefined ? 'mediaLeft' : 'mediaStay';
  throw new JobError(code, { origin: bmc.gate.origin, detail: cause.message }, { cause });
}

/** Where the BMC knows of no such boot none was asked for. */
async function dropBoot(bmc: Bmc): Promise<void> {
  if ((await readBoot(bmc)).enabled !== undefined) await setBootOverride(bmc, { enabled: 'Disabled' });
}

/** True while the one boot from CD that was asked for is still to come. */
export async function isBootDue(bmc: Bmc): Promise<boolean> {
  const { enabled, target } = await readBoot(bmc);
  return enabled === 'Once' && target?.toLowerCase() === 'cd';
}
