import type { AnsibleSwitchSpec, FixtureSwitchSpec, OVSSwitchSpec } from '../api/index.ts';
import type { SwitchDevice } from './switch-device.ts';

/** How one logs in to a switch over SSH. Never logged. */
export interface SshCredentials {
  readonly username: string;
  readonly password?: string | undefined;
  /** In PEM or OpenSSH form. */
  readonly privateKey?: string | undefined;
}

/** What TLS to a switch needs, all in PEM. Never logged. */
export interface TlsCredentials {
  readonly authority?: string | undefined;
  readonly certificate?: string | undefined;
  readonly privateKey?: string | undefined;
}

/** Which switch is meant and how it is reached, as its provider object and Secret say. */
export type SwitchAccess =
  | {
      readonly kind: 'AnsibleSwitch';
      readonly namespace: string;
      readonly name: string;
      readonly spec: AnsibleSwitchSpec;
      readonly credentials: SshCredentials;
    }
  | {
      readonly kind: 'OVSSwitch';
      readonly namespace: string;
      readonly name: string;
      readonly spec: OVSSwitchSpec;
      readonly credentials?: TlsCredentials | undefined;
    }
  | {
      readonly kind: 'FixtureSwitch';
      readonly namespace: string;
      readonly name: string;
      readonly spec: FixtureSwitchSpec;
    };

/** Opens switches of every kind. Opening talks to nobody; `verify` does. Whoever opened a device closes it. */
export interface SwitchProviders {
  open(access: SwitchAccess): SwitchDevice;
  /** Closes what all switches share, such as the runner process. */
  close(): Promise<void>;
}
