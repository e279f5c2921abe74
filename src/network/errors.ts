import type { RetryClass } from '../kube/index.ts';
import type { SwitchFailure } from '../switches/index.ts';

/**
 * Everything that can keep a switch or a port from being as it should. `blocked`: somebody else has to do something
 * first. `terminal`: the same thing again cannot help. `transient`: it is tried again by itself.
 */
export const networkErrors = {
  SwitchNotFound: { retry: 'blocked' },
  SwitchNotReady: { retry: 'blocked' },
  PortNotListed: { retry: 'blocked' },
  ConfigurationNotFound: { retry: 'blocked' },
  ConfigurationInvalid: { retry: 'terminal' },
  ConfigurationNotAllowed: { retry: 'blocked' },
  PortNameInvalid: { retry: 'terminal' },
  PortDisabled: { retry: 'blocked' },
  TrunkNotAllowed: { retry: 'blocked' },
  VLANNotAllowedOnPort: { retry: 'blocked' },
  NoResourceLimit: { retry: 'blocked' },
  VLANOutsideLimit: { retry: 'blocked' },
  ManagementPort: { retry: 'blocked' },
  ProviderNotFound: { retry: 'blocked' },
  ProviderTaken: { retry: 'blocked' },
  PortNameTaken: { retry: 'blocked' },
  CredentialsNotFound: { retry: 'blocked' },
  CredentialsRefused: { retry: 'blocked' },
  SwitchUntrusted: { retry: 'blocked' },
  SwitchUnreachable: { retry: 'transient' },
  NoSuchPort: { retry: 'transient' },
  NotSupported: { retry: 'terminal' },
  ChangeRefused: { retry: 'transient' },
  ChangeUncertain: { retry: 'transient' },
  ChangeNotSeen: { retry: 'transient' },
  Timeout: { retry: 'transient' },
} as const satisfies Record<string, { retry: RetryClass }>;

/** A row of that table. */
export type NetworkErrorCode = keyof typeof networkErrors;

/** What is wrong, as a value. */
export interface NetworkFault {
  readonly code: NetworkErrorCode;
  /** What is wrong, where, and what to do about it; never a secret. */
  readonly message: string;
}

const codes: Readonly<Record<SwitchFailure['kind'], NetworkErrorCode>> = {
  unreachable: 'SwitchUnreachable',
  denied: 'CredentialsRefused',
  untrusted: 'SwitchUntrusted',
  'no-port': 'NoSuchPort',
  unsupported: 'NotSupported',
  refused: 'ChangeRefused',
  uncertain: 'ChangeUncertain',
  mismatch: 'ChangeNotSeen',
  cancelled: 'Timeout',
};

/** What a switch answered, in the words of this room. */
export function faultOfSwitch({ kind, message }: SwitchFailure): NetworkFault {
  return { code: codes[kind], message };
}

const aboutTheSwitch: readonly SwitchFailure['kind'][] = [
  'unreachable',
  'denied',
  'untrusted',
  'cancelled',
  // Whoever was lost in the middle of a change cannot be reached either.
  'uncertain',
];

/** Failures of the way to a switch: they say nothing about what was asked for, and end when the switch is back. */
export function isAboutTheSwitch({ kind }: SwitchFailure): boolean {
  return aboutTheSwitch.includes(kind);
}
