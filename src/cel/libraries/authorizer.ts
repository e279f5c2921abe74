import type { Implementation, Library } from '../declarations.ts';
import { noSuchOverload } from '../errors.ts';

// Rules of CRDs have no authorizer. The functions are declared all the same, so that a rule that tries to use one is
// refused with the one message about the missing variable and none about its functions.
const never: Implementation = () => {
  throw noSuchOverload();
};

const authorizer = 'kubernetes.authorization.Authorizer';
const decision = 'kubernetes.authorization.Decision';
const group = 'kubernetes.authorization.GroupCheck';
const path = 'kubernetes.authorization.PathCheck';
const resource = 'kubernetes.authorization.ResourceCheck';

/** The authorizer's functions, without an authorizer to call them on. */
export const authorizerLibrary: Library = {
  path: { authorizer_path: [`${authorizer}.(string) -> ${path}`, never] },
  group: { authorizer_group: [`${authorizer}.(string) -> ${group}`, never] },
  serviceAccount: { authorizer_serviceaccount: [`${authorizer}.(string, string) -> ${authorizer}`, never] },
  resource: { groupcheck_resource: [`${group}.(string) -> ${resource}`, never] },
  subresource: { resourcecheck_subresource: [`${resource}.(string) -> ${resource}`, never] },
  namespace: { resourcecheck_namespace: [`${resource}.(string) -> ${resource}`, never] },
  name: { resourcecheck_name: [`${resource}.(string) -> ${resource}`, never] },
  fieldSelector: { authorizer_fieldselector: [`${resource}.(string) -> ${resource}`, never] },
  labelSelector: { authorizer_labelselector: [`${resource}.(string) -> ${resource}`, never] },
  check: {
    pathcheck_check: [`${path}.(string) -> ${decision}`, never],
    resourcecheck_check: [`${resource}.(string) -> ${decision}`, never],
  },
  allowed: { decision_allowed: [`${decision}.() -> bool`, never] },
  reason: { decision_reason: [`${decision}.() -> string`, never] },
  error: { decision_error: [`${decision}.() -> string`, never] },
  errored: { decision_errored: [`${decision}.() -> bool`, never] },
};
