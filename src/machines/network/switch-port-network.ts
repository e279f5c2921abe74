import type { BareMetalHost, NetworkConfiguration } from '../../api/index.ts';
import {
  configureNetwork,
  deconfigureNetwork,
  filter,
  type MachineNetwork as MachineNeeds,
  type NetworkTables,
  portsCanTake,
  reconfigureNetwork,
} from '../../network/index.ts';
import type { MachineNetwork } from '../ports.ts';

/** Brings `networkConfiguration` of machines to the switch ports of their hosts, within what limits permit there. */
export function createSwitchPortNetwork(tables: NetworkTables): MachineNetwork {
  const needsOf = (wanted: NetworkConfiguration, host: BareMetalHost): MachineNeeds => {
    return { networkConfiguration: wanted, canTake: portsCanTake(tables, host) };
  };
  return {
    filter: (wanted, host) =>
      filter([host], needsOf(wanted, host)).length === 1
        ? undefined
        : 'it has no switch port for each network configuration',
    configureNetwork: (wanted, host) => configureNetwork(host, needsOf(wanted, host)),
    reconfigureNetwork: (wanted, host, written) => reconfigureNetwork(host, needsOf(wanted, host), written),
    deconfigureNetwork,
  };
}
