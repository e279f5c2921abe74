import type { BareMetalHost, BareMetalHostSpec } from '../../api/index.ts';
import type { AdmissionRequest, Denial } from '../../kube/index.ts';

/** A Secret that a host names anew, or has sent to another address. */
export interface NamedSecret {
  readonly field: string;
  readonly name: string;
}

/**
 * The Secrets whose contents a request has sent somewhere: credentials to another address, in clear text or to whoever
 * answers there, and data of the first boot to the machine. Pure.
 */
export function newlyNamedSecrets({ object, oldObject }: AdmissionRequest): NamedSecret[] {
  const now = specOf(object);
  const before = specOf(oldObject);
  const named = (field: string, read: (spec: Partial<BareMetalHostSpec>) => string | undefined): NamedSecret[] => {
    const name = read(now) ?? '';
    return name === '' || name === read(before) ? [] : [{ field, name }];
  };
  const login = now.bmc?.credentialsName ?? '';
  const isSentElsewhere = JSON.stringify(destinationOf(now)) !== JSON.stringify(destinationOf(before));
  return [
    ...(login === '' || !isSentElsewhere ? [] : [{ field: 'spec.bmc', name: login }]),
    ...named('spec.userData', ({ userData }) => userData?.name),
    ...named('spec.networkData', ({ networkData }) => networkData?.name),
    ...named('spec.metaData', ({ metaData }) => metaData?.name),
    ...named('spec.preprovisioningNetworkDataName', ({ preprovisioningNetworkDataName: name }) => name),
  ];
}

function specOf(object: AdmissionRequest['object']): Partial<BareMetalHostSpec> {
  return (object as BareMetalHost | null | undefined)?.spec ?? {};
}

/** Which log-in goes where, and whether whoever answers there has to prove that they are it. */
function destinationOf({ bmc }: Partial<BareMetalHostSpec>): readonly unknown[] {
  return [bmc?.credentialsName ?? '', bmc?.address ?? '', bmc?.disableCertificateVerification === true];
}

/** Says what the user may not name. Pure. */
export function judgeNamedSecrets(
  { userInfo, namespace = '' }: AdmissionRequest,
  named: readonly NamedSecret[],
  unreadable: readonly string[],
): Denial[] {
  const who = userInfo.username ?? 'somebody';
  return named
    .filter(({ name }) => unreadable.includes(name))
    .map(({ field, name }) => ({
      field,
      message: `whoever says where the Secret ${name} is sent can read it, and ${who} may not get it in ${namespace}`,
    }));
}
