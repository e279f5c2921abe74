import type { JsonObject } from '../json.ts';

type Tree = Record<string, JsonObject>;

/** The parts of the sample that tests vary. */
export interface SampleOptions {
  /** Members that go into the service root. */
  readonly root?: JsonObject;
  readonly system?: JsonObject;
  readonly manager?: JsonObject;
  /** Members of the firmware inventory by id; a BIOS and a BMC unless given. */
  readonly firmware?: Readonly<Record<string, JsonObject>>;
  /** Other resources by path. */
  readonly more?: Tree;
}

const link = (path: string): JsonObject => ({ '@odata.id': path });

/** A resource with the members that every resource has. */
export function resource(path: string, members: JsonObject): JsonObject {
  const id = path.slice(path.lastIndexOf('/') + 1);
  return { '@odata.id': path, '@odata.type': '#Sample.v1_0_0.Sample', Id: id, Name: id, ...members };
}

/** A collection and its members, to be spread into a tree. */
export function collection(path: string, members: Readonly<Record<string, JsonObject>>): Tree {
  const paths = Object.keys(members).map((id) => `${path}/${id}`);
  const tree: Tree = {
    [path]: {
      '@odata.id': path,
      '@odata.type': '#SampleCollection.SampleCollection',
      Name: 'Collection',
      'Members@odata.count': paths.length,
      Members: paths.map(link),
    },
  };
  for (const [id, body] of Object.entries(members)) tree[`${path}/${id}`] = resource(`${path}/${id}`, body);
  return tree;
}

const systemPath = '/redfish/v1/Systems/1';
const managerPath = '/redfish/v1/Managers/1';
const chassisPath = '/redfish/v1/Chassis/1';

const defaultFirmware: Readonly<Record<string, JsonObject>> = {
  BIOS: { Name: 'BIOS', Version: '1.2.3', Updateable: true, RelatedItem: [link(`${systemPath}/Bios`)] },
  BMC: { Name: 'BMC', Version: '4.5.6', Updateable: true, RelatedItem: [link(managerPath)] },
};

/** A whole machine as a BMC that follows the standard shows it. */
export function sampleTree(options: SampleOptions = {}): Tree {
  return {
    '/redfish/v1': rootOf(options),
    ...collection('/redfish/v1/Systems', { 1: { ...systemBody, ...options.system } }),
    ...collection('/redfish/v1/Managers', { 1: { ...managerBody, ...options.manager } }),
    ...collection('/redfish/v1/Chassis', { 1: chassisBody }),
    ...collection('/redfish/v1/UpdateService/FirmwareInventory', options.firmware ?? defaultFirmware),
    '/redfish/v1/UpdateService': resource('/redfish/v1/UpdateService', {
      FirmwareInventory: link('/redfish/v1/UpdateService/FirmwareInventory'),
    }),
    ...parts,
    ...network,
    ...storage,
    ...bios,
    ...media,
    ...options.more,
  };
}

function rootOf(options: SampleOptions): JsonObject {
  return resource('/redfish/v1', {
    Id: 'RootService',
    RedfishVersion: '1.15.0',
    UUID: '9c7e3b1a-1111-4222-8333-444455556666',
    Systems: link('/redfish/v1/Systems'),
    Chassis: link('/redfish/v1/Chassis'),
    Managers: link('/redfish/v1/Managers'),
    UpdateService: link('/redfish/v1/UpdateService'),
    Tasks: link('/redfish/v1/TaskService'),
    EventService: link('/redfish/v1/EventService'),
    Registries: link('/redfish/v1/Registries'),
    ...options.root,
  });
}

const systemBody: JsonObject = {
  UUID: '0A1B2C3D-1111-4222-8333-444455556666',
  Manufacturer: 'Contoso',
  Model: 'Server 9000',
  SerialNumber: 'SN-1',
  SKU: 'SKU-1',
  BiosVersion: '1.2.3',
  PowerState: 'On',
  Status: { State: 'Enabled', Health: 'OK' },
  IndicatorLED: 'Off',
  Boot: {
    BootSourceOverrideEnabled: 'Disabled',
    BootSourceOverrideTarget: 'None',
    'BootSourceOverrideTarget@Redfish.AllowableValues': ['None', 'Pxe', 'Cd', 'Hdd', 'UefiHttp'],
    BootSourceOverrideMode: 'UEFI',
    BootOrder: ['Boot0000', 'Boot0001'],
    BootOptions: link(`${systemPath}/BootOptions`),
  },
  Processors: link(`${systemPath}/Processors`),
  Memory: link(`${systemPath}/Memory`),
  Storage: link(`${systemPath}/Storage`),
  EthernetInterfaces: link(`${systemPath}/EthernetInterfaces`),
  Bios: link(`${systemPath}/Bios`),
  SecureBoot: link(`${systemPath}/SecureBoot`),
  Links: { Chassis: [link(chassisPath)], ManagedBy: [link(managerPath)] },
  Actions: {
    '#ComputerSystem.Reset': {
      target: `${systemPath}/Actions/ComputerSystem.Reset`,
      'ResetType@Redfish.AllowableValues': ['On', 'ForceOff', 'GracefulShutdown', 'ForceRestart', 'PowerCycle'],
    },
  },
};

const managerBody: JsonObject = {
  ManagerType: 'BMC',
  Model: 'Contoso BMC',
  FirmwareVersion: '4.5.6',
  SerialNumber: 'BMC-SN-1',
  DateTime: '2025-01-01T00:00:05+00:00',
  EthernetInterfaces: link(`${managerPath}/EthernetInterfaces`),
  VirtualMedia: link(`${managerPath}/VirtualMedia`),
  Actions: {
    '#Manager.Reset': {
      target: `${managerPath}/Actions/Manager.Reset`,
      'ResetType@Redfish.AllowableValues': ['GracefulRestart', 'ForceRestart'],
    },
  },
};

const chassisBody: JsonObject = {
  NetworkAdapters: link(`${chassisPath}/NetworkAdapters`),
  Links: { Drives: [link(`${systemPath}/Storage/1/Drives/0`)] },
};

const parts: Tree = {
  ...collection(`${systemPath}/Processors`, {
    CPU1: { Model: 'Fast 1', TotalCores: 32, TotalThreads: 64, ProcessorType: 'CPU' },
    CPU2: { Status: { State: 'Absent' } },
  }),
  ...collection(`${systemPath}/Memory`, {
    A1: { CapacityMiB: 32768, OperatingSpeedMhz: 4800, PartNumber: 'P-1', SerialNumber: 'D-1' },
    A2: { CapacityMiB: 0, Status: { State: 'Absent' } },
  }),
  ...collection(`${managerPath}/EthernetInterfaces`, { eth0: { MACAddress: '02:00:00:00:00:AA' } }),
  ...collection(`${systemPath}/BootOptions`, {
    Boot0000: { BootOptionReference: 'Boot0000', DisplayName: 'Disk', BootOptionEnabled: true },
    Boot0001: { BootOptionReference: 'Boot0001', DisplayName: 'PXE', Alias: 'Pxe', BootOptionEnabled: true },
  }),
  [`${systemPath}/SecureBoot`]: resource(`${systemPath}/SecureBoot`, {
    SecureBootEnable: false,
    SecureBootCurrentBoot: 'Disabled',
    SecureBootMode: 'UserMode',
  }),
};

const network: Tree = {
  ...collection(`${systemPath}/EthernetInterfaces`, {
    NIC1: { MACAddress: '02-00-00-00-00-01', SpeedMbps: 25000, LinkStatus: 'LinkUp' },
    ToManager: { MACAddress: '02:00:00:00:00:99' },
  }),
  ...collection(`${chassisPath}/NetworkAdapters`, {
    Slot1: {
      Ports: link(`${chassisPath}/NetworkAdapters/Slot1/Ports`),
      NetworkDeviceFunctions: link(`${chassisPath}/NetworkAdapters/Slot1/NetworkDeviceFunctions`),
    },
  }),
  ...collection(`${chassisPath}/NetworkAdapters/Slot1/Ports`, {
    1: {
      LinkStatus: 'LinkUp',
      CurrentSpeedGbps: 25,
      Ethernet: {
        AssociatedMACAddresses: ['02:00:00:00:00:01'],
        LLDPReceive: { ChassisId: '02:66:4b:00:00:01', ChassisIdSubtype: 'MacAddr', PortId: 'Ethernet1/1' },
      },
    },
    2: { LinkStatus: 'LinkDown', Ethernet: { AssociatedMACAddresses: ['02:00:00:00:00:02'] } },
  }),
  ...collection(`${chassisPath}/NetworkAdapters/Slot1/NetworkDeviceFunctions`, {
    1: { Ethernet: { MACAddress: '02:00:00:00:00:01' } },
  }),
};

const storage: Tree = {
  ...collection(`${systemPath}/Storage`, {
    1: { Drives: [link(`${systemPath}/Storage/1/Drives/0`), link(`${systemPath}/Storage/1/Drives/1`)] },
  }),
  [`${systemPath}/Storage/1/Drives/0`]: resource(`${systemPath}/Storage/1/Drives/0`, {
    Model: 'Disk',
    SerialNumber: 'S-0',
    CapacityBytes: 960_197_124_096,
    MediaType: 'SSD',
    Protocol: 'NVMe',
    Revision: 'R1',
  }),
  [`${systemPath}/Storage/1/Drives/1`]: resource(`${systemPath}/Storage/1/Drives/1`, {
    Model: 'Disk',
    SerialNumber: 'S-1',
    CapacityBytes: 960_197_124_096,
    MediaType: 'SSD',
    Protocol: 'NVMe',
    Revision: 'R1',
  }),
};

const biosAttributes: JsonObject = {
  BootMode: 'Uefi',
  MemTest: 'Disabled',
  FanOffset: 10,
  Quiet: true,
  AssetTag: 'A-1',
};

const bios: Tree = {
  [`${systemPath}/Bios`]: resource(`${systemPath}/Bios`, {
    AttributeRegistry: 'BiosAttributeRegistry.v1_0_0',
    Attributes: biosAttributes,
    '@Redfish.Settings': {
      SettingsObject: link(`${systemPath}/Bios/Settings`),
      SupportedApplyTimes: ['OnReset'],
    },
    Actions: { '#Bios.ResetBios': { target: `${systemPath}/Bios/Actions/Bios.ResetBios` } },
  }),
  [`${systemPath}/Bios/Settings`]: resource(`${systemPath}/Bios/Settings`, { Attributes: biosAttributes }),
  ...collection('/redfish/v1/Registries', {
    'BiosAttributeRegistry.v1_0_0': {
      Location: [{ Language: 'en', Uri: '/redfish/v1/Registries/BiosAttributeRegistry.v1_0_0.json' }],
    },
  }),
  '/redfish/v1/Registries/BiosAttributeRegistry.v1_0_0.json': {
    Id: 'BiosAttributeRegistry.v1_0_0',
    RegistryEntries: {
      Attributes: [
        {
          AttributeName: 'BootMode',
          Type: 'Enumeration',
          Value: [
            { ValueName: 'Uefi', ValueDisplayName: 'UEFI' },
            { ValueName: 'Bios', ValueDisplayName: 'Legacy BIOS' },
          ],
        },
        {
          AttributeName: 'MemTest',
          Type: 'Enumeration',
          Value: [{ ValueName: 'Enabled' }, { ValueName: 'Disabled' }],
        },
        { AttributeName: 'FanOffset', Type: 'Integer', LowerBound: 0, UpperBound: 100, ScalarIncrement: 5 },
        { AttributeName: 'Quiet', Type: 'Boolean' },
        { AttributeName: 'AssetTag', Type: 'String', MaxLength: 8, ValueExpression: '^[A-Z0-9-]*$' },
        { AttributeName: 'SystemModel', Type: 'String', ReadOnly: true },
      ],
    },
  },
};

const media: Tree = {
  ...collection(`${managerPath}/VirtualMedia`, {
    Floppy: { MediaTypes: ['Floppy', 'USBStick'], Inserted: false, Image: null },
    CD: {
      MediaTypes: ['CD', 'DVD'],
      Inserted: false,
      Image: null,
      Actions: {
        '#VirtualMedia.InsertMedia': { target: `${managerPath}/VirtualMedia/CD/Actions/VirtualMedia.InsertMedia` },
        '#VirtualMedia.EjectMedia': { target: `${managerPath}/VirtualMedia/CD/Actions/VirtualMedia.EjectMedia` },
      },
    },
  }),
};
