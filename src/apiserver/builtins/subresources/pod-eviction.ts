import { isJsonObject, type JsonObject } from '../../../schema/index.ts';
import { openAdmission } from '../../admission/admission.ts';
import { admitSubresource } from '../../admission/admit-subresource.ts';
import { kubeTime, type ServerCore } from '../../core.ts';
import { checkPreconditions, deleteObject } from '../../handlers/delete.ts';
import { type DeleteOptions, readDeleteOptions } from '../../handlers/delete-options.ts';
import { systemWrite } from '../../handlers/system-context.ts';
import { updateObject } from '../../handlers/update.ts';
import type { RequestContext } from '../../request-context.ts';
import type { ServedResource } from '../../served-resource.ts';
import { ApiError, badRequest, notFound, plainError } from '../../status.ts';
import type { SubresourceHandler } from '../../virtual-resource.ts';
import { type Pod, podBucket } from '../pod-object.ts';
import { budgetsOf, budgetUnsettled, isReady, takeDisruption } from './disruption-check.ts';
import { successStatus } from './success-status.ts';

const attempts = 20;
const evictionKind = { group: 'policy', version: 'v1', kind: 'Eviction' };

/** `pods/eviction`: deletes a pod if its disruption budget allows it. */
export function podEviction(core: ServerCore): SubresourceHandler {
  return {
    bucket: podBucket,
    subresource: 'eviction',
    async handle(context, body) {
      const metadata = isJsonObject(body.metadata) ? body.metadata : {};
      if (metadata.name !== context.info.name) throw badRequest('name in URL does not match name in Eviction object');
      const { namespace } = context.info;
      const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', ...body, metadata: { ...metadata, namespace } };
      const admitted = await admitSubresource(core, context, eviction, evictionKind);
      // Whoever judges evictions has judged this one; it is no deletion to them.
      await evict({ ...core, admission: openAdmission }, context, optionsOf(context, admitted));
      return { code: 201, object: successStatus(201) };
    },
  };
}

function optionsOf(context: RequestContext, body: JsonObject): DeleteOptions {
  const options = readDeleteOptions(context, isJsonObject(body.deleteOptions) ? body.deleteOptions : {});
  const dryRun = options.dryRun || context.info.query.getAll('dryRun').includes('All');
  context.asked.isDryRun = dryRun;
  return { ...options, dryRun };
}

async function evict(core: ServerCore, context: RequestContext, options: DeleteOptions): Promise<void> {
  const served = core.registry.storage(podBucket);
  if (served === undefined) throw notFound({ group: '', resource: 'pods' }, context.info.name);
  const hasVersion = options.preconditions.resourceVersion !== undefined;
  for (let attempt = 1; ; attempt++) {
    const pod = await readPod(core, served, context);
    if (!needsNoBudget(pod)) {
      await evictWithinBudget(core, context, served, { pod, options });
      return;
    }
    try {
      await markAndDelete(core, context, served, isOver(pod) ? options : atVersion(options, pod));
      return;
    } catch (error) {
      const isConflict = error instanceof ApiError && error.code === 409;
      if (!isConflict || hasVersion || attempt >= attempts) throw error;
    }
  }
}

async function readPod(core: ServerCore, served: ServedResource, { info }: RequestContext): Promise<Pod> {
  const stored = core.store.head({ bucket: podBucket, namespace: info.namespace, name: info.name });
  if (stored === undefined) throw notFound(served, info.name);
  return served.read(stored);
}

function isOver(pod: Pod): boolean {
  return ['Succeeded', 'Failed'].includes(pod.status?.phase ?? '') || pod.metadata.deletionTimestamp !== undefined;
}

/** A pod that is over, going, or not running yet disrupts nobody by leaving. */
function needsNoBudget(pod: Pod): boolean {
  return isOver(pod) || pod.status?.phase === 'Pending';
}

/** Deletes this very version, so that a pod that became ready meanwhile is not lost unnoticed. */
function atVersion(options: DeleteOptions, pod: Pod): DeleteOptions {
  if (options.preconditions.resourceVersion !== undefined) return options;
  const { resourceVersion } = pod.metadata;
  return { ...options, preconditions: { ...options.preconditions, resourceVersion } };
}

async function evictWithinBudget(
  core: ServerCore,
  context: RequestContext,
  served: ServedResource,
  { pod, options }: { pod: Pod; options: DeleteOptions },
): Promise<void> {
  const budgets = budgetsOf(core, pod);
  const [budget] = budgets;
  if (budgets.length > 1) {
    throw plainError(
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  }
  const { status = {}, spec = {} } = budget ?? {};
  const desired = status.desiredHealthy ?? 0;
  const isSpare = (status.currentHealthy ?? 0) >= desired && desired > 0;
  const isFree = !isReady(pod) && (spec.unhealthyPodEvictionPolicy === 'AlwaysAllow' || isSpare);
  if (budget !== undefined && !isFree) {
    const request = { pod: pod.metadata.name ?? '', dryRun: options.dryRun, now: context.now };
    await takeDisruption(core, budget, request);
  }
  try {
    await markAndDelete(core, context, served, isFree ? atVersion(options, pod) : options);
  } catch (error) {
    const isConflict = error instanceof ApiError && error.code === 409;
    const isOurs = isFree && options.preconditions.resourceVersion === undefined;
    if (isConflict && isOurs) throw budgetUnsettled(budget?.metadata.name ?? '');
    throw error;
  }
}

/** Says on the pod why it goes, then deletes it. */
async function markAndDelete(
  core: ServerCore,
  context: RequestContext,
  served: ServedResource,
  options: DeleteOptions,
): Promise<void> {
  const { name, namespace } = context.info;
  const key = { bucket: podBucket, namespace, name };
  let { preconditions } = options;
  if (!options.dryRun) {
    const version = await markEvicted(core, context, served, { key, options });
    if (preconditions.resourceVersion !== undefined) preconditions = { ...preconditions, resourceVersion: version };
  }
  await deleteObject(core, context, served, { key, options: { ...options, preconditions } });
}

async function markEvicted(
  core: ServerCore,
  context: RequestContext,
  served: ServedResource,
  { key, options }: { key: { bucket: string; namespace: string; name: string }; options: DeleteOptions },
): Promise<string> {
  const time = kubeTime(context.now);
  const result = await updateObject(core, context, served, {
    key,
    subresource: 'status',
    options: systemWrite('UpdateOptions', 'kube-apiserver'),
    // No client wrote this, so nobody comes to own it.
    isManaged: true,
    transform: (live) => {
      const pod: Pod = live;
      checkPreconditions(served, options, pod);
      const condition = {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'EvictionByEvictionAPI',
        message: 'Eviction API: evicting',
        lastProbeTime: null,
        lastTransitionTime: time,
      };
      const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== condition.type);
      pod.status = { ...pod.status, conditions: [...others, condition] };
      return pod;
    },
  });
  return 'stored' in result ? String(result.stored.revision) : '';
}
