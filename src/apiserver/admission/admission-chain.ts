import type { KubeObject } from '../object.ts';
import type { ServedResource } from '../served-resource.ts';
import type { Admission, AdmissionAttributes } from './admission.ts';

/** Several admissions in one: each mutates in turn, then each validates in turn. */
export function chainAdmission(links: readonly Admission[]): Admission {
  return {
    isIdle: (resource: ServedResource, operation) => links.every((link) => link.isIdle(resource, operation)),
    async mutate(attributes: AdmissionAttributes): Promise<KubeObject | undefined> {
      let { object } = attributes;
      for (const link of links) {
        if (link.isIdle(attributes.resource, attributes.operation)) continue;
        object = await link.mutate({ ...attributes, object });
      }
      return object;
    },
    async validate(attributes: AdmissionAttributes): Promise<void> {
      for (const link of links) {
        if (!link.isIdle(attributes.resource, attributes.operation)) await link.validate(attributes);
      }
    },
  };
}
