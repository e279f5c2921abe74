import type {
  BareMetalHostSpec,
  HardwareDetails,
  HostFirmwareComponentsStatus,
  Image,
  Raid,
  RootDeviceHints,
} from '../api/index.ts';
import type { DiscoverySource } from './discovery-source.ts';

/**
 * What one call came to. Every call may be made again at any time and goes on where the last one ended, whoever made it:
 * the provisioner's own record of the host says how far it is.
 */
export type Outcome<T = undefined> =
  /** All is as asked for. */
  | { readonly kind: 'done'; readonly value: T }
  /**
   * It is under way; ask again after this long. `hasStarted` is true in the one answer that began it. `isUnderWay` is
   * true where work of just this kind is seen to be done, whoever began it. `progress` says how far it is, for people.
   */
  | {
      readonly kind: 'continue';
      readonly afterMs: number;
      readonly hasStarted?: boolean;
      readonly isUnderWay?: true;
      readonly progress?: string;
    }
  /**
   * It went wrong on the host, in words for its owner. It is tried anew when asked with `isRetry`. `isInUse`: the host
   * runs what was not asked for, so nothing was done to it, and nothing may be. `serviced`: of a live update that failed
   * on its way, what was changed and what was not.
   */
  | {
      readonly kind: 'failed';
      readonly message: string;
      readonly isInUse?: true;
      readonly serviced?: Serviced | undefined;
    }
  /**
   * Somebody else works on it just now, or there is no room: nothing was done. `isUpdating`: its BMC is at an update of
   * firmware, whoever asked for that, and its power is left alone until it has ended.
   */
  | { readonly kind: 'busy'; readonly afterMs: number; readonly message: string; readonly isUpdating?: true }
  /** The provisioner does not know the host (any more). */
  | { readonly kind: 'unregistered' }
  /** The provisioner has to boot an image of its own on the host, and nobody has given it one. */
  | { readonly kind: 'needs-image' }
  /** The provisioner cannot be asked now. Nothing is known of the host by it. */
  | { readonly kind: 'unavailable'; readonly message: string; readonly afterMs: number };

/** Which host is meant, and how it is reached. */
export interface HostIdentity {
  readonly namespace: string;
  readonly name: string;
  /** The provisioner's own id of it, once it has one. */
  readonly id?: string | undefined;
  /** True where that id is only what was noted of the host: nobody has seen yet whether the machine is its own. */
  readonly isIdNoted?: true | undefined;
  /** The uid of its BareMetalHost, which a deployed system goes by (`uuid` of its meta data). */
  readonly uid?: string | undefined;
  /** Undefined for a machine that came by itself, as long as nobody says anything about its BMC. */
  readonly bmc?: BmcAccess | undefined;
  readonly bootMacAddress?: string | undefined;
  /** What a machine that came by itself has told, by which others may know it, and its BMC is seen to be its own. */
  readonly marks?: HostMarks | undefined;
  /**
   * What the last inspection told, also of a host that was registered by hand: for locks and claims, which go by it where
   * nobody knows the machine by its id or address. The host may have moved to another machine since.
   */
  readonly hardware?: HostMarks | undefined;
  readonly isPowerOffDisabled: boolean;
}

/** What a machine has told of itself by which others may know it too. */
export interface HostMarks {
  /** In lower case. */
  readonly macs: readonly string[];
  readonly serialNumber?: string | undefined;
}

/** By what a BMC tells the machine behind it from others. */
export interface BmcMarks {
  /** In lower case; none where the BMC does not know the NICs. */
  readonly macs: readonly string[];
  /** What may be meant by a serial number: vendors put it into more than one place. */
  readonly serialNumbers: readonly string[];
}

/** A host that is reached by its BMC. */
export interface ReachedHost extends HostIdentity {
  readonly bmc: BmcAccess;
}

/** How a BMC is reached. Its password is never logged or told. */
export interface BmcAccess {
  readonly address: string;
  readonly isCertificateUnchecked: boolean;
  /** Absent while a host is deleted whose credentials are gone. */
  readonly credentials?: { readonly username: string; readonly password: string } | undefined;
}

/** What taking over a machine that came by itself needs to know. */
export interface Importing extends Attempt {
  /** What is on its disk: a host that is provisioned is taken over as it is, also by a provisioner that lost it. */
  readonly current?: Deployment | undefined;
}

/** What all calls that may fail on the host are told. */
export interface Attempt {
  /** Whether the last one failed, so that it is to begin anew; false again once an answer said that it has. */
  readonly isRetry: boolean;
}

/** What registering needs to know. */
export interface Registration extends Attempt {
  readonly haveCredentialsChanged: boolean;
  readonly bootMode: NonNullable<BareMetalHostSpec['bootMode']>;
  readonly cleaningMode: 'metadata' | 'disabled';
  readonly architecture?: string | undefined;
  readonly inspectionMode?: BareMetalHostSpec['inspectionMode'];
  /** What is on its disk: a host that is provisioned is taken over as it is. */
  readonly current?: Deployment | undefined;
  readonly isExternallyProvisioned: boolean;
  readonly bootImage?: BootImage | undefined;
  /** True while nothing of the provisioner's own will be booted on it, so that a missing image holds up nothing. */
  readonly isBootImageSpared?: boolean | undefined;
  /** The network of that image as OpenStack describes it, in JSON or YAML, where nobody builds it in. */
  readonly bootNetworkData?: string | undefined;
  /** Others work on the machine: a host that is not known waits (`busy`), since it would have to make way first. */
  readonly isMachineTaken?: boolean | undefined;
  /** The machine came by itself: what is on its disks is not ours to erase before we have written to them. */
  readonly isDiscovered?: true | undefined;
}

/** The image that the provisioner boots to work on a host. */
export interface BootImage {
  readonly imageUrl: string;
  readonly kernelUrl?: string | undefined;
  readonly kernelParameters?: string | undefined;
  readonly format: 'iso' | 'initrd';
}

/** What is written to a host. */
export interface Deployment {
  readonly image?: Image | undefined;
  readonly customDeploy?: { readonly method: string } | undefined;
  readonly rootDeviceHints?: RootDeviceHints | undefined;
  readonly bootMode: NonNullable<BareMetalHostSpec['bootMode']>;
}

/** What a host is told at its first boot, read from its secrets. */
export interface HostConfig {
  readonly userData?: string | undefined;
  readonly networkData?: string | undefined;
  readonly metaData?: string | undefined;
  /** What a registry of `oci://` images asks for, as Ironic takes it. */
  readonly pullSecret?: string | undefined;
}

/** One setting of a BIOS, by name. */
export type FirmwareSettings = Readonly<Record<string, string | number>>;

/** What is known of one setting. */
export interface FirmwareSettingSchema {
  readonly attribute_type?: 'Enumeration' | 'String' | 'Integer' | 'Boolean' | 'Password';
  readonly allowable_values?: readonly string[];
  readonly lower_bound?: number;
  readonly upper_bound?: number;
  readonly min_length?: number;
  readonly max_length?: number;
  readonly read_only?: boolean;
  readonly unique?: boolean;
}

/** The settings of a BIOS, and what they may be. */
export interface FirmwareSettingsSeen {
  readonly settings: Readonly<Record<string, string>>;
  readonly schema: Readonly<Record<string, FirmwareSettingSchema>>;
  readonly vendor?: string | undefined;
  readonly model?: string | undefined;
}

/** A component and the image that it is to get. */
export interface FirmwareUpdate {
  readonly component: string;
  readonly url: string;
}

/** A component as it is. */
export type FirmwareComponentSeen = NonNullable<HostFirmwareComponentsStatus['components']>[number];

/** What is to be changed on a host that nobody uses, before it is available. */
export interface Preparation extends Attempt {
  /** Undefined where RAID is to be left as it is. */
  readonly raid?: Raid | undefined;
  readonly rootDeviceHints?: RootDeviceHints | undefined;
  /** Only what differs from what is. */
  readonly settings?: FirmwareSettings | undefined;
  readonly updates?: readonly FirmwareUpdate[] | undefined;
  /** False once it was begun: then it is only seen to its end. */
  readonly isWanted: boolean;
}

/** What is to be changed on a host in use. */
export interface Servicing {
  /**
   * Names one attempt. What was begun under it is only seen to its end, whoever asks and however often; another name is
   * another attempt, which begins anew also where the last one failed.
   */
  readonly ticket: string;
  /** Only what differs from what is. */
  readonly settings?: FirmwareSettings | undefined;
  readonly updates?: readonly FirmwareUpdate[] | undefined;
  /**
   * False when the owner wants none of it any more: then what is under way is given up. The host may be off by then, since
   * its system is shut down first; only who asks knows whether it may be on, and switches it.
   */
  readonly isSpecified: boolean;
  /**
   * How a host that is on is taken down for it, once for each restart. `soft` (unless given): its system is shut down, and
   * its power is cut when that takes longer than `softOffLimitMs`; `hard`: its power is cut.
   */
  readonly shutdown?: 'soft' | 'hard' | undefined;
}

/**
 * What an attempt changed on a host in use: of what it was begun with, which may not be what is asked for by now. Of one
 * that was given up or failed, that is what was made before.
 */
export interface Serviced {
  readonly settings: FirmwareSettings;
  readonly updates: readonly FirmwareUpdate[];
  /** What was not made of it, or is not known to be; only of one that was given up or failed. */
  readonly left?: Pick<Serviced, 'settings' | 'updates'> | undefined;
}

/** Why the BMC of a host could not be asked. */
export interface BmcProblem {
  /** In words for its owner: what is wrong, and with which BMC. */
  readonly message: string;
  /**
   * `lasting`: it stays until somebody changes something, such as credentials or a certificate. `passing`: it may be over at
   * the next call. `expected`: others work on the machine, which may restart its BMC.
   */
  readonly kind: 'lasting' | 'passing' | 'expected';
}

/** A host as its provisioner sees it from outside. */
export interface HostSeen {
  /** Undefined where that is not known. */
  readonly isPoweredOn?: boolean | undefined;
  /** Undefined where its BMC answers, or is not asked. */
  readonly bmcProblem?: BmcProblem | undefined;
  /** Why the provisioner leaves the machine to others just now; undefined where it does not. */
  readonly maintenance?: string | undefined;
  readonly health?: 'OK' | 'Warning' | 'Critical' | undefined;
  /** Why nothing can be changed on it while it is in use; undefined where that can be done. */
  readonly serviceProblem?: string | undefined;
}

/**
 * How the power is switched. A reboot is done when it was begun, since nothing tells later that it was; so is switching
 * off a host that may not be switched off, which reboots it.
 */
export interface PowerOrder extends Attempt {
  readonly target: 'on' | 'off' | 'reboot';
  readonly mode: 'hard' | 'soft';
  /** Also in the middle of other work, which ends by that. */
  readonly isForced: boolean;
  /** Though forced, not while its BMC writes firmware: nobody has said that it may be lost by that. */
  readonly isUpdateSpared?: true;
  /** Not while it runs a system: one that the asker knows nothing of. */
  readonly isOnlyIfUnused?: true;
}

/** How a host is given back. */
export interface Deprovisioning extends Attempt {
  readonly cleaningMode: 'metadata' | 'disabled';
  /**
   * Where nobody heard whether an attempt began: only what was attempted is taken off, and anything else that runs there
   * is in use. Without an image it was a custom deploy.
   */
  readonly attempted?: { readonly image?: Image | undefined };
}

/** Does for one host what a BareMetalHost asks for. It keeps nothing between calls. */
export interface Provisioner {
  register(order: Registration): Promise<Outcome<{ readonly id: string }>>;
  /**
   * Takes over a machine that came by itself, by the id that discovery told, with or without access to its BMC: nothing
   * is inspected, booted or switched for it. Absent where machines do not come by themselves.
   */
  importHost?(order: Importing): Promise<Outcome<{ readonly id: string }>>;
  /** Takes a host over that runs what somebody deployed before. */
  adopt(order: Attempt & { readonly deployment?: Deployment | undefined }): Promise<Outcome>;
  inspect(
    order: Attempt & {
      /** Begins another one, also where one has told all; to be false once it was begun. */
      readonly isRefresh: boolean;
      readonly isForced: boolean;
      readonly bootMode: Deployment['bootMode'];
    },
  ): Promise<Outcome<HardwareDetails>>;
  /** What an earlier inspection, or the host itself, has told already; nothing is started for it. */
  readInventory(): Promise<Outcome<HardwareDetails | undefined>>;
  look(): Promise<Outcome<HostSeen>>;
  prepare(order: Preparation): Promise<Outcome>;
  service(order: Servicing): Promise<Outcome<Serviced>>;
  provision(
    order: Attempt & { readonly deployment: Deployment; readonly config: HostConfig; readonly isForced: boolean },
  ): Promise<Outcome>;
  deprovision(order: Deprovisioning): Promise<Outcome>;
  setPower(order: PowerOrder): Promise<Outcome>;
  /**
   * Starts the host from the network once, whatever it runs; done when it was restarted. Absent where nobody else brings
   * a system for that.
   */
  bootFromNetwork?(): Promise<Outcome>;
  /** By what its BMC tells the machine behind it from others; nothing is disturbed. Absent where no BMC is asked. */
  readMarks?(): Promise<Outcome<BmcMarks>>;
  /** Forgets the host and leaves it as it is. */
  detach(order: { readonly isForced: boolean }): Promise<Outcome>;
  /** Forgets the host that is to be no more. */
  remove(): Promise<Outcome>;
  readFirmwareSettings(): Promise<Outcome<FirmwareSettingsSeen>>;
  readFirmwareComponents(): Promise<Outcome<readonly FirmwareComponentSeen[]>>;
  /**
   * Says before anything is done why updates cannot be made, each with what to do; none where they can. Absent where only
   * trying tells.
   */
  checkUpdates?(updates: readonly FirmwareUpdate[]): Promise<Outcome<readonly string[]>>;
  /**
   * Puts an image into the virtual drive of the host. What is in it already counts as that image, since a provisioner may
   * serve it under another name: another one has to be taken out first.
   */
  attachDataImage(order: Attempt & { readonly url: string }): Promise<Outcome>;
  /** Empties the virtual drive of the host. */
  detachDataImage(order: Attempt): Promise<Outcome>;
  /** Keeps everybody but us from working on the host while we do; undefined lets them again. */
  setMaintenance(reason: string | undefined): Promise<Outcome>;
}

/** A host that says of itself that it is being serviced: it was let in, whether its provisioner has begun or not. */
export interface ServicedHost extends Pick<HostIdentity, 'namespace' | 'name'> {
  /** Of its BMC. */
  readonly address: string;
}

/** What room is asked for. */
export interface CapacityOrder {
  readonly what: 'inspect' | 'provision' | 'deprovision' | 'service';
  /**
   * Who is being serviced, asked for at the moment it is decided: whoever led before may have let hosts in that have not
   * begun.
   */
  readonly serviced: () => readonly ServicedHost[];
}

/** A system that owns hosts: their disks and how they boot. */
export interface Provisioners {
  of(host: HostIdentity): Provisioner;
  /** Whether one more host may begin to be inspected, provisioned, deprovisioned or serviced; for whatever unless told. */
  hasCapacity(host: HostIdentity, order?: CapacityOrder): Promise<Outcome<boolean>>;
  /** The formats of images that it can boot hosts with, where it does not have one of its own. */
  readonly bootImageFormats: readonly BootImage['format'][] | undefined;
  /**
   * True where changes of firmware (preparing, servicing) are conditions of the engine, which lock the machine
   * themselves: whoever asks for them must not hold it.
   */
  readonly worksByConditions?: boolean | undefined;
  /** Who tells of the machines that it knows, where it can; hosts may be made of those that nobody has registered. */
  readonly sources?: readonly DiscoverySource[] | undefined;
  close(): Promise<void>;
}
