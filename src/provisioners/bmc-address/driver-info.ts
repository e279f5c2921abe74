import type { BmcAccess } from '../provisioner.ts';
import type { HostBmcAddress } from './read-bmc-address.ts';

/** What Ironic's driver is told so that it reaches the BMC. */
export type DriverInfo = Readonly<Record<string, unknown>>;

/** The part of a node's driver_info that says where the BMC is and who we are there. */
export function driverInfoOf(address: HostBmcAddress, access: BmcAccess): DriverInfo {
  const { username = '', password = '' } = access.credentials ?? {};
  const own =
    address.protocol === 'ipmi'
      ? {
          ipmi_address: address.host,
          ipmi_port: String(address.port),
          ipmi_username: username,
          ipmi_password: password,
          ipmi_priv_level: address.privilegeLevel,
        }
      : {
          redfish_address: address.origin,
          redfish_username: username,
          redfish_password: password,
          ...(address.systemPath === undefined ? {} : { redfish_system_id: address.systemPath }),
        };
  return access.isCertificateUnchecked ? { ...own, [`${address.protocol}_verify_ca`]: false } : own;
}
