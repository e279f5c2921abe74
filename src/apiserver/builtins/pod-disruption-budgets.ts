import { type FieldError, invalidError, type JsonSchema, notSupportedError } from '../../schema/index.ts';
import type { LabelSelector } from '../meta/selectors.ts';
import type { KubeObject } from '../object.ts';
import type { BuiltinResource, Strategy } from '../resource.ts';
import { negativeFaults, selectorFaults } from './checks.ts';
import { nameAndAge, textColumn } from './table.ts';

/** policy/v1 PodDisruptionBudget. */
export interface PodDisruptionBudget extends KubeObject {
  spec?: {
    minAvailable?: number | string;
    maxUnavailable?: number | string;
    selector?: LabelSelector;
    unhealthyPodEvictionPolicy?: string;
  };
  status?: {
    observedGeneration?: number;
    disruptionsAllowed?: number;
    currentHealthy?: number;
    desiredHealthy?: number;
    expectedPods?: number;
    disruptedPods?: Record<string, string>;
    conditions?: {
      type: string;
      status: string;
      reason: string;
      message: string;
      lastTransitionTime: string | null;
      observedGeneration?: number;
    }[];
  };
}

/** Where budgets are stored. */
export const budgetBucket = 'policy/poddisruptionbudgets';

function validate({ spec = {} }: PodDisruptionBudget): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.minAvailable !== undefined && spec.maxUnavailable !== undefined) {
    const shown = {
      MinAvailable: spec.minAvailable,
      Selector: spec.selector ?? null,
      MaxUnavailable: spec.maxUnavailable,
      UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
    };
    const words = 'minAvailable and maxUnavailable cannot be both set';
    errors.push({ ...invalidError('spec', null, words), badValueText: JSON.stringify(shown) });
  }
  errors.push(...amountFaults(spec.minAvailable, 'spec.minAvailable'));
  errors.push(...amountFaults(spec.maxUnavailable, 'spec.maxUnavailable'));
  errors.push(...selectorFaults(spec.selector ?? {}, 'spec.selector'));
  const policy = spec.unhealthyPodEvictionPolicy;
  const policies = ['AlwaysAllow', 'IfHealthyBudget'];
  if (policy !== undefined && !policies.includes(policy)) {
    errors.push(notSupportedError('spec.unhealthyPodEvictionPolicy', policy, policies));
  }
  return errors;
}

function amountFaults(value: number | string | undefined, field: string): FieldError[] {
  if (value === undefined) return [];
  if (typeof value === 'number') return negativeFaults(value, field);
  if (!/^[0-9]+%$/.test(value)) {
    const words =
      "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
    return [invalidError(field, value, words)];
  }
  return Number.parseInt(value, 10) > 100 ? [invalidError(field, value, 'must not be greater than 100%')] : [];
}

function validateStatus({ status = {} }: PodDisruptionBudget): FieldError[] {
  const numbers = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const;
  return numbers.flatMap((name) => negativeFaults(status[name], `status.${name}`));
}

const emptyStatus = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };

const strategy: Strategy = {
  hasGeneration: true,
  prepareForCreate(budget: PodDisruptionBudget) {
    budget.status = { ...emptyStatus };
  },
  validate,
  validateUpdate: validate,
  validateStatusUpdate: validateStatus,
};

/** Pod disruption budgets: how many pods may be evicted at a time. */
export function podDisruptionBudgets(schema: JsonSchema): BuiltinResource {
  return {
    group: 'policy',
    version: 'v1',
    resource: 'poddisruptionbudgets',
    singular: 'poddisruptionbudget',
    kind: 'PodDisruptionBudget',
    namespaced: true,
    shortNames: ['pdb'],
    hasStatus: true,
    allowsUnconditionalUpdate: false,
    schema,
    strategy,
    table: nameAndAge(
      [
        textColumn('Min Available', 'How many pods must stay.'),
        textColumn('Max Unavailable', 'How many pods may be missing.'),
        { name: 'Allowed Disruptions', type: 'integer', description: 'How many pods may be evicted now.' },
      ],
      (object) => {
        const { spec = {}, status = {} } = object as PodDisruptionBudget;
        return [
          String(spec.minAvailable ?? 'N/A'),
          String(spec.maxUnavailable ?? 'N/A'),
          status.disruptionsAllowed ?? 0,
        ];
      },
    ),
  };
}
