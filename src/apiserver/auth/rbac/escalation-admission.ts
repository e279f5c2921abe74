import type { Admission } from '../../admission/admission.ts';
import { canEscalate, refuseEscalation } from './escalation.ts';
import type { RbacAuthorizer } from './rbac-authorizer.ts';

/** Judges writes of roles and bindings once every change to them is known, and before they are validated. */
export function escalationAdmission(authorizer: RbacAuthorizer): Admission {
  return {
    isIdle: (resource, operation) => operation === 'DELETE' || !canEscalate(resource.bucket),
    async mutate(attributes) {
      refuseEscalation(authorizer, attributes);
      return attributes.object;
    },
    validate: async () => undefined,
  };
}
