import { decorateBy, withOem, without } from '../parts/decoration.ts';
import { type MonitorManner, monitorPath, monitorRoute } from '../parts/task-monitor.ts';
import { componentOf, taskPath } from '../parts/update-facts.ts';
import type { Personality } from '../personality.ts';
import { supermicroBios } from './bios.ts';
import { listSupermicroFirmware, supermicroFirmware } from './firmware.ts';
import { describeSupermicro, supermicroModels } from './hardware.ts';
import { supermicroUpdateRoutes, supermicroUploadPath } from './update-mode.ts';
import {
  supermicroAccepted,
  supermicroError,
  supermicroFaults,
  supermicroMessage,
  supermicroTaskMessage,
  supermicroTaskName,
} from './words.ts';

const second = 1000;
const minute = 60 * second;

const monitors: MonitorManner = { pattern: '/redfish/v1/TaskMonitor/:task', final: 'nothing' };

const decorate = decorateBy({
  ServiceRoot: (body) => withOem({ ...body, Product: null }, 'Supermicro', { DumpService: {} }),
  ComputerSystem: (body, machine) =>
    withOem(without(body, 'SKU'), 'Supermicro', {
      '@odata.type': '#SmcSystemExtensions.v1_0_0.System',
      NodeManager: {},
      BoardSerialNumber: machine.hardware.boardSerial,
    }),
  Chassis: (body, machine) =>
    withOem(body, 'Supermicro', {
      '@odata.type': '#SmcChassisExtensions.v1_0_0.Chassis',
      BoardSerialNumber: machine.hardware.boardSerial,
      BoardID: '0x1B3E',
    }),
  Manager: (body) =>
    withOem({ ...body, Model: 'ASPEED' }, 'Supermicro', {
      '@odata.type': '#SmcManagerExtensions.v1_0_0.Manager',
      LicenseManager: { '@odata.id': '/redfish/v1/Managers/1/LicenseManager' },
    }),
  UpdateService: (body) =>
    withOem(body, 'Supermicro', {
      BIOS: {
        Preserve: {
          ME: false,
          NVRAM: false,
          SMBIOS: true,
          OA: true,
          SETUPCONF: true,
          SETUPPWD: true,
          SECBOOTKEY: true,
          BOOTCONF: true,
        },
      },
      BMC: { Preserve: { Cfg: true, Sdr: true, Ssl: true } },
    }),
  SoftwareInventory: (body) => without(body, 'SoftwareId'),
  Task: (body) => ({ ...body, TaskMonitor: monitorPath(monitors, String(body.Id)), HidePayload: true }),
});

/** Supermicro X12: upload, verify, start; a mode it gets stuck in; a licence for BIOS updates. */
export const supermicroX12: Personality = {
  name: 'supermicro-x12',
  manufacturer: 'Supermicro',
  // This generation does not say who made it at the root.
  ids: {
    system: '1',
    manager: '1',
    chassis: '1',
    storage: 'NVMeSSD',
    bios: 'Bios',
    biosSettings: 'SD',
    biosRegistry: 'BiosAttributeRegistry.v1_0_0',
    virtualMedia: ['VirtualMedia1', 'VirtualMedia2'],
    isVirtualMediaOfSystem: false,
    managerNic: '1',
    systemLog: 'Log1',
    managerLog: 'Log1',
    account: '2',
  },
  service: {
    redfishVersion: '1.9.0',
    hasExpand: false,
    hasEventStream: false,
    hasWeakEtags: false,
    isIfMatchRequired: false,
    doActionsRefuseIfMatch: false,
    doesRefuseChunked: false,
    doesRefuseIdentityEncoding: false,
    hasBootProgress: false,
    resetTypes: [
      'On',
      'ForceOff',
      'GracefulShutdown',
      'GracefulRestart',
      'ForceRestart',
      'Nmi',
      'ForceOn',
      'PowerCycle',
    ],
    hasResetActionInfo: true,
    managerResetTypes: ['GracefulRestart', 'ForceRestart'],
    bootTargets: ['None', 'Pxe', 'Floppy', 'Cd', 'Usb', 'Hdd', 'BiosSetup', 'UsbCd', 'UefiBootNext', 'UefiHttp'],
    hasBootMode: true,
    isBasicAuthAllowed: true,
  },
  update: {
    multipartPushUri: supermicroUploadPath,
    simpleUpdate: { protocols: ['HTTP', 'HTTPS', 'FTP'], isProtocolRequired: true },
    applyTimes: ['Immediate', 'OnStartUpdateRequest'],
    hasBusyClaim: false,
  },
  limits: {
    sessions: 6,
    sessionTimeoutMs: 5 * minute,
    lockoutThreshold: 3,
    lockoutMs: 5 * minute,
    subscriptions: 16,
    tasks: 30,
  },
  timings: {
    powerOnMs: 6 * second,
    postMs: 180 * second,
    osBootMs: 60 * second,
    gracefulShutdownMs: 45 * second,
    forceOffMs: 5 * second,
    managerResetMs: 120 * second,
    downloadMs: 60 * second,
    verifyMs: 60 * second,
    flashMs: { bmc: 6 * minute, bios: 7 * minute, other: 3 * minute },
  },
  updateRules: {
    hasVerifyTask: true,
    stagesBios: true,
    flashesAtPost: [],
    refusesAtOnce: ['too-large', 'wrong-target'],
  },
  machineRules: { hasBiosTasks: false },
  bios: supermicroBios,
  models: supermicroModels,
  describe: describeSupermicro,
  firmware: supermicroFirmware,
  listFirmware: listSupermicroFirmware,
  decorate,
  routes: [monitorRoute(monitors), ...supermicroUpdateRoutes],
  answerUpdate(machine, update) {
    const task = machine.tasks.find(update.taskId);
    return supermicroAccepted(taskPath(update.taskId), {
      component: componentOf(update),
      isVerify: task?.stage === 'verify',
    });
  },
  answerRefusal(_machine, { fault, detail }) {
    const said = supermicroFaults[fault];
    return supermicroError(said.status, supermicroMessage(said.key, said.text, detail === '' ? [] : [detail]));
  },
  describeTask: (machine, task) => ({
    name: supermicroTaskName(machine, task),
    messages: [supermicroTaskMessage(task)],
  }),
  isTaskPurged: () => false,
};
