import type { BareMetalHostStatus, ProvisioningState } from '../../api/index.ts';
import { blankStatus } from '../status/host-status.ts';
import { someHardware } from './scripted-provisioners.ts';

/** For tests: the status of a host that has come as far as this without trouble. */
export function statusIn(state: ProvisioningState, more: Partial<BareMetalHostStatus> = {}): BareMetalHostStatus {
  const credentials = { credentials: { name: 'bmc', namespace: 'fleet' }, credentialsVersion: '7' };
  const isManaged = !['', 'unmanaged', 'importing', 'registering'].includes(state);
  return {
    ...blankStatus,
    operationalStatus: 'OK',
    poweredOn: true,
    lastUpdated: '2025-01-01T00:00:00Z',
    ...(isManaged
      ? {
          triedCredentials: credentials,
          goodCredentials: credentials,
          hardwareProfile: 'unknown',
          hardware: someHardware,
        }
      : {}),
    ...more,
    provisioning: {
      state,
      ID: isManaged ? 'id-h1' : '',
      ...(isManaged ? { bootMode: 'UEFI', rootDeviceHints: { deviceName: '/dev/sda' } } : {}),
      ...more.provisioning,
    } as BareMetalHostStatus['provisioning'],
  };
}

/** For tests: the part of a status about what is on the disk. */
export function deployed(
  url = 'http://images.example/a.qcow2',
  state: ProvisioningState = 'provisioned',
): Partial<BareMetalHostStatus> {
  const image = { url, checksum: 'abc' };
  return { provisioning: { state, ID: 'id-h1', bootMode: 'UEFI', rootDeviceHints: { deviceName: '/dev/sda' }, image } };
}
