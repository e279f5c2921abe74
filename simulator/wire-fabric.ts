import type { FleetPlan } from './fleet/index.ts';
import { createFabric, type Fabric } from './switches/fabric.ts';
import { parkedPort } from './switches/switch-port.ts';

/** Where boot servers are unless told otherwise. */
export const defaultProvisioningVlan = 100;
/** The BMCs' own network. */
const managementVlan = 1;

/** The switches of a planned fleet: boot NICs on the provisioning network, BMCs on theirs, all else parked. */
export function wireFabric(plan: FleetPlan, provisioningVlan = defaultProvisioningVlan): Fabric {
  const bootMacs = new Set(plan.servers.map(({ hardware }) => hardware.nics[0]?.ports[0]?.mac));
  const cables = plan.cables.map(({ machine, mac, purpose, switchName, port }) => {
    const cable = { machine, mac, switchName, port };
    if (purpose === 'bmc') return { ...cable, settings: { ...parkedPort, untaggedVlan: managementVlan } };
    if (!bootMacs.has(mac)) return cable;
    return { ...cable, settings: { ...parkedPort, untaggedVlan: provisioningVlan } };
  });
  return createFabric(cables);
}
