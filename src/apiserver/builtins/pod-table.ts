import { ageText } from '../../kube/index.ts';
import type { JsonObject } from '../../schema/index.ts';
import type { TablePrinter } from '../resource.ts';
import type { ContainerState, ContainerStatus, Pod } from './pod-object.ts';
import { ageColumn, ageOf, nameColumn, textColumn } from './table.ts';

const completed = { type: 'Completed', status: 'True' };
const endOfPod: Readonly<Record<string, JsonObject[]>> = {
  Succeeded: [{ ...completed, reason: 'Succeeded', message: 'The pod has completed successfully.' }],
  Failed: [{ ...completed, reason: 'Failed', message: 'The pod failed.' }],
};

/** How pods are listed. */
export const podTable: TablePrinter = {
  columns: [
    nameColumn,
    textColumn('Ready', 'How many of its containers are ready.'),
    textColumn('Status', 'What its containers are doing, in one word.'),
    textColumn('Restarts', 'How often its containers were restarted, and when last.'),
    ageColumn,
    textColumn('IP', 'The address it can be reached at.', 1),
    textColumn('Node', 'The node it runs on.', 1),
    textColumn('Nominated Node', 'The node that makes room for it.', 1),
    textColumn('Readiness Gates', 'How many of its readiness gates are open.', 1),
  ],
  conditions: ({ status }: Pod) => endOfPod[status?.phase ?? ''],
  row: (object: Pod, now) => {
    const { spec = {}, status = {} } = object;
    const summary = summarise(object);
    return [
      object.metadata.name,
      `${summary.ready}/${summary.total}`,
      statusOf(object, summary.reason),
      restartsOf(summary, now),
      ageOf(object, now),
      status.podIPs?.[0]?.ip ?? status.podIP ?? '<none>',
      spec.nodeName ?? '<none>',
      status.nominatedNodeName ?? '<none>',
      gatesOf(object),
    ];
  },
};

interface Summary {
  readonly total: number;
  ready: number;
  reason: string;
  restarts: number;
  lastRestart: string;
}

function summarise(pod: Pod): Summary {
  const { spec = {}, status = {} } = pod;
  const sidecars = new Set((spec.initContainers ?? []).filter((c) => c.restartPolicy === 'Always').map((c) => c.name));
  const isGated = status.conditions?.some((c) => c.type === 'PodScheduled' && c.reason === 'SchedulingGated');
  const summary: Summary = {
    total: (spec.containers ?? []).length + sidecars.size,
    ready: 0,
    reason: isGated === true ? 'SchedulingGated' : (status.reason ?? status.phase ?? ''),
    restarts: 0,
    lastRestart: '',
  };
  const before: Summary = { ...summary };
  const isInitializing = addInitContainers(pod, summary, sidecars);
  const isInitialized = status.conditions?.some((c) => c.type === 'Initialized' && c.status === 'True') ?? false;
  if (isInitializing && !isInitialized) return summary;
  // Restarts of containers that are over do not count any more; those of sidecars do.
  summary.restarts = before.restarts;
  summary.lastRestart = before.lastRestart;
  for (const each of status.initContainerStatuses ?? []) if (sidecars.has(each.name)) countRestarts(summary, each);
  addContainers(pod, summary);
  return summary;
}

function countRestarts(summary: Summary, container: ContainerStatus): void {
  summary.restarts += container.restartCount ?? 0;
  const ended = container.lastState?.terminated?.finishedAt ?? '';
  if (ended > summary.lastRestart) summary.lastRestart = ended;
}

/** True while the pod is still initializing. */
function addInitContainers(pod: Pod, summary: Summary, sidecars: ReadonlySet<string | undefined>): boolean {
  for (const [index, container] of (pod.status?.initContainerStatuses ?? []).entries()) {
    countRestarts(summary, container);
    const { terminated, waiting } = container.state ?? {};
    if (terminated !== undefined && (terminated.exitCode ?? 0) === 0) continue;
    if (sidecars.has(container.name) && container.started === true) {
      if (container.ready === true) summary.ready++;
      continue;
    }
    const wait = waiting?.reason ?? '';
    if (terminated !== undefined) summary.reason = `Init:${endOf(terminated)}`;
    else if (wait !== '' && wait !== 'PodInitializing') summary.reason = `Init:${wait}`;
    else summary.reason = `Init:${index}/${(pod.spec?.initContainers ?? []).length}`;
    return true;
  }
  return false;
}

function endOf(terminated: NonNullable<ContainerState['terminated']>): string {
  if ((terminated.reason ?? '') !== '') return terminated.reason ?? '';
  if ((terminated.signal ?? 0) !== 0) return `Signal:${terminated.signal}`;
  return `ExitCode:${terminated.exitCode ?? 0}`;
}

function addContainers(pod: Pod, summary: Summary): void {
  let hasRunning = false;
  for (const container of [...(pod.status?.containerStatuses ?? [])].reverse()) {
    countRestarts(summary, container);
    const { waiting, terminated, running } = container.state ?? {};
    if ((waiting?.reason ?? '') !== '') summary.reason = waiting?.reason ?? '';
    else if (terminated !== undefined) summary.reason = endOf(terminated);
    else if (container.ready === true && running !== undefined) {
      hasRunning = true;
      summary.ready++;
    }
  }
  if (summary.reason !== 'Completed' || !hasRunning) return;
  const isReady = pod.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') ?? false;
  summary.reason = isReady ? 'Running' : 'NotReady';
}

function statusOf(pod: Pod, reason: string): string {
  if (pod.metadata.deletionTimestamp === undefined) return reason;
  if (pod.status?.reason === 'NodeLost') return 'Unknown';
  return pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded' ? reason : 'Terminating';
}

function restartsOf(summary: Summary, now: Date): string {
  if (summary.restarts === 0 || summary.lastRestart === '') return String(summary.restarts);
  return `${summary.restarts} (${ageText(summary.lastRestart, now)} ago)`;
}

function gatesOf(pod: Pod): string {
  const gates = pod.spec?.readinessGates ?? [];
  if (gates.length === 0) return '<none>';
  const open = gates.filter(({ conditionType }) =>
    pod.status?.conditions?.some((c) => c.type === conditionType && c.status === 'True'),
  );
  return `${open.length}/${gates.length}`;
}
