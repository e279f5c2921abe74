import {
  duplicateError,
  type FieldError,
  forbiddenError,
  invalidError,
  label1123Faults,
  labelValueFaults,
  notSupportedError,
  qualifiedNameFaults,
  requiredError,
} from '../../schema/index.ts';
import type { LabelSelector } from '../meta/selectors.ts';
import { selectorFaults } from './checks.ts';
import type { PodSpec } from './pod-object.ts';
import type { Affinity, NodeRequirement, NodeTerm, PodAffinity, PodAffinityTerm, Spread } from './pod-placement.ts';

const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';

/** What is wrong with where a pod may run. */
export function placementFaults(spec: PodSpec, path: string): FieldError[] {
  return [
    ...affinityFaults(spec.affinity ?? {}, `${path}.affinity`),
    ...gateFaults(spec, path),
    ...spreadFaults(spec.topologySpreadConstraints ?? [], `${path}.topologySpreadConstraints`),
  ];
}

function affinityFaults(affinity: Affinity, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  const must = nodeAffinity?.[required];
  if (must !== undefined)
    errors.push(...nodeSelectorFaults(must.nodeSelectorTerms ?? [], `${path}.nodeAffinity.${required}`));
  for (const [index, { weight, preference }] of (nodeAffinity?.[preferred] ?? []).entries()) {
    const at = `${path}.nodeAffinity.${preferred}[${index}]`;
    errors.push(
      ...weightFaults(weight, at),
      ...nodeTermFaults(preference ?? {}, `${at}.preference`, { isLenient: true }),
    );
  }
  if (podAffinity !== undefined) errors.push(...podAffinityFaults(podAffinity, `${path}.podAffinity`));
  if (podAntiAffinity !== undefined) errors.push(...podAffinityFaults(podAntiAffinity, `${path}.podAntiAffinity`));
  return errors;
}

function nodeSelectorFaults(terms: NodeTerm[], path: string): FieldError[] {
  const field = `${path}.nodeSelectorTerms`;
  if (terms.length === 0) return [requiredError(field, 'must have at least one node selector term')];
  // kube-apiserver forgives label values that cannot be: such a term just never fits.
  return terms.flatMap((term, index) => nodeTermFaults(term, `${field}[${index}]`, { isLenient: true }));
}

function nodeTermFaults(term: NodeTerm, path: string, rule: { isLenient: boolean }): FieldError[] {
  return (term.matchExpressions ?? []).flatMap((requirement, index) =>
    requirementFaults(requirement, `${path}.matchExpressions[${index}]`, rule),
  );
}

function requirementFaults(
  { key = '', operator = '', values = [] }: NodeRequirement,
  path: string,
  { isLenient }: { isLenient: boolean },
): FieldError[] {
  const errors: FieldError[] = [];
  if (operator === 'In' || operator === 'NotIn') {
    const words = "must be specified when `operator` is 'In' or 'NotIn'";
    if (values.length === 0) errors.push(requiredError(`${path}.values`, words));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    const words = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    if (values.length > 0) errors.push(forbiddenError(`${path}.values`, words));
  } else if (operator === 'Gt' || operator === 'Lt') {
    const words = "must be specified single value when `operator` is 'Lt' or 'Gt'";
    if (values.length !== 1) errors.push(requiredError(`${path}.values`, words));
  } else errors.push(invalidError(`${path}.operator`, operator, 'not a valid selector operator'));
  for (const fault of qualifiedNameFaults(key)) errors.push(invalidError(`${path}.key`, key, fault));
  if (isLenient) return errors;
  for (const [index, value] of values.entries()) {
    for (const fault of labelValueFaults(value)) errors.push(invalidError(`${path}.values[${index}]`, value, fault));
  }
  return errors;
}

function weightFaults(weight = 0, path: string): FieldError[] {
  return weight < 1 || weight > 100 ? [invalidError(`${path}.weight`, weight, 'must be in the range 1-100')] : [];
}

function podAffinityFaults(affinity: PodAffinity, path: string): FieldError[] {
  const must = (affinity[required] ?? []).flatMap((term, index) =>
    podTermFaults(term, `${path}.${required}[${index}]`),
  );
  const should = (affinity[preferred] ?? []).flatMap(({ weight, podAffinityTerm }, index) => {
    const at = `${path}.${preferred}[${index}]`;
    return [...weightFaults(weight, at), ...podTermFaults(podAffinityTerm ?? {}, `${at}.podAffinityTerm`)];
  });
  return [...must, ...should];
}

function podTermFaults(term: PodAffinityTerm, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const part of ['labelSelector', 'namespaceSelector'] as const) {
    const selector: LabelSelector | undefined = term[part];
    if (selector !== undefined) errors.push(...selectorFaults(selector, `${path}.${part}`));
  }
  for (const name of term.namespaces ?? []) {
    for (const fault of label1123Faults(name)) errors.push(invalidError(`${path}.namespace`, name, fault));
  }
  const key = term.topologyKey ?? '';
  if (key === '') errors.push(requiredError(`${path}.topologyKey`, 'can not be empty'));
  for (const fault of qualifiedNameFaults(key)) errors.push(invalidError(`${path}.topologyKey`, key, fault));
  return errors;
}

function gateFaults(spec: PodSpec, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, { conditionType }] of (spec.readinessGates ?? []).entries()) {
    const field = `${path}.readinessGates[${index}].conditionType`;
    for (const fault of qualifiedNameFaults(conditionType)) errors.push(invalidError(field, conditionType, fault));
  }
  const seen = new Set<string>();
  for (const [index, { name = '' }] of (spec.schedulingGates ?? []).entries()) {
    const field = `${path}.schedulingGates[${index}]`;
    for (const fault of qualifiedNameFaults(name)) errors.push(invalidError(field, name, fault));
    if (seen.has(name)) errors.push(duplicateError(field, name));
    seen.add(name);
  }
  return errors;
}

function spreadKey({ topologyKey = '', whenUnsatisfiable = '' }: Spread): string {
  return JSON.stringify([topologyKey, whenUnsatisfiable]);
}

function spreadFaults(spreads: Spread[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  const actions = ['DoNotSchedule', 'ScheduleAnyway'];
  const last = new Map(spreads.map((spread, index) => [spreadKey(spread), index]));
  for (const [index, spread] of spreads.entries()) {
    const at = `${path}[${index}]`;
    const { maxSkew = 0, topologyKey = '', whenUnsatisfiable: action = '' } = spread;
    if (maxSkew <= 0) errors.push(invalidError(`${at}.maxSkew`, maxSkew, 'must be greater than zero'));
    if (topologyKey === '') errors.push(requiredError(`${at}.topologyKey`, 'can not be empty'));
    if (!actions.includes(action)) errors.push(notSupportedError(`${at}.whenUnsatisfiable`, action, actions));
    if (index < (last.get(spreadKey(spread)) ?? index)) {
      errors.push(duplicateError(`${at}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${action}}`));
    }
    if (spread.labelSelector !== undefined) errors.push(...selectorFaults(spread.labelSelector, `${at}.labelSelector`));
  }
  return errors;
}
