import type { Machine } from '../../machine/machine.ts';
import type { Task } from '../../machine/tasks.ts';
import type { Update, UpdateRefusal } from '../../machine/updates.ts';
import { makeMessage, refuse } from '../../redfish/resources/index.ts';
import type { JsonObject, RedfishAnswer } from '../../redfish/route.ts';
import { isOlderThan, isSuccess, taskPath } from '../parts/update-facts.ts';
import { dellFaults, dellRegistry, jobMessageOf, jobNameOf } from './words.ts';

/** 202, the task's address in the header, and nothing else to read. */
export function answerDellUpdate(_machine: Machine, update: Update): RedfishAnswer {
  return { status: 202, headers: { Location: taskPath(update.taskId) } };
}

/** A refusal in iDRAC's words. */
export function answerDellRefusal(_machine: Machine, refusal: UpdateRefusal): RedfishAnswer {
  const said = dellFaults[refusal.fault];
  return refuse(said.status, {
    messageId: `${dellRegistry}.${said.id}`,
    message: said.message,
    resolution: said.resolution,
    severity: said.severity,
  });
}

/** Name and messages of a task. */
export function describeDellTask(machine: Machine, task: Task): { name: string; messages: JsonObject[] } {
  const said = jobMessageOf(machine, task);
  const message = makeMessage({
    messageId: `${dellRegistry}.${said.id}`,
    message: said.message,
    resolution: said.resolution,
    severity: said.severity,
  });
  return { name: jobNameOf(machine, task), messages: [message] };
}

/** iDRAC drops the task of a job that succeeded within minutes; failed ones stay to be read. */
const keptMs = 5 * 60_000;

/** True once the task is gone; its job stays. */
export function isDellTaskPurged(machine: Machine, task: Task): boolean {
  return isSuccess(task) && isOlderThan(machine, task, keptMs);
}

/** `JID_` and twelve digits that grow with time. */
export function dellTaskId(machine: Machine, number: number): string {
  const tenths = Math.floor(machine.clock.now() / 100) % 1_000_000_000;
  return `JID_${String(tenths).padStart(9, '0')}${String(number % 1000).padStart(3, '0')}`;
}
