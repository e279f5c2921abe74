import type { Fabric } from '../../../simulator/index.ts';
import { systemClock } from '../../kube/index.ts';
import { createFixtureRack, type FixtureRack } from '../../switches/index.ts';
import { fleetNamespace } from '../simulate/fleet-namespace.ts';
import { fabricPorts } from './fabric-ports.ts';

/** Make-believe switches of which those of the rack's namespace are the simulated ones of their names. */
export function openRackSwitches(fabric: Fabric): FixtureRack {
  return createFixtureRack({
    clock: systemClock,
    portsOf: ({ namespace, name }) => (namespace === fleetNamespace ? fabricPorts(fabric, name) : undefined),
  });
}
