import type { Library } from '../declarations.ts';
import { CelError } from '../errors.ts';
import { CelOpaque, type Value } from '../values.ts';

/** What an expression asks the authorizer: a path, or a resource with all that narrows it down. */
export interface AccessQuestion {
  readonly verb: string;
  /** Set when another identity than that of the request is meant: `namespace/name` of a service account. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

/** The authorizer's answer. */
export interface AccessDecision {
  readonly allowed: boolean;
  readonly reason: string;
  readonly error?: string;
}

/** Answers questions about what the user of a request may do. */
export type Authorize = (question: AccessQuestion) => AccessDecision;

/** Gathers a question, step by step; its type says which steps may follow. */
class AccessCheck extends CelOpaque {
  override readonly typeName: string;
  readonly authorize: Authorize;
  readonly question: Omit<AccessQuestion, 'verb'>;

  constructor(typeName: string, authorize: Authorize, question: Omit<AccessQuestion, 'verb'>) {
    super();
    this.typeName = typeName;
    this.authorize = authorize;
    this.question = question;
  }

  override equals(other: CelOpaque): boolean {
    return other === this;
  }
}

class Decision extends CelOpaque {
  override readonly typeName = decision;
  readonly answer: AccessDecision;

  constructor(answer: AccessDecision) {
    super();
    this.answer = answer;
  }

  override equals(other: CelOpaque): boolean {
    return other === this;
  }
}

const authorizer = 'kubernetes.authorization.Authorizer';
const decision = 'kubernetes.authorization.Decision';
const group = 'kubernetes.authorization.GroupCheck';
const path = 'kubernetes.authorization.PathCheck';
const resource = 'kubernetes.authorization.ResourceCheck';

/** The value of the variable `authorizer`. */
export function authorizerValue(authorize: Authorize): CelOpaque {
  return new AccessCheck(authorizer, authorize, {});
}

/** The value of `authorizer.requestResource`: a check that already names what the request is about. */
export function resourceCheckValue(authorize: Authorize, about: Omit<AccessQuestion, 'verb'>): CelOpaque {
  return new AccessCheck(resource, authorize, about);
}

type Narrowing = (value: string) => Omit<AccessQuestion, 'verb'>;

function step(type: string, narrow: Narrowing, emptyProblem?: string): (check: Value, value: Value) => Value {
  return (check, value) => {
    const { authorize, question } = check as AccessCheck;
    if (emptyProblem !== undefined && value === '') throw new CelError(emptyProblem);
    return new AccessCheck(type, authorize, { ...question, ...narrow(value as string) });
  };
}

function check(of: Value, verb: Value): Value {
  const { authorize, question } = of as AccessCheck;
  return new Decision(authorize({ ...question, verb: verb as string }));
}

function asServiceAccount(of: Value, namespace: Value, name: Value): Value {
  const { authorize, question } = of as AccessCheck;
  const account = { namespace: namespace as string, name: name as string };
  if (account.name === '') throw new CelError('Invalid service account name');
  if (account.namespace === '') throw new CelError('Invalid service account namespace');
  return new AccessCheck(authorizer, authorize, { ...question, serviceAccount: account });
}

const answered = (of: Value): AccessDecision => (of as Decision).answer;

/** The functions of the authorizer. Only match conditions have one; rules of CRDs have no variable to call them on. */
export const authorizerLibrary: Library = {
  path: {
    authorizer_path: [`${authorizer}.(string) -> ${path}`, step(path, (p) => ({ path: p }), 'path must not be empty')],
  },
  group: { authorizer_group: [`${authorizer}.(string) -> ${group}`, step(group, (g) => ({ group: g }))] },
  serviceAccount: { authorizer_serviceaccount: [`${authorizer}.(string, string) -> ${authorizer}`, asServiceAccount] },
  resource: {
    groupcheck_resource: [
      `${group}.(string) -> ${resource}`,
      step(resource, (r) => ({ resource: r, namespace: '', name: '', subresource: '' }), 'resource must not be empty'),
    ],
  },
  subresource: {
    resourcecheck_subresource: [`${resource}.(string) -> ${resource}`, step(resource, (s) => ({ subresource: s }))],
  },
  namespace: {
    resourcecheck_namespace: [`${resource}.(string) -> ${resource}`, step(resource, (n) => ({ namespace: n }))],
  },
  name: { resourcecheck_name: [`${resource}.(string) -> ${resource}`, step(resource, (n) => ({ name: n }))] },
  fieldSelector: {
    authorizer_fieldselector: [`${resource}.(string) -> ${resource}`, step(resource, (s) => ({ fieldSelector: s }))],
  },
  labelSelector: {
    authorizer_labelselector: [`${resource}.(string) -> ${resource}`, step(resource, (s) => ({ labelSelector: s }))],
  },
  check: {
    pathcheck_check: [`${path}.(string) -> ${decision}`, check],
    resourcecheck_check: [`${resource}.(string) -> ${decision}`, check],
  },
  allowed: { decision_allowed: [`${decision}.() -> bool`, (d) => answered(d).allowed] },
  reason: { decision_reason: [`${decision}.() -> string`, (d) => answered(d).reason] },
  error: { decision_error: [`${decision}.() -> string`, (d) => answered(d).error ?? ''] },
  errored: { decision_errored: [`${decision}.() -> bool`, (d) => answered(d).error !== undefined] },
};
