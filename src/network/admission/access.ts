import { metal3Group } from '../../api/index.ts';
import type { AccessQuestion } from '../../kube/index.ts';

/** Who describes the switches of a namespace is of the infra team there. */
export function infraQuestion(namespace: string): AccessQuestion {
  return { verb: 'update', group: metal3Group, resource: 'switches', namespace };
}

/** Who writes configurations in a namespace is a user of the tenant. */
export function tenantQuestion(namespace: string): AccessQuestion {
  return { verb: 'create', group: metal3Group, resource: 'switchportconfigurations', namespace };
}
