import type { SwitchPortConfiguration, SwitchPortConfigurationReference } from '../../api/index.ts';
import { type AdmissionRequest, allowed, denied, namesForPeople, type Verdict } from '../../kube/index.ts';
import { settingsOfSpec } from '../../switches/index.ts';
import { fullReference } from '../fabric/references.ts';

/** Judges a SwitchPortConfiguration: one that is in use stays. Pure. */
export function admitConfiguration(request: AdmissionRequest, users: readonly string[]): Verdict {
  if (request.operation === 'DELETE') {
    if (users.length === 0) return allowed();
    return denied(`it is used by ${namesForPeople(users, 5)}; link something else there first`);
  }
  const object = request.object as unknown as SwitchPortConfiguration | null | undefined;
  if (object === undefined || object === null || request.operation !== 'CREATE') return allowed();
  const read = settingsOfSpec(object.spec);
  return read.kind === 'settings' ? allowed() : denied(...read.problems.map((message) => ({ field: 'spec', message })));
}

interface MachineSpec {
  readonly networkConfiguration?: readonly { readonly ConfigurationRef?: SwitchPortConfigurationReference }[];
}

/** Judges the configurations that a Metal3Machine or its template names: they are of its own namespace. Pure. */
export function admitMachine(request: AdmissionRequest): Verdict {
  const { object, namespace = '' } = request;
  if (object === undefined || object === null || object.metadata?.deletionTimestamp !== undefined) return allowed();
  const spec = (object.spec ?? {}) as MachineSpec & { readonly template?: { readonly spec?: MachineSpec } };
  const inTemplate = spec.template?.spec?.networkConfiguration;
  const [list, path] =
    inTemplate === undefined ? [spec.networkConfiguration ?? [], 'spec'] : [inTemplate, 'spec.template.spec'];
  const reasons = list.flatMap(({ ConfigurationRef: link }, at) =>
    link === undefined || fullReference(link, namespace).namespace === namespace
      ? []
      : [
          {
            field: `${path}.networkConfiguration[${at}].ConfigurationRef`,
            message: `it must be of the namespace ${namespace}`,
          },
        ],
  );
  return reasons.length === 0 ? allowed() : denied(...reasons);
}
