import type { JsonSchema } from '../../schema/index.ts';
import { kubeTime } from '../core.ts';
import type { BuiltinResource, DeletionPlan, DeletionRequest, Strategy } from '../resource.ts';
import { addDefaultTolerations, defaultPod, defaultPodSpec, dropUnservedFields, qosClassOf } from './pod-defaults.ts';
import type { Pod, PodSpec } from './pod-object.ts';
import { creationFaults } from './pod-settings-validation.ts';
import { podTable } from './pod-table.ts';
import { podSpecFaults, podStatusFaults, podUpdateFaults } from './pod-validation.ts';
import { podAnnotationWarnings, podWarnings } from './pod-warnings.ts';

/** Pods run on nodes: whoever deletes one that does waits for its node to stop it. */
function planDeletion(pod: Pod, request: DeletionRequest): DeletionPlan {
  const isRunning = (pod.spec?.nodeName ?? '') !== '' && !['Failed', 'Succeeded'].includes(pod.status?.phase ?? '');
  const asked = request.gracePeriodSeconds ?? pod.spec?.terminationGracePeriodSeconds ?? 0;
  const graceSeconds = !isRunning ? 0 : asked < 0 ? 1 : asked;
  return { isHeld: false, graceSeconds, isMarked: true };
}

const spec = (pod: Pod): PodSpec => pod.spec ?? {};

const strategy: Strategy = {
  hasGeneration: true,
  applyDefaults(pod: Pod) {
    pod.spec ??= {};
    defaultPodSpec(pod.spec);
    defaultPod(pod.spec);
  },
  prepareForCreate(pod: Pod, { now, warn }) {
    // There is no less than at once.
    if ((pod.spec?.terminationGracePeriodSeconds ?? 0) < 0) spec(pod).terminationGracePeriodSeconds = 1;
    for (const warning of podWarnings(spec(pod), 'spec')) warn(warning);
    for (const warning of podAnnotationWarnings(pod.metadata.annotations ?? {})) warn(warning);
    addDefaultTolerations(spec(pod));
    dropUnservedFields(spec(pod));
    pod.status = { phase: 'Pending', qosClass: qosClassOf(spec(pod)) };
    if ((spec(pod).schedulingGates ?? []).length === 0) return;
    const words = 'Scheduling is blocked due to non-empty scheduling gates';
    const lastTransitionTime = kubeTime(now);
    const condition = { type: 'PodScheduled', status: 'False', lastProbeTime: null, lastTransitionTime };
    pod.status.conditions = [{ ...condition, reason: 'SchedulingGated', message: words } as never];
  },
  prepareForUpdate(pod: Pod) {
    addDefaultTolerations(spec(pod));
  },
  prepareForStatusUpdate(pod: Pod, old: Pod) {
    if (old.metadata.ownerReferences === undefined) delete pod.metadata.ownerReferences;
    else pod.metadata.ownerReferences = old.metadata.ownerReferences;
    const qosClass = pod.status?.qosClass ?? old.status?.qosClass;
    if (qosClass !== undefined) pod.status = { ...pod.status, qosClass };
  },
  validate: (pod: Pod) => [...podSpecFaults(spec(pod), 'spec'), ...creationFaults(spec(pod), 'spec')],
  validateUpdate: (pod: Pod, old: Pod) => podUpdateFaults(pod, old),
  validateStatusUpdate: (pod: Pod, old: Pod) => podStatusFaults(pod, old),
  prepareForDelete: (pod: Pod, request) => planDeletion(pod, request),
  returnsDeleted: true,
  selectableFields: {
    'spec.nodeName': (pod: Pod) => spec(pod).nodeName ?? '',
    'spec.restartPolicy': (pod: Pod) => spec(pod).restartPolicy ?? '',
    'spec.schedulerName': (pod: Pod) => spec(pod).schedulerName ?? '',
    'spec.serviceAccountName': (pod: Pod) => spec(pod).serviceAccountName ?? '',
    'spec.hostNetwork': (pod: Pod) => String(spec(pod).hostNetwork ?? false),
    'status.phase': (pod: Pod) => pod.status?.phase ?? '',
    'status.podIP': (pod: Pod) => pod.status?.podIPs?.[0]?.ip ?? '',
    'status.nominatedNodeName': (pod: Pod) => pod.status?.nominatedNodeName ?? '',
  },
};

/** Pods: kept and shown; nothing here runs them. */
export function pods(schema: JsonSchema): BuiltinResource {
  return {
    group: '',
    version: 'v1',
    resource: 'pods',
    singular: 'pod',
    kind: 'Pod',
    namespaced: true,
    shortNames: ['po'],
    categories: ['all'],
    hasStatus: true,
    extraSubresources: [
      { name: 'binding', group: '', version: '', kind: 'Binding', verbs: ['create'] },
      { name: 'eviction', group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] },
    ],
    schema,
    strategy,
    table: podTable,
  };
}
