/** The interfaces of an Ironic node that an address asks for; those left out are Ironic's own choice. */
export interface DriverInterfaces {
  readonly boot: string;
  readonly raid: string;
  readonly bios?: string;
  readonly firmware?: string;
  readonly management?: string;
  readonly power?: string;
  readonly vendor?: string;
}

/** What the scheme of a BMC address stands for. */
export interface BmcScheme {
  readonly protocol: 'redfish' | 'ipmi';
  readonly driver: 'ipmi' | 'redfish' | 'idrac';
  readonly interfaces: DriverInterfaces;
  /** The interface that inspects without booting the host; undefined where there is none. */
  readonly fastInspectInterface: string | undefined;
  /** Whether the MAC address of a boot interface has to be given. */
  readonly needsMac: boolean;
  readonly canSecureBoot: boolean;
  readonly canHardwareRaid: boolean;
  /** Whether it boots ISO images that the BMC presents or fetches, and so needs no provisioning network. */
  readonly canBootIso: boolean;
}

const ipmi: BmcScheme = {
  protocol: 'ipmi',
  driver: 'ipmi',
  interfaces: { boot: 'ipxe', raid: 'no-raid' },
  fastInspectInterface: undefined,
  needsMac: false,
  canSecureBoot: false,
  canHardwareRaid: false,
  canBootIso: false,
};

const redfish: BmcScheme = {
  protocol: 'redfish',
  driver: 'redfish',
  interfaces: { boot: 'ipxe', raid: 'redfish', firmware: 'redfish' },
  fastInspectInterface: 'redfish',
  needsMac: false,
  canSecureBoot: true,
  canHardwareRaid: true,
  canBootIso: false,
};

/** Dell's driver defaults to WSMAN in places; its Redfish interfaces are named one by one. */
const idrac: BmcScheme = {
  ...redfish,
  driver: 'idrac',
  interfaces: {
    boot: 'ipxe',
    raid: 'idrac-redfish',
    firmware: 'redfish',
    bios: 'idrac-redfish',
    management: 'idrac-redfish',
    power: 'idrac-redfish',
    vendor: 'idrac-redfish',
  },
};

function booting(scheme: BmcScheme, boot: string): BmcScheme {
  return { ...scheme, interfaces: { ...scheme.interfaces, boot }, canBootIso: true };
}

/** Every scheme of a BMC address that Metal3 knows; those of Redfish also with `+http` and `+https`. */
export const bmcSchemes: Readonly<Record<string, BmcScheme>> = {
  ipmi,
  libvirt: { ...ipmi, needsMac: true },
  redfish,
  'ilo5-redfish': redfish,
  'idrac-redfish': idrac,
  'redfish-virtualmedia': booting(redfish, 'redfish-virtual-media'),
  'ilo5-virtualmedia': booting(redfish, 'redfish-virtual-media'),
  'idrac-virtualmedia': booting(idrac, 'idrac-redfish-virtual-media'),
  'redfish-uefihttp': booting(redfish, 'redfish-https'),
};
