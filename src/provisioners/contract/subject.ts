import type {
  BmcAccess,
  Deployment,
  FirmwareUpdate,
  HostConfig,
  Provisioners,
  ReachedHost,
  Registration,
} from '../provisioner.ts';

/** What the BMC itself says, past the provisioner. */
export interface BmcLook {
  isPoweredOn(): Promise<boolean>;
  /** The value of a BIOS setting that is in force. */
  bios(name: string): Promise<unknown>;
}

/** A provisioner under test, and a host that it can do everything with. */
export interface ContractSubject {
  readonly provisioners: Provisioners;
  /** Nobody knows it yet; without an id. */
  readonly host: ReachedHost;
  /** Waits as long as the provisioner asked for; one that works by looks needs no time. */
  pause(afterMs: number): Promise<void>;
  readonly look?: BmcLook | undefined;
  /** What inspection must find. */
  readonly expected: { readonly ramMebibytes: number; readonly macs: readonly string[]; readonly cpus: number };
  /** How it is inspected; by its agent unless given. */
  readonly inspectionMode?: Registration['inspectionMode'];
  readonly deployment: Deployment;
  readonly config?: HostConfig | undefined;
  /** The setting to change; without it the first enumeration that may be changed is taken. */
  readonly biosSetting?: string | undefined;
  /** An update that a service can install, and the version that it brings. */
  readonly update?: (FirmwareUpdate & { readonly version: string }) | undefined;
  /** Credentials that the BMC refuses. */
  readonly wrongCredentials?: BmcAccess['credentials'];
  /** Stops what is behind the provisioner and starts it again, with what it kept. */
  restart?(): Promise<void>;
  /** Gives the BMC another password, and says which. */
  changePassword?(): Promise<string>;
  close(): Promise<void>;
}
