import { type BmcAddressReading, readBmcAddress } from '../../provisioners/index.ts';
import {
  counting,
  type Draft,
  type HostSeen,
  rest,
  type SecretSeen,
  type Step,
  telling,
  withStatus,
} from '../decide/seen.ts';
import { withError } from '../status/host-status.ts';

/** What is said about the BMC of a host. */
export interface BmcGiven {
  readonly address: string;
  readonly credentialsName: string;
}

/** What the spec says about the BMC; empty where it says nothing. */
export function bmcOf({ host }: Pick<HostSeen, 'host'>): BmcGiven {
  const { address = '', credentialsName = '' } = host.spec?.bmc ?? {};
  return { address, credentialsName };
}

/** True when nothing is said about the BMC: its power cannot be switched, and it cannot be rebooted. */
export function isWithoutBmc(host: HostSeen['host']): boolean {
  const { address, credentialsName } = bmcOf({ host });
  return address === '' && credentialsName === '';
}

/** Why a host cannot be reached as it is described. */
export interface CredentialFault {
  readonly message: string;
  /** True when only a Secret is missing, which may come. */
  readonly isMissing: boolean;
}

/** What is wrong with the way to the BMC; undefined when nothing is, or when the Secret was not read yet. */
export function faultOf({ address, credentialsName }: BmcGiven, secret: SecretSeen): CredentialFault | undefined {
  const fault = (message: string): CredentialFault => ({ message, isMissing: false });
  if (address === '') return fault('Empty BMC address Missing BMC connection detail: set spec.bmc.address');
  if (credentialsName === '') {
    return fault('No BMC CredentialsName defined The BMC CredentialsName is empty: set spec.bmc.credentialsName');
  }
  if (secret.kind === 'missing') {
    const message = `BMC CredentialsName secret doesn't exist The secret ${credentialsName} is not in the namespace of the host`;
    return { message, isMissing: true };
  }
  if (secret.kind === 'found') {
    for (const part of ['username', 'password'] as const) {
      if (secret[part].trim() === '') {
        return fault(`Validation error with BMC credentials: Missing BMC connection detail '${part}' in credentials`);
      }
    }
  }
  const reading: BmcAddressReading = readBmcAddress(address);
  return reading.kind === 'known' ? undefined : fault(reading.message);
}

/** Whether a host can be reached; while it leaves, it may go on without. */
export type Access =
  | { readonly kind: 'usable' }
  | { readonly kind: 'without' }
  | { readonly kind: 'not yet'; readonly step: Step };

/** Sees to the credentials of a host: read and claimed once, judged every time. */
export function findAccess(seen: HostSeen, draft: Draft): Access {
  const bmc = bmcOf(seen);
  const isLeaving = seen.host.metadata.deletionTimestamp !== undefined;
  const { secret } = seen;
  const isUnclaimed = secret.kind === 'unread' || (secret.kind === 'found' && !secret.isClaimed && !isLeaving);
  const fault = faultOf(bmc, secret);
  if (isUnclaimed && bmc.address !== '' && bmc.credentialsName !== '') {
    const key = `claim ${bmc.credentialsName}`;
    const effect = { kind: 'claim-secret', key, name: bmc.credentialsName, isLeaving } as const;
    return { kind: 'not yet', step: { kind: 'do', draft, effects: [effect] } };
  }
  if (fault === undefined) return { kind: 'usable' };
  if (isLeaving) return { kind: 'without' };
  return { kind: 'not yet', step: tellFault(seen, draft, fault) };
}

/** A fault that is told already is not told again. */
function tellFault(seen: HostSeen, draft: Draft, { message, isMissing }: CredentialFault): Step {
  const wake = isMissing ? { after: seen.settings.secretRetryMs } : ({ on: 'change' } as const);
  const { status } = draft;
  if (status.errorType === 'registration error' && status.errorMessage === message) {
    return rest(draft, wake, 'BMCCredentialError', message);
  }
  const failed = withStatus(draft, withError(status, 'registration error', message));
  const told = telling(failed, 'Warning', 'BMCCredentialError', message);
  const counted = counting(told, isMissing ? 'credentialsMissing' : 'credentialsInvalid');
  return rest(counted, wake, 'BMCCredentialError', message);
}

/** True when the BMC of a host was reached some time; one without can only have come by itself. */
export function wasReached({ goodCredentials }: HostSeen['status']): boolean {
  return (goodCredentials?.credentialsVersion ?? '') !== '';
}

/** True when a status names the Secret of the host in the version that was read. */
export function isVersion(
  noted: { credentials?: { name?: string; namespace?: string }; credentialsVersion?: string } | undefined,
  seen: HostSeen,
): boolean {
  if (seen.secret.kind !== 'found' || noted === undefined) return false;
  return noted.credentials?.name === bmcOf(seen).credentialsName && noted.credentialsVersion === seen.secret.version;
}

/** The Secret of the host in the version that was read, as a status names it. */
export function noteVersion(seen: HostSeen): {
  credentials: { name: string; namespace: string };
  credentialsVersion: string;
} {
  const namespace = seen.host.metadata.namespace ?? '';
  const version = seen.secret.kind === 'found' ? seen.secret.version : '';
  return { credentials: { name: bmcOf(seen).credentialsName, namespace }, credentialsVersion: version };
}
