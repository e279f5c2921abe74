import type { JsonObject } from '../../engine/index.ts';
import { planInstall, toFirmware } from '../../flasher/index.ts';
import type { InstalledFirmware } from '../inventory/installed-firmware.ts';

/** What a comparison came to: so many images are where they belong, or what is not as it should be. */
export type FirmwareComparison =
  | { readonly kind: 'same'; readonly images: number }
  | { readonly kind: 'differs'; readonly message: string };

/** Compares what was to be installed with what the inventory found: nothing may be left to be done. */
export function compareFirmware(wanted: readonly JsonObject[], { server }: InstalledFirmware): FirmwareComparison {
  const firmwares = wanted.map((one) => toFirmware(one as Parameters<typeof toFirmware>[0]));
  const plan = planInstall({ inventory: { ...server, gaps: [] }, firmwares, parameters: { isForced: false } });
  const left = plan.actions.map(({ firmware, slots }) => {
    const found = slots.filter(({ isCurrent }) => !isCurrent).map(({ slot, version }) => `${slot} has ${version}`);
    return `${firmware.component} ${firmware.version}: ${found.join(', ')}`;
  });
  const unclear = plan.skipped.filter(({ why }) => why === 'no-version').map(({ message }) => message);
  const wrong = [...left, ...unclear, ...plan.problems.map(({ message }) => message)];
  if (wrong.length > 0) return { kind: 'differs', message: `the server does not have the set: ${wrong.join('; ')}` };
  const images = plan.skipped.filter(({ why }) => why === 'current').length;
  if (images > 0) return { kind: 'same', images };
  return { kind: 'differs', message: 'nothing of the set is for this server, so that nothing was tried' };
}
