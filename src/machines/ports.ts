import type { BareMetalHost, HostPort, NetworkConfiguration } from '../api/index.ts';

/**
 * What `networkConfiguration` of a machine has to do with its host. All of it is pure: what comes of it is written to the
 * host together with the image, and the controllers of hosts bring it to the switches.
 */
export interface MachineNetwork {
  /** Why the ports of a host cannot be given what a machine asks for; undefined when they can. */
  filter(wanted: NetworkConfiguration, host: BareMetalHost): string | undefined;
  /** The ports of a host with what a machine asks for; undefined when nothing is to be changed. */
  configureNetwork(wanted: NetworkConfiguration, host: BareMetalHost): readonly HostPort[] | undefined;
  /** The ports of a host without what a machine asked for; undefined when nothing is to be changed. */
  deconfigureNetwork(host: BareMetalHost): readonly HostPort[] | undefined;
}

/** For where nobody brings configurations to switch ports: a machine that asks for some finds no host, and says why. */
export const noMachineNetwork: MachineNetwork = {
  filter: (wanted) => (wanted.length === 0 ? undefined : 'networkConfiguration of machines is not served here'),
  configureNetwork: () => undefined,
  deconfigureNetwork: () => undefined,
};
