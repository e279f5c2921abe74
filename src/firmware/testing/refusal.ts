import { ironcoreGroup } from '../../api/index.ts';
import { type AdmissionRule, allowed, defineAdmissionRule, denied } from '../../kube/index.ts';

/** A rule of the house that denies objects of a resource; the text, where there is one, says why this one. */
export function refuseCreation(resource: string, whyNot: (name: string) => string | undefined): AdmissionRule {
  const matches = [
    { groups: [ironcoreGroup], versions: ['*'], resources: [resource], operations: ['CREATE'] },
  ] as const;
  return defineAdmissionRule({
    name: 'refusal.example.org',
    type: 'validating',
    matches,
    read: () => undefined,
    admit({ object }) {
      const why = whyNot(object?.metadata?.name ?? '');
      return why === undefined ? allowed() : denied(why);
    },
  });
}
