import { createHash } from 'node:crypto';
import type { Neighbour } from '../machine/machine.ts';
import { checkRule, judgePacket, type Packet } from './access-list.ts';
import { checkSettings, type PluggedNic, type PortSettings, parkedPort, type SimPort } from './switch-port.ts';

/** One cable of the data centre: a NIC and the switch port it is plugged into. */
export interface Cable extends PluggedNic {
  readonly switchName: string;
  readonly port: string;
  /** What the port is set to out of the box; parked unless given. */
  readonly settings?: PortSettings;
}

/** A switch of the data centre. */
export interface SimSwitch {
  readonly name: string;
  /** MAC address that LLDP shows. */
  readonly chassisId: string;
  readonly ports: readonly SimPort[];
  /** Grows with each change of a port. */
  readonly revision: number;
}

/** A port of a switch, by names. */
export interface PortName {
  readonly switchName: string;
  readonly port: string;
}

/** A port that is not set or plugged as it was at first. */
export interface ChangedPort extends PortName {
  readonly settings: PortSettings;
  readonly nic: PluggedNic | undefined;
}

/** Whether a frame gets from one port to another. */
export interface Reach {
  readonly canReach: boolean;
  readonly because: string;
  /** The tag it arrives with; undefined for an untagged frame. */
  readonly arrivesTagged?: number;
}

/** What one host sends: an untagged frame, or one with a tag; with or without a packet for the access list to judge. */
export interface Frame {
  readonly tag?: number;
  readonly packet?: Packet;
}

/** All switches of a data centre, joined by links that carry every VLAN. */
export interface Fabric {
  readonly switches: readonly SimSwitch[];
  /** Ports that were set, or whose cable was moved, since the fabric was built. */
  readonly changedPorts: readonly ChangedPort[];
  find(switchName: string): SimSwitch | undefined;
  port(name: PortName): SimPort | undefined;
  /** Sets a port, or says what is wrong with the settings or the name and changes nothing. */
  configure(name: PortName, settings: PortSettings): 'ok' | readonly string[];
  /** The port a NIC is plugged into. */
  portOf(mac: string): PortName | undefined;
  /** What LLDP shows to a NIC; nothing when its port is down or does not speak LLDP. */
  neighbourOf(mac: string): Neighbour | undefined;
  /** What LLDP shows to the switch on a port. */
  heardOn(name: PortName): PluggedNic | undefined;
  /** Calls back with every port that is set or whose cable is moved from now on; returns how to leave. */
  onChange(listener: (port: PortName) => void): () => void;
  /** Pulls a cable, or plugs a NIC in elsewhere. */
  plug(nic: PluggedNic, into: PortName | undefined): 'ok' | readonly string[];
  /** Whether what the host on one port sends arrives at the host on the other. */
  reach(from: PortName, to: PortName, frame?: Frame): Reach;
  /** True when both can answer each other with untagged or equally tagged frames. */
  canTalk(a: PortName, b: PortName): boolean;
}

/** Builds the fabric from its cables; ports without a cable are added by `spares`. */
export function createFabric(cables: readonly Cable[], spares: readonly PortName[] = []): Fabric {
  return new CableFabric(cables, spares);
}

class SwitchState implements SimSwitch {
  readonly name: string;
  readonly chassisId: string;
  readonly byPort = new Map<string, SimPort>();
  readonly touched = new Set<string>();
  revision = 0;

  constructor(name: string) {
    this.name = name;
    this.chassisId = macOf(name);
  }

  get ports(): readonly SimPort[] {
    return [...this.byPort.values()];
  }
}

class CableFabric implements Fabric {
  readonly #switches = new Map<string, SwitchState>();
  readonly #portOfMac = new Map<string, PortName>();
  readonly #listeners = new Set<(port: PortName) => void>();

  constructor(cables: readonly Cable[], spares: readonly PortName[]) {
    for (const { switchName, port } of spares) this.#add({ switchName, port }, parkedPort, undefined);
    for (const { switchName, port, machine, mac, settings } of cables) {
      this.#add({ switchName, port }, settings ?? parkedPort, { machine, mac });
      this.#portOfMac.set(mac.toLowerCase(), { switchName, port });
    }
  }

  get switches(): readonly SimSwitch[] {
    return [...this.#switches.values()];
  }

  get changedPorts(): readonly ChangedPort[] {
    return [...this.#switches.values()].flatMap(({ name, byPort, touched }) =>
      [...touched].flatMap((port) => {
        const found = byPort.get(port);
        return found === undefined ? [] : [{ switchName: name, port, settings: found.settings, nic: found.nic }];
      }),
    );
  }

  find(switchName: string): SimSwitch | undefined {
    return this.#switches.get(switchName);
  }

  port(name: PortName): SimPort | undefined {
    return this.#switches.get(name.switchName)?.byPort.get(name.port);
  }

  configure(name: PortName, settings: PortSettings): 'ok' | readonly string[] {
    const port = this.port(name);
    if (port === undefined) return [unknownPort(name)];
    const problems = [...checkSettings(settings), ...settings.acl.flatMap(checkRule)];
    if (problems.length > 0) return problems;
    this.#put(name, { ...port, settings });
    return 'ok';
  }

  portOf(mac: string): PortName | undefined {
    return this.#portOfMac.get(mac.toLowerCase());
  }

  neighbourOf(mac: string): Neighbour | undefined {
    const name = this.portOf(mac);
    const found = name === undefined ? undefined : this.#switches.get(name.switchName);
    if (name === undefined || found === undefined || this.heardOn(name) === undefined) return undefined;
    return { chassisId: found.chassisId, systemName: found.name, portId: name.port };
  }

  heardOn(name: PortName): PluggedNic | undefined {
    const port = this.port(name);
    return port === undefined || port.settings.isDisabled || !port.settings.isLldpOn ? undefined : port.nic;
  }

  onChange(listener: (port: PortName) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  plug(nic: PluggedNic, into: PortName | undefined): 'ok' | readonly string[] {
    const target = into === undefined ? undefined : this.port(into);
    if (into !== undefined && target === undefined) return [unknownPort(into)];
    if (target?.nic !== undefined && target.nic.mac !== nic.mac) {
      return [`${target.nic.mac} of ${target.nic.machine} is plugged in there already`];
    }
    this.#unplug(nic.mac);
    if (into === undefined || target === undefined) return 'ok';
    this.#put(into, { ...target, nic });
    this.#portOfMac.set(nic.mac.toLowerCase(), into);
    return 'ok';
  }

  reach(from: PortName, to: PortName, frame: Frame = {}): Reach {
    const source = this.port(from);
    const sink = this.port(to);
    if (source === undefined) return { canReach: false, because: unknownPort(from) };
    if (sink === undefined) return { canReach: false, because: unknownPort(to) };
    const down = [source, sink].find((port) => port.settings.isDisabled);
    if (down !== undefined) return { canReach: false, because: `port ${down.name} is shut down` };
    const vlan = ingressVlan(source.settings, frame.tag);
    if (vlan === undefined) return { canReach: false, because: `port ${source.name} drops such frames` };
    if (frame.packet !== undefined) {
      const verdict = judgePacket(source.settings.acl, frame.packet);
      if (!verdict.isAllowed) return { canReach: false, because: verdict.because };
    }
    if (sink.settings.untaggedVlan === vlan) return { canReach: true, because: `VLAN ${vlan}` };
    if (sink.settings.taggedVlans.includes(vlan)) {
      return { canReach: true, because: `VLAN ${vlan}`, arrivesTagged: vlan };
    }
    return { canReach: false, because: `port ${sink.name} does not carry VLAN ${vlan}` };
  }

  canTalk(a: PortName, b: PortName): boolean {
    const port = this.port(a);
    if (port === undefined) return false;
    return [undefined, ...port.settings.taggedVlans].some((tag) => {
      const there = this.reach(a, b, frameOf(tag));
      return there.canReach && this.reach(b, a, frameOf(there.arrivesTagged)).canReach;
    });
  }

  #add(name: PortName, settings: PortSettings, nic: PluggedNic | undefined): void {
    const found = this.#switches.get(name.switchName) ?? new SwitchState(name.switchName);
    this.#switches.set(name.switchName, found);
    if (found.byPort.has(name.port)) throw new Error(`port ${name.port} of switch ${name.switchName} is cabled twice`);
    found.byPort.set(name.port, { name: name.port, settings, nic });
  }

  #put(name: PortName, port: SimPort): void {
    const found = this.#switches.get(name.switchName);
    if (found === undefined) return;
    found.byPort.set(name.port, port);
    found.touched.add(name.port);
    found.revision += 1;
    for (const listener of this.#listeners) listener({ switchName: name.switchName, port: name.port });
  }

  #unplug(mac: string): void {
    const name = this.portOf(mac);
    const port = name === undefined ? undefined : this.port(name);
    if (name === undefined || port === undefined) return;
    this.#portOfMac.delete(mac.toLowerCase());
    this.#put(name, { ...port, nic: undefined });
  }
}

function ingressVlan(settings: PortSettings, tag: number | undefined): number | undefined {
  if (tag === undefined) return settings.untaggedVlan;
  return settings.taggedVlans.includes(tag) ? tag : undefined;
}

function frameOf(tag: number | undefined): Frame {
  return tag === undefined ? {} : { tag };
}

function unknownPort(name: PortName): string {
  return `switch ${name.switchName} has no port ${name.port}`;
}

// A locally administered address that is the same in every run.
function macOf(name: string): string {
  const digest = createHash('sha256').update(name).digest('hex');
  return ['02', ...[0, 2, 4, 6, 8].map((at) => digest.slice(at, at + 2))].join(':');
}
