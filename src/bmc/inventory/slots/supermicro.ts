import { type SlotReader, toSlot } from './entry.ts';

const spareForm = /^(?:Backup|Golden|Staging)_(.+)$/i;

/** Supermicro lists spare banks (`Backup_BIOS`, `Golden_BMC`, `Staging_BIOS`) beside the one that runs. */
export const readSupermicroSlots: SlotReader = (entries) =>
  entries.map((entry) => {
    const isSpare = spareForm.test(entry.id);
    const backup = entries.find(({ id }) => id === `Backup_${entry.id}`);
    if (isSpare) return toSlot(entry, { isBackup: true });
    return toSlot(entry, { previousVersion: backup?.version });
  });
