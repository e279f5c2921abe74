import type { TaskSnapshot } from '../tasks/index.ts';

/**
 * True for a task that only checks an uploaded image (Supermicro's `BIOS Verify`). Its name must say so: an update that
 * waits for its turn looks the same in all else, and must not be started again.
 */
export function isCheck(task: TaskSnapshot): boolean {
  return /\bverif/i.test(`${task.name} ${task.vendorJob?.type ?? ''}`);
}
