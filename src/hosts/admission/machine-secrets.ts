import type { AdmissionRequest, Denial } from '../../kube/index.ts';
import { judgeNamedSecrets, type NamedSecret } from './named-secrets.ts';

interface SecretName {
  readonly name?: string;
}

/** As far as it names Secrets: of a Metal3Machine, of a Machine, or of what makes these. */
interface MachineSpec {
  readonly userData?: SecretName;
  readonly metaData?: SecretName;
  readonly networkData?: SecretName;
  readonly bootstrap?: { readonly dataSecretName?: string };
  readonly template?: { readonly spec?: MachineSpec };
}

/** The Secrets that a machine, or a template of machines, names anew: its host gets them as data of the first boot. Pure. */
export function newlyNamedByMachine({ object, oldObject }: AdmissionRequest): NamedSecret[] {
  const before = secretsOf(oldObject).map(({ name }) => name);
  return secretsOf(object).filter(({ name }) => !before.includes(name));
}

/** Judges a machine, or a template of machines. Pure. */
export function judgeMachine(request: AdmissionRequest, unreadable: readonly string[]): Denial[] {
  return judgeNamedSecrets(request, newlyNamedByMachine(request), unreadable);
}

function secretsOf(object: AdmissionRequest['object']): NamedSecret[] {
  const spec = (object as { readonly spec?: MachineSpec } | null | undefined)?.spec ?? {};
  const inTemplate = spec.template?.spec;
  const [from, path] = inTemplate === undefined ? [spec, 'spec'] : [inTemplate, 'spec.template.spec'];
  const named: readonly (readonly [string, string | undefined])[] = [
    ['userData', from.userData?.name],
    ['metaData', from.metaData?.name],
    ['networkData', from.networkData?.name],
    ['bootstrap.dataSecretName', from.bootstrap?.dataSecretName],
  ];
  return named.flatMap(([field, name = '']) => (name === '' ? [] : [{ field: `${path}.${field}`, name }]));
}
