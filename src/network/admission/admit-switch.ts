import type { Switch } from '../../api/index.ts';
import { type AdmissionRequest, allowed, type Denial, denied, type Verdict } from '../../kube/index.ts';
import { nameOf, namespaceOf, referenceKey } from '../fabric/references.ts';
import { isPortName } from '../port/judge-port.ts';

/** What is known besides a Switch that is written. */
export interface SwitchAdmissionSeen {
  /** False when its provider is in a namespace where the user may not change such a thing. */
  readonly mayUseProvider: boolean;
  /** What will not be possible with its provider, as far as that is there already. */
  readonly warnings?: readonly string[];
  /** Another Switch that uses the provider. */
  readonly rival: string | undefined;
  /** Another Switch of the namespace that lists a SwitchPort of that name. */
  readonly listerOf: (port: string) => string | undefined;
}

/** Judges a Switch. Pure. */
export function admitSwitch(request: AdmissionRequest, known: SwitchAdmissionSeen | undefined): Verdict {
  const object = request.object as unknown as Switch | null | undefined;
  if (object === undefined || object === null || object.metadata.deletionTimestamp !== undefined) return allowed();
  const before = request.oldObject as unknown as Switch | null | undefined;
  const reasons = [...judgeNames(object), ...judgePlace(object, before, known)];
  return reasons.length === 0 ? allowed(...(known?.warnings ?? [])) : denied(...reasons);
}

function judgeNames({ spec }: Switch): Denial[] {
  const message = 'no port has such a name: letters, digits and . _ : / + @ - are allowed';
  return [
    ...Object.entries(spec.ports ?? {})
      .filter(([, { name }]) => !isPortName(name))
      .map(([key]) => ({ field: `spec.ports[${key}].name`, message })),
    ...(spec.managementPort === undefined || isPortName(spec.managementPort)
      ? []
      : [{ field: 'spec.managementPort', message }]),
  ];
}

function judgePlace(
  object: Switch,
  before: Switch | null | undefined,
  known: SwitchAdmissionSeen | undefined,
): Denial[] {
  if (known === undefined) return [];
  const home = namespaceOf(object);
  const provider = referenceKey(object.spec.provider, home);
  const isNew = (name: string): boolean => before?.spec.ports?.[name] === undefined;
  const isOtherProvider =
    before === undefined || before === null || referenceKey(before.spec.provider, home) !== provider;
  const { kind } = object.spec.provider;
  return [
    ...(known.mayUseProvider
      ? []
      : [{ field: 'spec.provider', message: `only those who may change ${kind} ${provider} can use it from ${home}` }]),
    ...(known.rival === undefined || !isOtherProvider
      ? []
      : [{ field: 'spec.provider', message: `the Switch ${known.rival} uses ${kind} ${provider} already` }]),
    ...Object.keys(object.spec.ports ?? {})
      .filter(isNew)
      .flatMap((name) => {
        const lister = known.listerOf(name);
        if (lister === undefined || lister === nameOf(object)) return [];
        return [{ field: `spec.ports[${name}]`, message: `the Switch ${lister} lists a port of that name already` }];
      }),
  ];
}
