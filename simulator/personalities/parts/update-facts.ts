import type { ComponentType } from '../../images/component-type.ts';
import type { FirmwareSlot } from '../../machine/firmware.ts';
import type { Machine } from '../../machine/machine.ts';
import type { Task } from '../../machine/tasks.ts';
import type { Update } from '../../machine/updates.ts';

/** Address of a task. */
export function taskPath(taskId: string): string {
  return `/redfish/v1/TaskService/Tasks/${taskId}`;
}

/** What an update writes, as far as is known: of its slots, else of its image, else `other`. */
export function componentOf(update: Update | undefined): ComponentType {
  return update?.slots[0]?.component ?? (update?.header?.component as ComponentType | undefined) ?? 'other';
}

/** The update a task belongs to. */
export function updateOf(machine: Machine, task: Task): Update | undefined {
  return machine.updates.all.find((update) => update.id === task.updateId);
}

/** What stands in the inventory: the machine's own firmware unless something makes it lie. */
export function reportedFirmware(machine: Machine): readonly FirmwareSlot[] {
  return machine.reportedFirmware?.() ?? machine.firmware;
}

/** True for a task that goes no further. */
export function isFinished(task: Task): boolean {
  return ['Completed', 'Killed', 'Exception', 'Cancelled', 'Interrupted'].includes(task.state);
}

/** True for a task that ended as it should. */
export function isSuccess(task: Task): boolean {
  return task.state === 'Completed' && task.status !== 'Critical';
}

/** True once a finished task is as old as this, in simulated time. */
export function isOlderThan(machine: Machine, task: Task, ageMs: number): boolean {
  return task.endedAt !== undefined && machine.manager.now() - task.endedAt >= ageMs;
}

/** Simulated time as Redfish writes it: `2024-05-01T10:00:00+00:00`. */
export function redfishTime(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}+00:00`;
}
