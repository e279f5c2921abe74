import type { BareMetalHostSpec } from '../../api/index.ts';
import { discoveryNote, writeDiscoveryNote } from '../annotations/discovery-note.ts';
import type { PlayedOptions } from './played-host.ts';
import { someHardware } from './scripted-provisioners.ts';

/** For tests: the id that discovery told of a machine. */
export const discoveredId = 'node-7';

/** For tests: what a host is that discovery made of a machine, about whose BMC nothing is known. */
export function discovered(
  spec: Partial<BareMetalHostSpec> = {},
): Required<Pick<PlayedOptions, 'spec' | 'annotations'>> {
  const note = writeDiscoveryNote({ provisionerId: discoveredId, hardware: someHardware });
  return {
    spec: { bmc: undefined as never, bootMACAddress: '52:54:00:aa:00:07', ...spec },
    annotations: { [discoveryNote]: note },
  };
}

/** For tests: what is said about its BMC in the end. */
export const bmcDetails = { address: 'redfish://10.0.0.7/redfish/v1/Systems/1', credentialsName: 'bmc' } as const;
