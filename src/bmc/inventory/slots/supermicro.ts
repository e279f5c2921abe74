import { type SlotReader, toSlot } from './entry.ts';

const spareForm = /^(?:Backup|Golden|Staging)_(.+)$/i;

/** Storage controllers go by the maker of their chip and a number: `Broadcom1`. */
const controllerForm = /^(?:Broadcom|Avago|LSI|Marvell)\d*$/i;

/** Supermicro lists spare banks (`Backup_BIOS`, `Golden_BMC`, `Staging_BIOS`) beside the one that runs. */
export const readSupermicroSlots: SlotReader = (entries) =>
  entries.map((entry) => {
    const isSpare = spareForm.test(entry.id);
    const backup = entries.find(({ id }) => id === `Backup_${entry.id}`);
    if (isSpare) return toSlot(entry, { isBackup: true });
    const isController = controllerForm.test(entry.id);
    return toSlot(entry, {
      previousVersion: backup?.version,
      ...(isController ? { component: 'storage-controller' } : {}),
    });
  });
