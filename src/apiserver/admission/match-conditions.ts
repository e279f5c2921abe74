import {
  type AccessQuestion,
  authorizerValue,
  CelError,
  type CelProgram,
  CostBudget,
  compileCel,
  matchConditionCostBudget,
  matchConditionVariables,
  resourceCheckValue,
  simpleTypes,
} from '../../cel/index.ts';
import type { JsonObject } from '../../schema/index.ts';
import type { AccessQuery, AccessVerdict } from '../auth/auth.ts';
import { joinFaults } from '../auth/rbac/rbac-authorizer.ts';
import { serviceAccountGroups, serviceAccountUser } from '../auth/rbac/subjects.ts';
import type { UserInfo } from '../resource.ts';

/** What conditions are asked about. */
export interface ConditionInput {
  /** The admission request; its objects are variables of their own. */
  readonly request: JsonObject;
  readonly object: JsonObject | null;
  readonly oldObject: JsonObject | null;
  readonly user: UserInfo;
  authorize(query: AccessQuery): AccessVerdict;
}

/** Whether every condition holds; a text says which could not be evaluated. */
export type ConditionMatcher = (input: ConditionInput) => boolean | { readonly fault: string };

type Condition = { readonly expression: string } & ({ readonly program: CelProgram } | { readonly fault: string });

/** Compiles match conditions; undefined when there are none. */
export function compileConditions(
  conditions: readonly { readonly name: string; readonly expression: string }[],
): ConditionMatcher | undefined {
  if (conditions.length === 0) return undefined;
  const compiled = conditions.map(({ expression }) => compileCondition(expression));
  return (input) => {
    const budget = new CostBudget(matchConditionCostBudget);
    const variables = variablesOf(input);
    const faults: string[] = [];
    for (const condition of compiled) {
      const verdict = evaluate(condition, variables, budget);
      if (verdict === false) return false;
      if (typeof verdict === 'string') faults.push(verdict);
    }
    return faults.length === 0 ? true : { fault: joinFaults(faults) };
  };
}

function compileCondition(expression: string): Condition {
  const compiled = compileCel(expression, { variables: matchConditionVariables, isStored: true }, simpleTypes.bool);
  return 'program' in compiled ? { expression, program: compiled.program } : { expression, fault: compiled.errors };
}

function evaluate(
  condition: Condition,
  variables: Readonly<Record<string, unknown>>,
  budget: CostBudget,
): boolean | string {
  if (!('program' in condition)) return `compilation error: ${condition.fault}`;
  try {
    return condition.program.evaluate(variables, budget) === true;
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    return `expression '${condition.expression}' resulted in error: ${error.message}`;
  }
}

function variablesOf(input: ConditionInput): Record<string, unknown> {
  const { object, oldObject, ...request } = input.request;
  const authorize = (question: AccessQuestion) => {
    const verdict = input.authorize(queryOf(question, input.user));
    return { allowed: verdict.isAllowed, reason: verdict.reason };
  };
  const resource = input.request.resource as JsonObject;
  const about = {
    group: String(resource.group ?? ''),
    resource: String(resource.resource ?? ''),
    ...optional('subresource', input.request.subResource),
    ...optional('namespace', input.request.namespace),
    ...optional('name', input.request.name),
  };
  return {
    object: input.object,
    oldObject: input.oldObject,
    request,
    authorizer: authorizerValue(authorize),
    'authorizer.requestResource': resourceCheckValue(authorize, about),
  };
}

function optional<K extends string>(name: K, value: unknown): { [key in K]?: string } {
  return typeof value === 'string' && value !== '' ? ({ [name]: value } as { [key in K]?: string }) : {};
}

function queryOf(question: AccessQuestion, user: UserInfo): AccessQuery {
  const { serviceAccount: account } = question;
  const who: UserInfo =
    account === undefined
      ? user
      : {
          username: serviceAccountUser(account.namespace, account.name),
          groups: [...serviceAccountGroups(account.namespace), 'system:authenticated'],
        };
  return {
    user: who,
    verb: question.verb,
    isResource: question.path === undefined,
    path: question.path ?? '',
    group: question.group ?? '',
    resource: question.resource ?? '',
    subresource: question.subresource ?? '',
    namespace: question.namespace ?? '',
    name: question.name ?? '',
  };
}
