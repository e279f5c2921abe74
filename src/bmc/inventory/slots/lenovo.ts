import type { FirmwareSlot } from '../../bmc.ts';
import { type FirmwareEntry, type SlotReader, toSlot } from './entry.ts';
import type { PartNaming } from './part-naming.ts';

const pendingSuffix = /-Pending$/i;
const backupSuffix = /-Backup$/i;

/**
 * Lenovo lists `X-Pending` beside `X` while an update waits for a restart, and `BMC-Backup` beside `BMC-Primary`: a
 * second bank that runs only when the first fails.
 */
export const readLenovoSlots: SlotReader = (entries) => {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const isTwin = (entry: FirmwareEntry) =>
    pendingSuffix.test(entry.id) && byId.has(entry.id.replace(pendingSuffix, ''));
  return entries.filter((entry) => !isTwin(entry)).map((entry) => toLenovoSlot(entry, byId));
};

function toLenovoSlot(entry: FirmwareEntry, byId: ReadonlyMap<string, FirmwareEntry>): FirmwareSlot {
  if (pendingSuffix.test(entry.id)) {
    // Nothing is active there yet.
    const slot = entry.id.replace(pendingSuffix, '');
    return toSlot(entry, { slot, version: '', pendingVersion: entry.version });
  }
  const backup = byId.get(entry.id.replace(/-Primary$/i, '-Backup'));
  const pending = byId.get(`${entry.id}-Pending`)?.version;
  const isBackup = backupSuffix.test(entry.id) || entry.state === 'StandbySpare';
  return toSlot(entry, {
    name: entry.name.replace(/^Firmware:\s*/i, ''),
    pendingVersion: pending,
    previousVersion: backup === entry || backup === undefined ? undefined : backup.version,
    ...(isBackup ? { isBackup } : {}),
  });
}

/** `Slot_7.Bundle` is the firmware of what is in `slot-7`, `Ob_1.Bundle` that of the adapter `ob-1`. */
export const lenovoPartNaming: PartNaming = {
  getIds: ({ slot }) => [slot.replace(/\.Bundle$/i, ''), slot],
};
