import { kubeTime, type ServerCore } from '../../core.ts';
import { systemContext, systemWrite } from '../../handlers/system-context.ts';
import { updateObject } from '../../handlers/update.ts';
import { compileSelectorObject } from '../../meta/selectors.ts';
import type { KubeObject } from '../../object.ts';
import { ApiError, forbidden } from '../../status.ts';
import { budgetBucket, type PodDisruptionBudget } from '../pod-disruption-budgets.ts';
import type { Pod } from '../pod-object.ts';

const tooMany = "Cannot evict pod as it would violate the pod's disruption budget.";
const maxDisrupted = 2000;

/** Budgets that cover a pod. An empty selector covers every pod of the namespace, a missing one none. */
export function budgetsOf(core: ServerCore, pod: Pod): PodDisruptionBudget[] {
  const page = core.store.list({ bucket: budgetBucket, namespace: pod.metadata.namespace ?? '' });
  if (page === 'expired') return [];
  return page.items.map(({ json }) => JSON.parse(json) as PodDisruptionBudget).filter((budget) => covers(budget, pod));
}

/** True when the budget's selector fits the pod. */
export function covers(budget: PodDisruptionBudget, pod: Pod): boolean {
  const selector = budget.spec?.selector;
  if (selector === undefined) return false;
  return compileSelectorObject(selector)?.(pod.metadata.labels) ?? true;
}

/** True when the pod says it is ready. */
export function isReady(pod: Pod): boolean {
  return pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}

/** 429: the budget does not allow it, or its numbers are not known yet. */
export function budgetRefuses(words: string, retryAfterSeconds: number | undefined): ApiError {
  return new ApiError({
    code: 429,
    reason: 'TooManyRequests',
    message: tooMany,
    details: {
      causes: [{ reason: 'DisruptionBudget', message: words }],
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    },
  });
}

/** The budget's numbers are older than its spec, or changed in this moment. */
export function budgetUnsettled(name: string): ApiError {
  return budgetRefuses(`The disruption budget ${name} is still being processed by the server.`, 10);
}

/** Takes one disruption from the budget, or refuses. */
export async function takeDisruption(
  core: ServerCore,
  budget: PodDisruptionBudget,
  request: { pod: string; dryRun: boolean; now: Date },
): Promise<void> {
  checkBudget(budget);
  const served = core.registry.storage(budgetBucket);
  if (request.dryRun || served === undefined) return;
  const { name = '', namespace = '' } = budget.metadata;
  const context = systemContext(core, served, { verb: 'update', namespace, name });
  await updateObject(core, context, served, {
    key: { bucket: budgetBucket, namespace, name },
    subresource: 'status',
    options: systemWrite('UpdateOptions', 'kube-apiserver'),
    isManaged: false,
    transform: (live) => {
      checkBudget(live);
      return spend(live, request);
    },
  });
}

function checkBudget(budget: PodDisruptionBudget): void {
  const { status = {}, metadata } = budget;
  const name = metadata.name ?? '';
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) throw budgetUnsettled(name);
  const allowed = status.disruptionsAllowed ?? 0;
  const resource = { group: 'policy', resource: 'poddisruptionbudget' };
  if (allowed < 0) throw forbidden(resource, name, 'pdb disruptions allowed is negative');
  if (Object.keys(status.disruptedPods ?? {}).length > maxDisrupted) {
    const words = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
    throw forbidden(resource, name, words);
  }
  if (allowed > 0) return;
  const needs = `needs ${status.desiredHealthy ?? 0} healthy pods and has ${status.currentHealthy ?? 0} currently`;
  throw budgetRefuses(`The disruption budget ${name} ${needs}`, undefined);
}

function spend(live: PodDisruptionBudget, request: { pod: string; now: Date }): KubeObject {
  const { status = {} } = live;
  const disruptionsAllowed = (status.disruptionsAllowed ?? 0) - 1;
  const disruptedPods = { ...status.disruptedPods, [request.pod]: kubeTime(request.now) };
  const next: PodDisruptionBudget = { ...live, status: { ...status, disruptionsAllowed, disruptedPods } };
  next.status = { ...next.status, conditions: disruptionConditions(next, request.now) };
  return next;
}

type Condition = NonNullable<NonNullable<PodDisruptionBudget['status']>['conditions']>[number];

/** The budget's conditions with DisruptionAllowed as its numbers say. */
export function disruptionConditions(budget: PodDisruptionBudget, now: Date): Condition[] {
  const { status = {} } = budget;
  const before = status.conditions ?? [];
  const type = 'DisruptionAllowed';
  const isAllowed = (status.disruptionsAllowed ?? 0) > 0;
  const was = before.find((condition) => condition.type === type);
  const word = isAllowed ? 'True' : 'False';
  const condition: Condition = {
    type,
    status: word,
    reason: isAllowed ? 'SufficientPods' : 'InsufficientPods',
    message: '',
    lastTransitionTime: was?.status === word ? was.lastTransitionTime : kubeTime(now),
    ...(status.observedGeneration === undefined ? {} : { observedGeneration: status.observedGeneration }),
  };
  return was === undefined ? [...before, condition] : before.map((each) => (each === was ? condition : each));
}
