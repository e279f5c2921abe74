import type { PortPlan } from './port-plan.ts';
import type { PortAspect, PortSettings, PortState } from './port-settings.ts';
import type { PortResults, SwitchResult } from './switch-result.ts';

/** What can be said of a switch that took the credentials. */
export interface SwitchFacts {
  /** What runs on it, such as `Open vSwitch 3.1.0`; absent where it does not tell. */
  readonly system?: string | undefined;
  /** The chassis id that it announces by LLDP, as a MAC address in lower case, where known. */
  readonly chassisId?: string | undefined;
  /** The port that we reach it through, where it knows. Whoever changes ports must not cut that one off. */
  readonly managementPort?: string | undefined;
  /** Digests of the host keys that it may show, where it is known by such: a switch in its place shows others. */
  readonly hostKeys?: readonly string[] | undefined;
}

/** A port that exists on a switch. */
export interface PortListing {
  readonly port: string;
  readonly isLinkUp?: boolean | undefined;
}

/** What a port hears by LLDP from what is plugged into it. */
export interface LldpNeighbour {
  readonly port: string;
  readonly chassisId: string;
  readonly portId: string;
  readonly systemName?: string | undefined;
}

/** One port and what it is to be set to. */
export interface PortChange {
  readonly port: string;
  readonly wanted: PortSettings;
}

/** One port to be cleaned: up, LLDP on, no access list, in the parking VLAN or in none. Never "all VLANs". */
export interface PortClearing {
  readonly port: string;
  readonly parkingVlan?: number | undefined;
}

/** What this kind of switch can do by the way it is talked to. */
export interface SwitchAbilities {
  /** Aspects that it can set. A change that needs another one is answered with `unsupported`. */
  readonly writes: readonly PortAspect[];
  /** Aspects that it tells. */
  readonly reads: readonly PortAspect[];
  readonly canListPorts: boolean;
  readonly canReadNeighbours: boolean;
  /** It tells by itself when a port changes; the others have to be asked. */
  readonly canWatch: boolean;
  /** Several ports in one call cost about as much as one, and are changed together. */
  readonly canBatch: boolean;
}

/** What a watched switch tells. */
export type SwitchEvent =
  /** These ports may differ from what they were; read them. Also sent for our own writes. */
  | { readonly kind: 'changed'; readonly ports: readonly string[] }
  /** The line was lost and is there again, or the switch lost what it does not keep: read everything. */
  | { readonly kind: 'restarted' }
  /** The line was lost; nothing is told until `restarted`. */
  | { readonly kind: 'lost'; readonly message: string };

/** A watch that can be ended. */
export interface SwitchWatch {
  close(): void;
}

/** What goes with every call. */
export interface CallOptions {
  /** Ends the wait; what was sent may still be carried out. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * One switch. It keeps nothing about ports between calls: what it says is read from the switch. Changes to one switch
 * are made one call at a time, in the order they were asked for; reads may overtake them. No call throws for what a
 * switch does or does not do.
 */
export interface SwitchDevice {
  readonly abilities: SwitchAbilities;
  /** Whether it can be reached and takes the credentials. Writes nothing. */
  verify(options?: CallOptions): Promise<SwitchResult<SwitchFacts>>;
  listPorts(options?: CallOptions): Promise<SwitchResult<readonly PortListing[]>>;
  readPorts(ports: readonly string[], options?: CallOptions): Promise<PortResults<PortState>>;
  /** Reads the ports and says what `apply` would change, writing nothing. */
  plan(changes: readonly PortChange[], options?: CallOptions): Promise<PortResults<PortPlan>>;
  /**
   * Sets the ports and reads them back; a port that is as wanted is not written. `done` holds what was read back. A
   * port that fails does not keep the others from being set. A port is told at most once in one call.
   */
  apply(changes: readonly PortChange[], options?: CallOptions): Promise<PortResults<PortState>>;
  /** Cleans the ports and reads them back, also those that nobody ever set. */
  clear(ports: readonly PortClearing[], options?: CallOptions): Promise<PortResults<PortState>>;
  readNeighbours(options?: CallOptions): Promise<SwitchResult<readonly LldpNeighbour[]>>;
  /**
   * Tells of changes until closed; undefined where `canWatch` is false. The first thing told is `restarted`, once
   * nothing can be missed any more.
   */
  watch(listener: (event: SwitchEvent) => void): SwitchWatch | undefined;
  /** Ends all calls under way with `cancelled` and lets go of the line. */
  close(): Promise<void>;
}
