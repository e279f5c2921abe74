import type { JsonObject } from '../../json.ts';

/** A tree of resources for a scripted gate. */
export type Tree = Readonly<Record<string, JsonObject>>;

const root = (vendor: string, more: JsonObject = {}): JsonObject => ({
  '@odata.id': '/redfish/v1/',
  RedfishVersion: '1.15.0',
  Vendor: vendor,
  Systems: { '@odata.id': '/redfish/v1/Systems' },
  Managers: { '@odata.id': '/redfish/v1/Managers' },
  UpdateService: { '@odata.id': '/redfish/v1/UpdateService' },
  Tasks: { '@odata.id': '/redfish/v1/TaskService' },
  ...more,
});

/** A collection of these members. */
export const collectionOf = (path: string, ...names: readonly string[]): JsonObject => ({
  '@odata.id': path,
  Members: names.map((name) => ({ '@odata.id': `${path}/${name}` })),
  'Members@odata.count': names.length,
});

function frame(about: { vendor: string; system: string; manager: string; model?: string; power?: string }): Tree {
  const { vendor, system, manager, model = 'Server', power = 'On' } = about;
  return {
    '/redfish/v1/': root(vendor),
    '/redfish/v1': root(vendor),
    '/redfish/v1/Systems': collectionOf('/redfish/v1/Systems', system),
    [`/redfish/v1/Systems/${system}`]: {
      '@odata.id': `/redfish/v1/Systems/${system}`,
      Id: system,
      Model: model,
      PowerState: power,
      SystemType: 'Physical',
    },
    '/redfish/v1/Managers': collectionOf('/redfish/v1/Managers', manager),
    [`/redfish/v1/Managers/${manager}`]: { '@odata.id': `/redfish/v1/Managers/${manager}`, Id: manager },
    '/redfish/v1/TaskService': { Tasks: { '@odata.id': '/redfish/v1/TaskService/Tasks' } },
    '/redfish/v1/TaskService/Tasks': collectionOf('/redfish/v1/TaskService/Tasks'),
    '/redfish/v1/UpdateService/FirmwareInventory': collectionOf('/redfish/v1/UpdateService/FirmwareInventory'),
  };
}

const simpleUpdate = '/redfish/v1/UpdateService/Actions/UpdateService.SimpleUpdate';
const inventory = { '@odata.id': '/redfish/v1/UpdateService/FirmwareInventory' };

/** As a PowerEdge R750 shows itself. */
export const dellTree: Tree = {
  ...frame({ vendor: 'Dell', system: 'System.Embedded.1', manager: 'iDRAC.Embedded.1', model: 'PowerEdge R750' }),
  '/redfish/v1/Managers/iDRAC.Embedded.1/Oem/Dell/Jobs': collectionOf(
    '/redfish/v1/Managers/iDRAC.Embedded.1/Oem/Dell/Jobs',
  ),
  '/redfish/v1/UpdateService': {
    '@odata.type': '#UpdateService.v1_11_0.UpdateService',
    Actions: {
      '#UpdateService.SimpleUpdate': {
        '@Redfish.OperationApplyTimeSupport': {
          '@odata.type': '#Settings.v1_3_0.OperationApplyTimeSupport',
          SupportedValues: ['Immediate', 'OnReset', 'OnStartUpdateRequest'],
        },
        'TransferProtocol@Redfish.AllowableValues': ['HTTP', 'NFS', 'CIFS', 'TFTP', 'HTTPS'],
        target: simpleUpdate,
      },
      '#UpdateService.StartUpdate': { target: '/redfish/v1/UpdateService/Actions/UpdateService.StartUpdate' },
    },
    FirmwareInventory: inventory,
    HttpPushUri: '/redfish/v1/UpdateService/FirmwareInventory',
    MaxImageSizeBytes: null,
    MultipartHttpPushUri: '/redfish/v1/UpdateService/MultipartUpload',
    ServiceEnabled: true,
  },
};

/** As an iLO 5 shows itself. */
export const hpeTree: Tree = {
  ...frame({ vendor: 'HPE', system: '1', manager: '1', model: 'ProLiant DL380 Gen10' }),
  '/redfish/v1/UpdateService': {
    '@odata.type': '#UpdateService.v1_2_1.UpdateService',
    Actions: {
      '#UpdateService.SimpleUpdate': {
        'TransferProtocol@Redfish.AllowableValues': ['HTTP', 'HTTPS'],
        target: `${simpleUpdate}/`,
      },
    },
    FirmwareInventory: inventory,
    HttpPushUri: '/cgi-bin/uploadFile',
    Oem: { Hpe: { State: 'Idle', FlashProgressPercent: 0 } },
    ServiceEnabled: true,
  },
};

/** As an XCC of an SR670 shows itself. */
export const lenovoTree: Tree = {
  ...frame({ vendor: 'Lenovo', system: '1', manager: '1', model: 'ThinkSystem SR670' }),
  '/redfish/v1/UpdateService': {
    '@odata.type': '#UpdateService.v1_8_3.UpdateService',
    Actions: {
      '#UpdateService.SimpleUpdate': {
        '@Redfish.ActionInfo': '/redfish/v1/UpdateService/SimpleUpdateActionInfo',
        target: simpleUpdate,
      },
    },
    FirmwareInventory: inventory,
    HttpPushUri: '/fwupdate',
    HttpPushUriTargets: [],
    HttpPushUriTargetsBusy: false,
    HttpPushUriOptions: {
      HttpPushUriApplyTime: {
        ApplyTime: 'Immediate',
        'ApplyTime@Redfish.AllowableValues': ['Immediate', 'OnReset', 'OnStartUpdateRequest'],
      },
    },
    MaxImageSizeBytes: 250_000_000,
    MultipartHttpPushUri: '/mfwupdate',
    ServiceEnabled: true,
  },
  '/redfish/v1/UpdateService/SimpleUpdateActionInfo': {
    Parameters: [
      { Name: 'ImageURI', Required: true, DataType: 'String' },
      { Name: 'TransferProtocol', Required: true, DataType: 'String', AllowableValues: ['TFTP', 'SFTP'] },
      { Name: 'Username', Required: false, DataType: 'String' },
      { Name: 'Password', Required: false, DataType: 'String' },
      {
        Name: 'Targets',
        Required: false,
        DataType: 'StringArray',
        AllowableValues: ['/redfish/v1/UpdateService/FirmwareInventory/BMC-Backup'],
      },
    ],
  },
};

/** As an X12 shows itself. */
export const supermicroTree: Tree = {
  ...frame({ vendor: 'Supermicro', system: '1', manager: '1', model: 'X12STH-SYS' }),
  '/redfish/v1/UpdateService': {
    '@odata.type': '#UpdateService.v1_8_4.UpdateService',
    Actions: {
      '#UpdateService.SimpleUpdate': {
        target: simpleUpdate,
        '@Redfish.ActionInfo': '/redfish/v1/UpdateService/SimpleUpdateActionInfo',
      },
      '#UpdateService.StartUpdate': { target: '/redfish/v1/UpdateService/Actions/UpdateService.StartUpdate' },
    },
    'MultipartHttpPushUri@Redfish.OperationApplyTimeSupport': {
      SupportedValues: ['Immediate', 'OnStartUpdateRequest'],
    },
    FirmwareInventory: inventory,
    MultipartHttpPushUri: '/redfish/v1/UpdateService/upload',
    ServiceEnabled: true,
  },
};

/** As bmcweb shows itself. */
export const openbmcTree: Tree = {
  ...frame({ vendor: 'OpenBMC', system: 'system', manager: 'bmc', power: 'Off' }),
  '/redfish/v1/UpdateService': {
    '@odata.type': '#UpdateService.v1_11_1.UpdateService',
    FirmwareInventory: inventory,
    HttpPushUri: '/redfish/v1/UpdateService/update',
    HttpPushUriOptions: {
      HttpPushUriApplyTime: {
        ApplyTime: 'OnReset',
        'ApplyTime@Redfish.AllowableValues': ['Immediate', 'OnReset'],
      },
    },
    MaxImageSizeBytes: 209_715_200,
    MultipartHttpPushUri: '/redfish/v1/UpdateService/update-multipart',
    'MultipartHttpPushUri@Redfish.OperationApplyTimeSupport': { SupportedValues: ['Immediate', 'OnReset'] },
    ServiceEnabled: true,
  },
};

/** Every tree by its vendor. */
export const vendorTrees = {
  dell: dellTree,
  hpe: hpeTree,
  lenovo: lenovoTree,
  supermicro: supermicroTree,
  openbmc: openbmcTree,
} as const;
