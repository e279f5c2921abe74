import type { Machine } from '../../machine/machine.ts';
import type { Task } from '../../machine/tasks.ts';
import type { Update, UpdateRefusal } from '../../machine/updates.ts';
import { renderTask } from '../../redfish/resources/index.ts';
import type { JsonObject, RedfishAnswer } from '../../redfish/route.ts';
import type { MonitorManner } from '../parts/task-monitor.ts';
import { isOlderThan } from '../parts/update-facts.ts';
import type { HpeGeneration } from './generation.ts';
import { hpeAnswer, hpeFaults, hpeMessage, hpeTaskMessage } from './words.ts';

/** Where iLO keeps monitors. They vanish soon after the task ended. */
export const hpeMonitors: MonitorManner = { pattern: '/redfish/v1/TaskService/TaskMonitors/:task' };

/** How long iLO remembers a finished task. */
const keptMs = 60_000;

/** The parts of a personality that speak of updates. */
export interface HpeWords {
  answerUpdate(machine: Machine, update: Update): RedfishAnswer;
  answerRefusal(machine: Machine, refusal: UpdateRefusal): RedfishAnswer;
  answerBusy(machine: Machine): RedfishAnswer;
  describeTask(machine: Machine, task: Task): { name: string; messages: JsonObject[] };
  isTaskPurged(machine: Machine, task: Task): boolean;
}

/** How one generation of iLO speaks of updates. */
export function hpeWords(generation: HpeGeneration): HpeWords {
  const refusal = (fault: UpdateRefusal['fault'], detail: string): RedfishAnswer => {
    const said = hpeFaults[fault];
    return hpeAnswer(said.status, [
      hpeMessage(`${generation.registry}.${said.key}`, [detail === '' ? said.text : detail]),
    ]);
  };
  return {
    answerUpdate(machine, update) {
      const task = machine.tasks.find(update.taskId);
      if (task === undefined || (generation.doesHideUploadTask && update.via !== 'pull')) {
        return hpeAnswer(200, [hpeMessage('Base.1.4.Success')]);
      }
      // No Location: the monitor is named in the body only.
      return { status: 202, body: renderTask(machine, task) };
    },
    answerRefusal: (_machine, { fault, detail }) => refusal(fault, detail),
    answerBusy: () => hpeAnswer(400, [hpeMessage(`${generation.registry}.InvalidOperationForSystemState`)]),
    describeTask: (_machine, task) => ({
      name: task.kind === 'firmware' ? 'Update Service Task' : `iLO Task ${task.id}`,
      messages: [hpeTaskMessage(generation.registry, task)],
    }),
    isTaskPurged: (machine, task) => isOlderThan(machine, task, keptMs),
  };
}
