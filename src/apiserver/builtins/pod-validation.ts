import { isDeepStrictEqual } from 'node:util';
import {
  type FieldError,
  forbiddenError,
  goJson,
  invalidError,
  labelValueFaults,
  notSupportedError,
  qualifiedNameFaults,
  subdomainFaults,
} from '../../schema/index.ts';
import { checkLabels } from '../meta/validate-metadata.ts';
import { changeFaults, choiceFaults, labelFaults } from './checks.ts';
import { containersFaults, initContainersFaults, restartPolicyFaults } from './container-validation.ts';
import type { Pod, PodSpec, Toleration } from './pod-object.ts';
import { placementFaults } from './pod-placement-validation.ts';
import { settingsFaults } from './pod-settings-validation.ts';
import { volumesFaults } from './volume-validation.ts';

const maxSeconds = 2_147_483_647;
const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];

/** What is wrong with a pod's spec, or with that of a pod template. */
export function podSpecFaults(spec: PodSpec, path: string): FieldError[] {
  const volumes = volumesFaults(spec.volumes ?? [], `${path}.volumes`);
  const around = { volumes: volumes.names };
  const others = spec.containers ?? [];
  const errors = [
    ...volumes.errors,
    ...containersFaults(others, `${path}.containers`, around),
    ...initContainersFaults(spec.initContainers ?? [], `${path}.initContainers`, { ...around, others }),
    ...restartPolicyFaults(spec.restartPolicy, `${path}.restartPolicy`),
    ...choiceFaults(spec.dnsPolicy, `${path}.dnsPolicy`, dnsPolicies),
  ];
  checkLabels(spec.nodeSelector, `${path}.nodeSelector`, errors);
  errors.push(...settingsFaults(spec, path), ...placementFaults(spec, path));
  for (const name of ['serviceAccountName', 'nodeName', 'priorityClassName'] as const) {
    const value = spec[name] ?? '';
    if (value === '') continue;
    for (const fault of subdomainFaults(value)) errors.push(invalidError(`${path}.${name}`, value, fault));
  }
  const deadline = spec.activeDeadlineSeconds;
  if (deadline !== undefined && (deadline < 1 || deadline > maxSeconds)) {
    errors.push(
      invalidError(`${path}.activeDeadlineSeconds`, deadline, `must be between 1 and ${maxSeconds}, inclusive`),
    );
  }
  for (const name of ['hostname', 'subdomain'] as const) {
    const value = spec[name] ?? '';
    if (value !== '') errors.push(...labelFaults(value, `${path}.${name}`));
  }
  return [...errors, ...tolerationFaults(spec.tolerations ?? [], `${path}.tolerations`)];
}

function tolerationFaults(tolerations: Toleration[], field: string): FieldError[] {
  return tolerations.flatMap((toleration, index) => oneTolerationFaults(toleration, `${field}[${index}]`));
}

function oneTolerationFaults(toleration: Toleration, path: string): FieldError[] {
  const { key = '', operator = '', value = '', effect = '' } = toleration;
  const errors: FieldError[] = [];
  if (key !== '') for (const fault of qualifiedNameFaults(key)) errors.push(invalidError(`${path}.key`, key, fault));
  if (key === '' && operator !== 'Exists') {
    const words = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalidError(`${path}.operator`, operator, words));
  }
  if (toleration.tolerationSeconds !== undefined && effect !== 'NoExecute') {
    const words = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    errors.push(invalidError(`${path}.effect`, effect, words));
  }
  if (operator === 'Equal' || operator === '') {
    const faults = labelValueFaults(value);
    if (faults.length > 0) errors.push(invalidError(`${path}.operator`, value, faults.join(';')));
  } else if (operator !== 'Exists') {
    errors.push(notSupportedError(`${path}.operator`, operator, ['Equal', 'Exists']));
  } else if (value !== '') {
    errors.push(invalidError(`${path}.operator`, value, "value must be empty when `operator` is 'Exists'"));
  }
  if (effect !== '') errors.push(...effectFaults(effect, `${path}.effect`));
  return errors;
}

/** What a taint does to pods that do not tolerate it. */
export function effectFaults(effect: string, path: string): FieldError[] {
  return choiceFaults(effect, path, effects);
}

const updatable =
  '`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** What may not change in a pod once it is there: nearly everything. */
export function podUpdateFaults(pod: Pod, old: Pod): FieldError[] {
  const spec = pod.spec ?? {};
  const was = old.spec ?? {};
  const errors = podSpecFaults(spec, 'spec');
  for (const list of ['containers', 'initContainers'] as const) {
    if ((spec[list] ?? []).length === (was[list] ?? []).length) continue;
    return [...errors, forbiddenError(`spec.${list}`, 'pod updates may not add or remove containers')];
  }
  errors.push(...deadlineFaults(spec.activeDeadlineSeconds, was.activeDeadlineSeconds));
  errors.push(...removedTolerationFaults(spec.tolerations ?? [], was.tolerations ?? []));
  errors.push(...addedGateFaults(spec, was));
  const changed = fieldsChanged(spec, was);
  if (changed.length > 0) {
    const words = `pod updates may not change fields other than ${updatable}\n${changed.join('\n')}`;
    errors.push(forbiddenError('spec', words));
  }
  return errors;
}

function deadlineFaults(next: number | undefined, was: number | undefined): FieldError[] {
  const field = 'spec.activeDeadlineSeconds';
  if (next === undefined) {
    const words = 'must not update from a positive integer to nil value';
    return was === undefined ? [] : [invalidError(field, null, words)];
  }
  if (was === undefined || was >= next) return [];
  return [invalidError(field, next, 'must be less than or equal to previous value')];
}

function removedTolerationFaults(next: Toleration[], was: Toleration[]): FieldError[] {
  const core = ({ tolerationSeconds: _seconds, ...rest }: Toleration): string => goJson(rest);
  const known = new Set(next.map(core));
  const isKept = was.every((old) => known.has(core(old)));
  const words = 'existing toleration can not be modified except its tolerationSeconds';
  return isKept ? [] : [forbiddenError('spec.tolerations', words)];
}

function addedGateFaults(spec: PodSpec, was: PodSpec): FieldError[] {
  const before = new Set((was.schedulingGates ?? []).map((gate) => gate.name));
  return (spec.schedulingGates ?? []).flatMap(({ name }, index) =>
    before.has(name)
      ? []
      : [
          forbiddenError(
            `spec.schedulingGates[${index}].name`,
            `only deletion is allowed, but found new scheduling gate '${name ?? ''}'`,
          ),
        ],
  );
}

/** The fields of the spec that differ although they may not, each with its old and new value. */
function fieldsChanged(spec: PodSpec, was: PodSpec): string[] {
  const settled: PodSpec = { ...spec };
  for (const list of ['containers', 'initContainers'] as const) {
    const containers = spec[list];
    if (containers === undefined) continue;
    settled[list] = containers.map((container, index) => withImage(container, was[list]?.[index]?.image));
  }
  for (const name of ['activeDeadlineSeconds', 'tolerations', 'schedulingGates'] as const) {
    if (was[name] === undefined) delete settled[name];
    else Object.assign(settled, { [name]: was[name] });
  }
  const grace = was.terminationGracePeriodSeconds;
  if (grace !== undefined && grace < 0 && settled.terminationGracePeriodSeconds === 1) {
    settled.terminationGracePeriodSeconds = grace;
  }
  const left = settled as Record<string, unknown>;
  const right = was as Record<string, unknown>;
  return [...new Set([...Object.keys(left), ...Object.keys(right)])]
    .filter((key) => !isDeepStrictEqual(left[key], right[key]))
    .map((key) => `- ${key}: ${JSON.stringify(right[key])}\n+ ${key}: ${JSON.stringify(left[key])}`);
}

function withImage<T extends { image?: string }>(container: T, image: string | undefined): T {
  return image === undefined ? container : { ...container, image };
}

/** What may not be written into a pod's status. */
export function podStatusFaults(pod: Pod, old: Pod): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, condition] of (pod.status?.conditions ?? []).entries()) {
    if (['PodScheduled', 'Ready', 'Initialized'].includes(condition.type)) continue;
    for (const fault of qualifiedNameFaults(condition.type)) {
      errors.push(invalidError(`status.conditions[${index}].Type`, condition.type, fault));
    }
  }
  return [...errors, ...changeFaults('status.qosClass', pod.status?.qosClass, old.status?.qosClass)];
}
