import type { Machine } from '../../machine/machine.ts';
import type { Route } from '../../redfish/route.ts';
import { sharedHandler } from '../parts/shared-handler.ts';
import { hpeAnswer, hpeMessage } from './words.ts';

/** True while the host is on its way up and iLO does not know its cards yet. */
export function isBeforeEndOfPost(machine: Machine): boolean {
  const { state, bootProgress } = machine.power;
  if (state !== 'On' && state !== 'PoweringOn') return false;
  return !['SystemHardwareInitializationComplete', 'SetupEntered', 'OSBootStarted', 'OSRunning'].includes(bootProgress);
}

const pattern = '/redfish/v1/Chassis/:chassis/NetworkAdapters';

/** Adapters are not listed before the end of POST: 400, which goes away by itself. */
export function hpeAdapterRoute(registry: string): Route {
  const list = sharedHandler(pattern, 'get');
  return {
    pattern,
    get: (request) =>
      isBeforeEndOfPost(request.machine)
        ? hpeAnswer(400, [hpeMessage(`${registry}.InvalidOperationForSystemState`)])
        : list(request),
  };
}
