import { makeMessage, refuse, renderTask } from '../../redfish/resources/index.ts';
import { decorateBy, objectIn, withOem } from '../parts/decoration.ts';
import { type MonitorManner, monitorPath, monitorRoute } from '../parts/task-monitor.ts';
import { componentOf, isSuccess, updateOf } from '../parts/update-facts.ts';
import type { Personality } from '../personality.ts';
import { lenovoBios } from './bios.ts';
import { lenovoFirmware, listLenovoFirmware } from './firmware.ts';
import { describeLenovo, lenovoModels } from './hardware.ts';
import { hasJob, jobPath, lenovoJobRoutes } from './jobs.ts';
import { lenovoFaults, lenovoTaskMessage, transitionedTo } from './words.ts';

const second = 1000;
const minute = 60 * second;

/** Reading the monitor of a finished task throws the task away. */
const monitors: MonitorManner = {
  pattern: '/redfish/v1/TaskService/TaskMonitors/:task',
  doesReadingRemove: true,
};

const decorate = decorateBy({
  ServiceRoot: (body) =>
    withOem(
      { ...body, Product: 'Lenovo XClarity Controller', JobService: { '@odata.id': '/redfish/v1/JobService' } },
      'Lenovo',
      {
        '@odata.type': '#LenovoServiceRoot.v1_0_0.LenovoServiceRoot',
      },
    ),
  ComputerSystem: (body, machine) =>
    withOem({ ...body, SubModel: machine.hardware.sku.slice(0, 4) }, 'Lenovo', {
      '@odata.type': '#LenovoComputerSystem.v1_0_0.LenovoSystemProperties',
      SystemStatus:
        machine.power.bootProgress === 'OSRunning'
          ? 'OSBooted'
          : machine.power.state === 'Off'
            ? 'SystemPowerOff_StateUnknown'
            : 'SystemRunningInUEFI',
    }),
  Chassis: (body, { hardware }) => ({ ...body, PartNumber: hardware.sku }),
  Manager: (body) =>
    withOem({ ...body, Model: 'Lenovo XClarity Controller' }, 'Lenovo', {
      '@odata.type': '#LenovoManager.v1_0_0.LenovoManagerProperties',
      release_name: 'stock',
    }),
  UpdateService: (body) => {
    const actions = objectIn(body.Actions);
    const simple = objectIn(actions['#UpdateService.SimpleUpdate']);
    return withOem(
      {
        ...body,
        Actions: { ...actions, '#UpdateService.SimpleUpdate': { ...simple, '@Redfish.ActionInfo': simpleUpdateInfo } },
      },
      'Lenovo',
      { '@odata.type': '#LenovoUpdateService.v1_0_0.LenovoUpdateServiceProperties', XCCBackupAutoPromote: false },
    );
  },
});

const simpleUpdateInfo = '/redfish/v1/UpdateService/SimpleUpdateActionInfo';

/** Lenovo XCC: ETags are a must, pushes want a claim, and new BMC firmware waits for somebody to reset the BMC. */
export const lenovoXcc: Personality = {
  name: 'lenovo-xcc',
  manufacturer: 'Lenovo',
  rootVendor: 'Lenovo',
  ids: {
    system: '1',
    manager: '1',
    chassis: '1',
    storage: 'RAID_Slot7',
    bios: 'Bios',
    biosSettings: 'Pending',
    biosRegistry: 'BiosAttributeRegistry.1.0.0',
    virtualMedia: ['EXT1', 'EXT2', 'EXT3', 'EXT4', 'RDOC1', 'RDOC2'],
    isVirtualMediaOfSystem: false,
    managerNic: 'NIC',
    systemLog: 'PlatformLog',
    managerLog: 'SEL',
    account: '1',
  },
  service: {
    redfishVersion: '1.15.0',
    hasExpand: true,
    hasEventStream: true,
    hasWeakEtags: false,
    isIfMatchRequired: true,
    doActionsRefuseIfMatch: false,
    doesRefuseChunked: false,
    doesRefuseIdentityEncoding: false,
    hasBootProgress: true,
    resetTypes: ['On', 'Nmi', 'GracefulShutdown', 'GracefulRestart', 'ForceOn', 'ForceOff', 'ForceRestart'],
    hasResetActionInfo: false,
    managerResetTypes: ['GracefulRestart', 'ForceRestart'],
    bootTargets: ['None', 'Pxe', 'Cd', 'Usb', 'Hdd', 'BiosSetup', 'Diags', 'UefiTarget', 'UefiHttp'],
    hasBootMode: true,
    isBasicAuthAllowed: true,
  },
  update: {
    multipartPushUri: '/mfwupdate',
    pushUri: '/fwupdate',
    simpleUpdate: { protocols: ['TFTP', 'SFTP'], isProtocolRequired: true },
    applyTimes: ['Immediate', 'OnReset', 'OnStartUpdateRequest'],
    maxImageSizeBytes: 250_000_000,
    hasBusyClaim: true,
  },
  limits: {
    sessions: 16,
    sessionTimeoutMs: 20 * minute,
    lockoutThreshold: 5,
    lockoutMs: 60 * minute,
    subscriptions: 30,
    tasks: 30,
  },
  timings: {
    powerOnMs: 10 * second,
    postMs: 240 * second,
    osBootMs: 60 * second,
    gracefulShutdownMs: 50 * second,
    forceOffMs: 6 * second,
    managerResetMs: 190 * second,
    downloadMs: 60 * second,
    verifyMs: 45 * second,
    flashMs: { bmc: 8 * minute, bios: 6 * minute, other: 3 * minute },
  },
  updateRules: { stagesBios: true, bmcNeedsReset: true, flashesAtPost: ['nic'] },
  machineRules: { hasBiosTasks: true },
  bios: lenovoBios,
  models: lenovoModels,
  describe: describeLenovo,
  firmware: lenovoFirmware,
  listFirmware: listLenovoFirmware,
  decorate,
  routes: [
    monitorRoute(monitors),
    ...lenovoJobRoutes,
    {
      pattern: simpleUpdateInfo,
      get: ({ path }) => ({
        status: 200,
        body: {
          '@odata.id': path,
          '@odata.type': '#ActionInfo.v1_1_2.ActionInfo',
          Id: 'SimpleUpdateActionInfo',
          Name: 'SimpleUpdateActionInfo',
          Parameters: [
            { Name: 'ImageURI', DataType: 'String', Required: true },
            { Name: 'TransferProtocol', DataType: 'String', Required: true, AllowableValues: ['TFTP', 'SFTP'] },
            {
              Name: 'Targets',
              DataType: 'StringArray',
              Required: false,
              AllowableValues: ['/redfish/v1/UpdateService/FirmwareInventory/BMC-Backup'],
            },
            { Name: 'Username', DataType: 'String', Required: false },
            { Name: 'Password', DataType: 'String', Required: false },
          ],
        },
      }),
    },
  ],
  answerUpdate(machine, update) {
    const task = machine.tasks.find(update.taskId);
    const monitor = monitorPath(monitors, update.taskId);
    if (task === undefined) return { status: 202, headers: { Location: monitor } };
    return { status: 202, headers: { Location: monitor }, body: renderTask(machine, task) };
  },
  answerRefusal(_machine, { fault }) {
    const said = lenovoFaults[fault];
    return refuse(said.status, { messageId: said.id, message: said.text });
  },
  answerBusy: () => ({
    ...refuse(503, { messageId: 'ServiceTemporarilyUnavailable', args: ['30'] }),
    headers: { 'Retry-After': '30' },
  }),
  describeTask(machine, task) {
    const name = task.kind === 'bios' ? 'UEFI settings' : 'Firmware update';
    const isHandedOn = hasJob(machine, task) && isSuccess(task);
    const reset = makeMessage({
      messageId: 'Base.1.8.ResetRequired',
      message: 'A reset of the component is needed.',
      args: ['/redfish/v1/Managers/1', 'GracefulRestart'],
      severity: 'Warning',
    });
    if (isHandedOn) return { name, messages: [transitionedTo(jobPath(task))] };
    const isBmc = componentOf(updateOf(machine, task)) === 'bmc';
    const messages = [lenovoTaskMessage(task)];
    return { name, messages: isBmc && isSuccess(task) ? [...messages, reset] : messages };
  },
  isTaskPurged: () => false,
};
