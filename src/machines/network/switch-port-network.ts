import type { BareMetalHost, NetworkConfiguration } from '../../api/index.ts';
import {
  configureNetwork,
  deconfigureNetwork,
  judgePorts,
  type MachineNetwork as MachineNeeds,
  type NetworkTables,
  reconfigureNetwork,
} from '../../network/index.ts';
import type { MachineNetwork } from '../ports.ts';

/** Brings `networkConfiguration` of machines to the switch ports of their hosts, within what limits permit there. */
export function createSwitchPortNetwork(tables: NetworkTables): MachineNetwork {
  const needsOf = (wanted: NetworkConfiguration, host: BareMetalHost): MachineNeeds => {
    return { networkConfiguration: wanted, whyNot: judgePorts(tables, host) };
  };
  return {
    filter(wanted, host) {
      const found = configureNetwork(host, needsOf(wanted, host));
      return found.kind === 'fits' ? undefined : found.message;
    },
    configureNetwork: (wanted, host) => configureNetwork(host, needsOf(wanted, host)),
    reconfigureNetwork: (wanted, host, written) => reconfigureNetwork(host, needsOf(wanted, host), written),
    deconfigureNetwork,
  };
}
