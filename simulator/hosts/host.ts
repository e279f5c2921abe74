import { sleep } from '../../src/kube/index.ts';
import type { HostPower, Machine } from '../machine/machine.ts';
import { AgentCommands } from './agent-commands.ts';
import { agentInventory } from './agent-inventory.ts';
import type { AgentLink, AgentMemory } from './agent-link.ts';
import { joinCluster } from './join-cluster.ts';
import { type DiskContent, writeImage } from './write-image.ts';

/** How long a ramdisk takes from the network to a running agent. */
const ramdiskBootMs = 60_000;

/** What runs on a host. */
export type HostRun = 'nothing' | 'agent' | 'deployed image' | 'empty disk' | 'live image';

/** Where a host can be reached and whom its agent reports to. */
export interface HostSurroundings {
  readonly bmcAddress: string;
  /** The NIC it boots from. */
  readonly bootMac: string;
  /** Whether the provisioning network is behind that NIC; a host on another VLAN finds no boot server. */
  isBootNetworkThere(): boolean;
  /** undefined: a network boot finds no agent to load. */
  link(): AgentLink | undefined;
  readonly callbackUrl: string;
  readonly callbackCaPem: string;
  /** Whether it tries the network where its disk is empty. */
  readonly doesFallBackToNetwork?: boolean | undefined;
}

/** The software side of a machine: what it boots, the agent it may run, what is on its disk. */
export class Host {
  readonly machine: Machine;
  readonly #surroundings: HostSurroundings;
  #running: HostRun = 'nothing';
  #disk: DiskContent | undefined;
  #agent: { readonly commands: AgentCommands; token: string | undefined } | undefined;
  #stop = new AbortController();
  readonly #memory: AgentMemory = { known: undefined };
  /** What it was to boot an agent from, when nobody was there to report to. */
  #missed: NonNullable<HostPower['bootedFrom']> | undefined;

  constructor(machine: Machine, surroundings: HostSurroundings) {
    this.machine = machine;
    this.#surroundings = surroundings;
    machine.power.onBoot((from) => this.#boot(from));
    machine.power.onOff(() => this.#halt());
  }

  /** What runs now. */
  get running(): HostRun {
    return this.#running;
  }

  /** What was deployed. */
  get disk(): DiskContent | undefined {
    return this.#disk;
  }

  /** The agent that runs now, for the server its commands come in at. */
  get agent(): { readonly commands: AgentCommands; readonly token: string | undefined } | undefined {
    return this.#agent;
  }

  /** Goes on from an earlier run: with its disk, and with what the machine had booted started anew. */
  resume(disk: DiskContent | undefined): void {
    this.#disk = disk;
    const { state, bootedFrom } = this.machine.power;
    if (state === 'On' && bootedFrom !== undefined) this.#boot(bootedFrom);
  }

  /** Switches it on as somebody does who has just plugged it in; one that is on is left as it is. */
  bootForDiscovery(): void {
    const { power, personality } = this.machine;
    const type = personality.service.resetTypes.find((each) => each === 'On' || each === 'ForceOn');
    if (power.state === 'Off' && type !== undefined) power.reset(type);
    else if (this.#running === 'empty disk') this.#boot('disk');
  }

  /** Boots the agent that it would have booted, had anybody been there to report to. */
  retryNetworkBoot(): void {
    if (this.#missed !== undefined) this.#boot(this.#missed);
  }

  #halt(): void {
    this.#missed = undefined;
    this.#stop.abort();
    this.#stop = new AbortController();
    this.#agent = undefined;
    this.#running = 'nothing';
  }

  #boot(from: NonNullable<HostPower['bootedFrom']>): void {
    this.#halt();
    const doesFallBack = this.#surroundings.doesFallBackToNetwork === true && this.#disk === undefined;
    const isLocal = from === 'bios' || (from === 'disk' && !doesFallBack);
    const link = isLocal ? undefined : this.#bootLink(from);
    if (!isLocal && from !== 'cd' && this.#surroundings.link() === undefined) this.#missed = from;
    if (link !== undefined) {
      void this.#runAgent(link, this.#stop.signal);
      return;
    }
    if (from === 'cd') this.#running = 'live image';
    else this.#running = this.#disk === undefined ? 'empty disk' : 'deployed image';
    this.machine.log.add('host.runs', `what="${this.#running}" booted-from=${from}`);
    const node = from === 'cd' ? undefined : this.#disk?.node;
    if (node === undefined) return;
    const { clock, log } = this.machine;
    void joinCluster(node, { clock, signal: this.#stop.signal, note: (event, detail) => log.add(event, detail) });
  }

  #bootLink(from: string): AgentLink | undefined {
    if (from === 'cd' || this.#surroundings.isBootNetworkThere()) return this.#surroundings.link();
    this.machine.log.add('host.no-boot-network', `mac=${this.#surroundings.bootMac}`);
    return undefined;
  }

  async #runAgent(link: AgentLink, signal: AbortSignal): Promise<void> {
    const { machine } = this;
    await sleep(machine.clock, ramdiskBootMs, signal);
    if (signal.aborted) return;
    const commands = new AgentCommands({ clock: machine.clock, signal, effects: this.#effects() });
    const agent = { commands, token: undefined as string | undefined };
    this.#agent = agent;
    this.#running = 'agent';
    machine.log.add('host.runs', 'what="agent"');
    await link.run({
      name: machine.name,
      inventory: agentInventory(machine, this.#surroundings),
      macs: machine.hardware.nics.flatMap((nic) => nic.ports.map((port) => port.mac.toLowerCase())),
      commands,
      memory: this.#memory,
      callbackUrl: this.#surroundings.callbackUrl,
      callbackCaPem: this.#surroundings.callbackCaPem,
      setToken: (token) => {
        agent.token = token;
      },
      signal,
      note: (event, detail) => machine.log.add(event, detail),
    });
  }

  #effects(): ConstructorParameters<typeof AgentCommands>[0]['effects'] {
    const { machine } = this;
    return {
      writeImage: async (order, signal) => {
        this.#disk = await writeImage(order, signal);
        machine.log.add('host.image-written', `sha256=${this.#disk.sha256}`);
      },
      eraseDisks: () => {
        this.#disk = undefined;
        machine.log.add('host.disks-erased');
      },
      // The ramdisk shuts itself down, as an operating system that the BMC asks to.
      powerOff: () => {
        machine.power.reset('GracefulShutdown');
      },
      reboot: () => {
        machine.power.reset('ForceRestart');
      },
      note: (event, detail) => machine.log.add(event, detail),
    };
  }
}
