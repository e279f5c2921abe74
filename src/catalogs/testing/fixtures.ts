import { createHash } from 'node:crypto';

/** For tests: a package in a Dell catalogue. */
export interface DellPackage {
  readonly path: string;
  readonly version: string;
  readonly date?: string;
  readonly name?: string;
  readonly type?: string;
  readonly category?: string;
  readonly device?: string;
  readonly componentId?: string;
  readonly model?: string;
  /** As it is shown; the sign of the brand is that of PowerEdge. */
  readonly brand?: string;
  /** What it is packed for: Windows, and with it iDRAC, unless given; left out when empty. */
  readonly packageType?: string;
  readonly md5?: string;
  readonly sha256?: string;
  readonly size?: string;
}

/** For tests: what a file with this name hashes to. */
export function hashOf(algorithm: 'md5' | 'sha256', text: string): string {
  return createHash(algorithm).update(text).digest('hex');
}

/** For tests: one `SoftwareComponent`. */
export function dellPackage(each: DellPackage): string {
  const { path, version, date = '2023-07-19', name = 'BIOS', type = 'BIOS', category = 'BIOS', model = 'R640' } = each;
  const { device = 'BIOS', componentId = '159', md5 = hashOf('md5', path), sha256, size = '31457280' } = each;
  const { brand = 'PowerEdge', packageType = 'LW64' } = each;
  const hashes =
    sha256 === undefined
      ? ''
      : `<Cryptography><Hash algorithm="SHA256">${sha256}</Hash><Hash algorithm="SHA1">${'0'.repeat(40)}</Hash></Cryptography>`;
  return `  <SoftwareComponent schemaVersion="2.0" packageID="PKG" releaseID="REL" hashMD5="${md5}" path="${path}"
    dateTime="${date}T10:00:00+05:30" releaseDate="July 19, 2023" vendorVersion="${version}" dellVersion="A00"
    ${packageType === '' ? '' : `packageType="${packageType}" `}rebootRequired="true" size="${size}" identifier="0f0f0f0f">
    <Name><Display lang="en"><![CDATA[${name}]]></Display></Name>
    <ComponentType value="${type}"><Display lang="en"><![CDATA[${type}]]></Display></ComponentType>
    <Description><Display lang="en"><![CDATA[It makes things better & safer.]]></Display></Description>
    <Category value="XX"><Display lang="en"><![CDATA[${category}]]></Display></Category>
    <SupportedDevices><Device componentID="${componentId}" embedded="1"><PCIInfo deviceID="1657" vendorID="14E4"/>
      <Display lang="en"><![CDATA[${device}]]></Display></Device></SupportedDevices>
    <SupportedSystems><Brand key="3" prefix="PE"><Display lang="en"><![CDATA[${brand}]]></Display>
      <Model systemID="0716" systemIDType="BIOS"><Display lang="en"><![CDATA[${model}]]></Display></Model></Brand></SupportedSystems>
    ${hashes}
  </SoftwareComponent>`;
}

/** For tests: a Dell catalogue as text. */
export function dellCatalog(
  packages: readonly DellPackage[],
  attributes = 'baseLocation="downloads.dell.com" baseLocationAccessProtocols="HTTPS"',
): string {
  return `<?xml version="1.0" encoding="utf-16"?>
<Manifest ${attributes} dateTime="2023-08-11T18:11:42+05:30" version="23.08.00" xmlns="openmanage/cm/dm">
  <SoftwareBundle path=""><Name><Display lang="en">System Bundle</Display></Name></SoftwareBundle>
${packages.map(dellPackage).join('\n')}
</Manifest>
`;
}

/** For tests: firmware of some kinds for two models, and a driver. */
export const dellPackages: readonly DellPackage[] = [
  { path: 'FOLDER01/1/BIOS_2.19.1.EXE', version: '2.19.1', date: '2023-06-22', sha256: hashOf('sha256', 'a') },
  { path: 'FOLDER02/1/BIOS_2.21.2.EXE', version: '2.21.2', date: '2024-03-05' },
  { path: 'FOLDER03/1/BIOS_2.9.1.EXE', version: '2.9.1', date: '2021-01-05' },
  { path: 'FOLDER04/1/BIOS_1.13.2.EXE', version: '1.13.2', model: 'R750' },
  {
    path: 'FOLDER05/1/iDRAC_7.00.00.00.EXE',
    version: '7.00.00.00',
    type: 'FRMW',
    name: 'iDRAC 7.00.00.00',
    category: 'iDRAC with Lifecycle Controller',
    device: 'Integrated Dell Remote Access Controller',
    componentId: '25227',
  },
  {
    path: 'FOLDER06/1/Network_22.31.6.EXE',
    version: '22.31.6',
    type: 'FRMW',
    name: 'Broadcom NetXtreme family firmware',
    category: 'Network',
    device: 'Broadcom Gigabit Ethernet BCM5720',
    componentId: '108255',
  },
  { path: 'FOLDER08/1/BIOS_2.21.2.BIN', version: '2.21.2', date: '2024-03-05', packageType: 'LLXP' },
  { path: 'FOLDER07/1/Driver.EXE', version: '1.0', type: 'DRVR', name: 'A driver', category: 'Network' },
];

/** For tests: an index of an HPE repository. */
export const hpeIndex = {
  'U32_2.68_07_14_2022.fwpkg': {
    date: '20220909',
    description: 'System ROM Flash Binary - HPE ProLiant DL360 Gen10/DL380 Gen10 (U32) Servers',
    deviceclass: 'aa148d2e-6e09-453e-bc6f-63baa5f5ccc4',
    minimum_active_version: 'null',
    reboot_required: 'yes',
    target: ['00000000-0000-0000-0000-000000000132'],
    version: '2.68_07-14-2022',
  },
  'U32_2.80_04_20_2023.fwpkg': {
    date: '20230511',
    description: 'System ROM Flash Binary - HPE ProLiant DL360 Gen10/DL380 Gen10 (U32) Servers',
    deviceclass: 'aa148d2e-6e09-453e-bc6f-63baa5f5ccc4',
    minimum_active_version: 'null',
    reboot_required: 'yes',
    target: ['00000000-0000-0000-0000-000000000132'],
    version: '2.80_04-20-2023',
  },
  'U54_1.44_06_29_2023.fwpkg': {
    date: '20230801',
    description: 'System ROM Flash Binary - HPE ProLiant DL360 Gen11 (U54) Servers',
    deviceclass: 'aa148d2e-6e09-453e-bc6f-63baa5f5ccc4',
    minimum_active_version: 'null',
    reboot_required: 'yes',
    target: ['00000000-0000-0000-0000-000000000154'],
    version: '1.44_06-29-2023',
  },
  'ilo5_299.fwpkg': {
    date: '20231205',
    description: 'HPE Integrated Lights-Out 5',
    deviceclass: '2f317b9d-c9e3-4d76-bff6-b9d0d085a952',
    minimum_active_version: '1.40',
    reboot_required: 'no',
    target: '4764a662-b342-4fc7-9ce9-258c5d99e815',
    version: '2.99',
  },
  '22_41_1000-MCX623106AS-CDA_Ax.pldm.fwpkg': {
    date: '20240621',
    description: 'Mellanox Firmware Package for Mellanox MCX623106AS-CDAT Ethernet 100Gb 2-port QSFP56 Adapter for HPE',
    deviceclass: '79f0c163-0c13-4662-9dea-09235fef90cb',
    minimum_active_version: 'null',
    reboot_required: 'yes',
    server_power_off: 'False',
    target: ['a6b1a447-382a-5a4f-15b3-101d15b30042'],
    version: '22.41.1000',
  },
};

/** For tests: the index of a Lenovo bundle. */
export const lenovoIndex = {
  Updates: [
    {
      Payload: 'payloads/lnvgy_fw_xcc_qgx330d-5.10_anyos_comp.uxz',
      Inventory: 'lnvgy_fw_xcc_qgx330d-5.10_anyos_comp_inventory.json',
      Oem: { Inventory: [{ SoftwareId: 'BMC-QGX3-10', Version: 'QGX330D-5.10', OperatingSystem: 'anyos' }] },
    },
    {
      Payload: 'payloads/brcm-lnvgy_fw_nic_nxe-227.1.115.0_anyos_comp.uxz',
      Oem: {
        Inventory: [
          { SoftwareId: 'DEVICE-14E4-16D7-17AA-4105-13', Version: '227.1.115.0', OperatingSystem: 'anyos' },
          { SoftwareId: 'DEVICE-14E4-16D8-17AA-4106-13', Version: '227.1.115.0', OperatingSystem: 'anyos' },
        ],
      },
    },
    { Payload: 'payloads/lnvgy_dd_nic_x-1.0_linux_x86-64.tgz', Oem: { Inventory: [] } },
  ],
  Oem: {
    Description: 'System Firmware (Platform) Bundle',
    ApplicableMachineTypes: ['7D75', '7D76'],
    Version: '24a.0',
    ReleaseDate: '2024-03-01T16.22.44Z',
    Name: 'lnvgy_bundle_svcpack_ka-j9ltd-01a2-24a.0_platform_comp',
  },
};

/** For tests: the XML file of a Lenovo package. */
export function lenovoXml(payload = 'lnvgy_fw_xcc_afbt58b-5.90_anyos_noarch.uxz'): string {
  const property = (name: string, value: string) => `<PROPERTY NAME="${name}"><VALUE>${value}</VALUE></PROPERTY>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<INSTANCE CLASSNAME="SDD">
  ${property('category', 'XCC')}${property('Version', 'Version 5.90')}${property('buildNumber', 'AFBT58B')}
  ${property('payload', payload)}${property('xmlFilename', payload.replace('.uxz', '.xml'))}
  <PROPERTY.ARRAY NAME="applicableMachineTypes"><VALUE.ARRAY><VALUE>[7X05, 7X06] ThinkSystem SR650</VALUE></VALUE.ARRAY></PROPERTY.ARRAY>
  <PROPERTY.ARRAY NAME="preReq"><VALUE.ARRAY></VALUE.ARRAY></PROPERTY.ARRAY>
</INSTANCE>
`;
}

/** For tests: our own catalogue. */
export const plainCatalog = {
  apiVersion: 'rackwright.dev/v1',
  kind: 'FirmwareCatalog',
  firmware: [
    {
      component: 'bios',
      manufacturer: 'Dell Inc.',
      models: ['PowerEdge R640'],
      version: '2.19.1',
      url: 'images/bios-2.19.1.bin',
      size: 1000,
      checksums: [`sha256:${hashOf('sha256', 'a')}`],
      releaseDate: '2023-06-22',
      rebootNeeded: true,
    },
    {
      component: 'bios',
      manufacturer: 'Dell Inc.',
      models: ['PowerEdge R640'],
      version: '2.21.2',
      url: 'https://images.example/bios-2.21.2.bin',
      checksums: [`sha256:${hashOf('sha256', 'b')}`, `md5:${hashOf('md5', 'b')}`],
    },
    {
      component: 'nic',
      name: 'ConnectX-5',
      manufacturer: 'Mellanox Technologies',
      serverManufacturer: 'Dell',
      softwareIds: ['107545'],
      version: '16.35.2000',
      url: 'images/cx5.bin',
      checksums: [`sha256:${hashOf('sha256', 'c')}`],
    },
    {
      component: 'bios',
      manufacturer: 'HPE',
      version: '2.80',
      url: 'images/u32.bin',
      checksums: [`sha256:${hashOf('sha256', 'd')}`],
    },
  ],
};
