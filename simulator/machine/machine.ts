import type { FaultOpportunity, FaultSet } from '../faults/fault.ts';
import type { Personality } from '../personalities/personality.ts';
import type { JsonValue } from '../redfish/route.ts';
import type { SimClock } from '../time/sim-clock.ts';
import type { EventLog } from './event-log.ts';
import type { FirmwareSlot } from './firmware.ts';
import type { Hardware } from './hardware.ts';
import type { SavedMachine } from './saved-machine.ts';
import type { Tasks } from './tasks.ts';
import type { Updates } from './updates.ts';

/** One server and its BMC: all state and behaviour, no HTTP. */
export interface Machine {
  /** `r01-s03`: unique in the data centre. */
  readonly name: string;
  readonly personality: Personality;
  readonly hardware: Hardware;
  readonly clock: SimClock;
  /** Draws from the machine's own seed, so that machines do not disturb each other. */
  readonly random: () => number;
  readonly log: EventLog;
  readonly faults: FaultSet;
  readonly firmware: readonly FirmwareSlot[];
  /** What the BMC says is installed, which a fault may make wrong; `firmware` unless given. */
  reportedFirmware?(): readonly FirmwareSlot[];
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly power: HostPower;
  readonly boot: BootSettings;
  readonly bios: BiosSettings;
  readonly media: MediaDrives;
  readonly tasks: Tasks;
  readonly updates: Updates;
  readonly manager: ManagerUnit;
  readonly events: EventFeed;
  /** What clients wrote into properties that nothing else depends on, such as the asset tag; empty at first. */
  readonly notes: Map<string, JsonValue>;
  /** What outlives the simulator; undefined when nothing has happened to the machine yet. */
  save(): SavedMachine | undefined;
  /** Becomes a machine of an earlier run, with nobody logged in; time does not go on for it before `resume`. */
  restore(saved: SavedMachine): void;
  /** Lets go on what was on its way when it was saved: a host in POST, updates whose turn it is. */
  resume(): void;
  /** What LLDP hears on a NIC port, by MAC; set by the switches. */
  neighbour(mac: string): Neighbour | undefined;
}

/** The switch port on the other end of a cable. */
export interface Neighbour {
  readonly chassisId: string;
  readonly systemName: string;
  readonly portId: string;
}

/** The BMC's user accounts. */
export interface Accounts {
  readonly username: string;
  /** The one in force, for who owns the simulator; it is in no log and no answer of the BMC. */
  readonly password: string;
  /** Counts bad tries and locks the account as the vendor does. */
  check(username: string, password: string, at?: FaultOpportunity): 'ok' | 'refused' | 'locked';
  change(username: string, change: { readonly password?: string }): boolean;
  readonly isLocked: boolean;
}

/** A log-in. */
export interface Session {
  readonly id: string;
  readonly token: string;
  readonly username: string;
  lastUsedAt: number;
}

/** The sessions of one BMC: few slots, and they expire unused. */
export interface Sessions {
  readonly all: readonly Session[];
  open(username: string): Session | 'exhausted';
  /** The session of a token; counts as use. */
  find(token: string, at?: FaultOpportunity): Session | undefined;
  close(id: string): boolean;
}

/** Where a host is between off and its operating system. */
export type BootProgress =
  | 'None'
  | 'PrimaryProcessorInitializationStarted'
  | 'MemoryInitializationStarted'
  | 'PCIResourceConfigStarted'
  | 'SystemHardwareInitializationComplete'
  | 'SetupEntered'
  | 'OSBootStarted'
  | 'OSRunning';

/** The host's power button and what follows from it. */
export interface HostPower {
  readonly state: 'On' | 'Off' | 'PoweringOn' | 'PoweringOff';
  readonly bootProgress: BootProgress;
  /** Where the host booted from last, once it got that far. */
  readonly bootedFrom: 'disk' | 'pxe' | 'cd' | 'http' | 'bios' | undefined;
  /** Does it, or says why not (`GracefulShutdown` of a host that is off). */
  reset(type: string): 'ok' | 'unsupported' | 'wrong-state';
  /** Called when the host reaches its boot device; returns a function that stops listening. */
  onBoot(listener: (from: NonNullable<HostPower['bootedFrom']>) => void): () => void;
  /** Called whenever what runs on the host stops: power off, and the off part of a restart; returns a function that stops listening. */
  onOff(listener: () => void): () => void;
}

/** ComputerSystem.Boot. */
export interface BootSettings {
  readonly enabled: 'Disabled' | 'Once' | 'Continuous';
  readonly target: string;
  readonly mode: 'UEFI' | 'Legacy';
  readonly httpUri: string;
  set(change: { enabled?: string; target?: string; mode?: string; httpUri?: string }): 'ok' | { readonly bad: string };
}

/** A value of a BIOS attribute. */
export type BiosValue = string | number | boolean;

/** What is wrong with one attribute of a BIOS request. */
export interface BiosRefusal {
  readonly attribute: string;
  readonly problem: 'unknown' | 'read-only' | 'bad-type' | 'bad-value';
}

/** BIOS attributes: current, and pending until the next reset. */
export interface BiosSettings {
  readonly current: Readonly<Record<string, BiosValue>>;
  readonly pending: Readonly<Record<string, BiosValue>>;
  /** When the last pending settings were applied, and how that went. */
  readonly applied: { readonly at: number; readonly messageId: string } | undefined;
  stage(attributes: Readonly<Record<string, unknown>>): 'ok' | readonly BiosRefusal[];
  /** Bios.ResetBios: defaults become pending. */
  stageDefaults(): void;
  /** Drops what is pending; false when nothing was. */
  clearPending(): boolean;
}

/** What is in a virtual drive. */
export interface Medium {
  readonly image: string;
  readonly isWriteProtected: boolean;
}

/** The virtual media drives. */
export interface MediaDrives {
  /** True when there is something in any drive. */
  readonly hasMedium: boolean;
  get(id: string): Medium | undefined;
  insert(id: string, medium: Medium): void;
  eject(id: string): boolean;
}

/** The BMC itself. */
export interface ManagerUnit {
  /** False while it restarts or a fault keeps it away: connections are refused. */
  readonly isReachable: boolean;
  /** Called whenever it stops being reachable, so that open connections are cut; returns a function that stops listening. */
  onAway(listener: () => void): () => void;
  /** True from the start of a BMC flash until its restart is over. */
  readonly isUpdating: boolean;
  readonly indicator: 'Lit' | 'Off' | 'Blinking';
  setIndicator(state: string): boolean;
  reset(type: string): 'ok' | 'unsupported';
  /** The BMC's own idea of the time, epoch milliseconds: simulated time plus what a fault adds. */
  now(): number;
  setClock(epochMs: number): void;
  /** Which key and certificate it shows; grows when a fault changes the certificate. */
  readonly certificateGeneration: number;
}

/** An event as Redfish sends it. */
export interface MachineEvent {
  readonly at: number;
  readonly id: string;
  /** `ResourceEvent.1.0.ResourceChanged`, `TaskEvent.1.0.TaskCompletedOK` ... */
  readonly messageId: string;
  readonly message: string;
  readonly severity: 'OK' | 'Warning' | 'Critical';
  readonly origin: string;
}

/** A push subscription. */
export interface Subscription {
  readonly id: string;
  readonly destination: string;
  readonly context: string;
}

/** EventService: listeners of the stream, and subscriptions to be pushed to. */
export interface EventFeed {
  readonly subscriptions: readonly Subscription[];
  subscribe(order: Omit<Subscription, 'id'>): Subscription | 'exhausted';
  unsubscribe(id: string): boolean;
  publish(event: Omit<MachineEvent, 'at' | 'id'>): void;
  /** Every event as it happens; returns a function that stops listening. */
  listen(listener: (event: MachineEvent) => void): () => void;
}
