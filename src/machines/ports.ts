import type { BareMetalHost, HostPort, NetworkConfiguration } from '../api/index.ts';
import type { MachinePorts } from '../network/index.ts';

/**
 * What `networkConfiguration` of a machine has to do with its host. All of it is pure: what comes of it is written to the
 * host together with the image, and the controllers of hosts bring it to the switches.
 */
export interface MachineNetwork {
  /** Why the ports of a host cannot be given what a machine asks for; undefined when they can. */
  filter(wanted: NetworkConfiguration, host: BareMetalHost): string | undefined;
  /** The ports of a host with what a machine asks for, or why it cannot have that. */
  configureNetwork(wanted: NetworkConfiguration, host: BareMetalHost): MachinePorts;
  /** The same for a host that its machine configured before: what it wrote to other interfaces, by MAC, goes. */
  reconfigureNetwork(wanted: NetworkConfiguration, host: BareMetalHost, written: readonly string[]): MachinePorts;
  /** The ports of a host without the configurations of these interfaces, or of all; undefined when none has one. */
  deconfigureNetwork(host: BareMetalHost, macs?: readonly string[]): readonly HostPort[] | undefined;
}

const notServed = 'networkConfiguration of machines is not served here';

/** For where nobody brings configurations to switch ports: a machine that asks for some finds no host, and says why. */
export const noMachineNetwork: MachineNetwork = {
  filter: (wanted) => (wanted.length === 0 ? undefined : notServed),
  configureNetwork: (wanted) =>
    wanted.length === 0 ? { kind: 'fits', ports: undefined } : { kind: 'unfit', message: notServed },
  reconfigureNetwork: () => ({ kind: 'fits', ports: undefined }),
  deconfigureNetwork: () => undefined,
};
