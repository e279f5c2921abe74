import type { Machine } from '../../machine/machine.ts';
import type { Route } from '../../redfish/route.ts';
import { hpeAnswer, hpeMessage } from './words.ts';

/** True while the host is on its way up and iLO does not know its cards yet. */
export function isBeforeEndOfPost(machine: Machine): boolean {
  const { state, bootProgress } = machine.power;
  if (state !== 'On' && state !== 'PoweringOn') return false;
  return !['SystemHardwareInitializationComplete', 'OSBootStarted', 'OSRunning'].includes(bootProgress);
}

/** Adapters are not listed before the end of POST: 400, which goes away by itself. */
export function hpeAdapterRoute(registry: string): Route {
  return {
    pattern: '/redfish/v1/Chassis/1/NetworkAdapters',
    get: ({ machine, path }) => {
      if (isBeforeEndOfPost(machine)) return hpeAnswer(400, [hpeMessage(`${registry}.InvalidOperationForSystemState`)]);
      return {
        status: 200,
        body: {
          '@odata.id': path,
          '@odata.type': '#NetworkAdapterCollection.NetworkAdapterCollection',
          Name: 'Network Adapter Collection',
          Members: machine.hardware.nics.map((nic) => ({ '@odata.id': `${path}/${nic.slot}` })),
          'Members@odata.count': machine.hardware.nics.length,
        },
      };
    },
  };
}
