import type { RunningBmc } from './data-centre.ts';
import type { AgentLink, AgentTarget } from './hosts/agent-link.ts';
import { startAgentServer } from './hosts/agent-server.ts';
import { Host } from './hosts/host.ts';
import { createIronicLink } from './hosts/ironic-link.ts';
import { createRackwrightLink } from './hosts/rackwright-link.ts';
import type { Fabric } from './switches/fabric.ts';
import type { SimClock } from './time/sim-clock.ts';
import { defaultProvisioningVlan } from './wire-fabric.ts';

/** The hosts of a data centre. */
export interface Hosts {
  /** In the order of the BMCs. */
  readonly all: readonly Host[];
  /** Changes whom agents report to that start from now on. */
  setTarget(target: AgentTarget | undefined): void;
  /** Stops all agents. */
  close(): Promise<void>;
}

/** What hosts need around them. */
export interface HostsOptions {
  readonly bmcs: readonly RunningBmc[];
  readonly fabric: Fabric;
  readonly clock: SimClock;
  readonly target: AgentTarget | undefined;
  readonly provisioningVlan: number | undefined;
  /** The servers, by number, that try the network where their disk is empty; none unless given. */
  readonly doesFallBackToNetwork?: ((index: number) => boolean) | undefined;
}

/** Gives every machine a host, and all their agents one place to listen at. */
export async function startHosts(options: HostsOptions): Promise<Hosts> {
  const { clock, fabric } = options;
  const ending = new AbortController();
  const byName = new Map<string, Host>();
  let link = openLink(options.target, clock, ending.signal);
  const agents = await startAgentServer({ host: '127.0.0.1', find: (name) => byName.get(name)?.agent });
  const vlan = options.provisioningVlan ?? defaultProvisioningVlan;
  for (const [index, bmc] of options.bmcs.entries()) {
    const bootMac = bmc.machine.hardware.nics[0]?.ports[0]?.mac ?? '';
    const host = new Host(bmc.machine, {
      bmcAddress: new URL(bmc.url).hostname.replaceAll(/[[\]]/g, ''),
      bootMac,
      isBootNetworkThere: () => isOnVlan(fabric, bootMac, vlan),
      link: () => link,
      callbackUrl: agents.urlOf(bmc.name),
      callbackCaPem: agents.caPem,
      doesFallBackToNetwork: options.doesFallBackToNetwork?.(index),
    });
    byName.set(bmc.name, host);
  }
  return {
    all: [...byName.values()],
    setTarget(target) {
      link = openLink(target, clock, ending.signal);
    },
    async close() {
      ending.abort();
      await agents.close();
    },
  };
}

function isOnVlan(fabric: Fabric, mac: string, vlan: number): boolean {
  const name = fabric.portOf(mac);
  const settings = name === undefined ? undefined : fabric.port(name)?.settings;
  return settings !== undefined && !settings.isDisabled && settings.untaggedVlan === vlan;
}

/** Agents end with the data centre, also those of a clock that goes on. */
function openLink(target: AgentTarget | undefined, clock: SimClock, ending: AbortSignal): AgentLink | undefined {
  if (target === undefined) return undefined;
  const link =
    target.kind === 'ironic'
      ? createIronicLink({ url: target.url, clock })
      : createRackwrightLink({ ...target, clock });
  return { run: (agent) => link.run({ ...agent, signal: AbortSignal.any([agent.signal, ending]) }) };
}
