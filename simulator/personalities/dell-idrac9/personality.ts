import type { Personality } from '../personality.ts';
import { answerDellRefusal, answerDellUpdate, dellTaskId, describeDellTask, isDellTaskPurged } from './answers.ts';
import { dellBios } from './bios.ts';
import { decorateDell } from './decorations.ts';
import { dellFirmware, listDellFirmware } from './firmware.ts';
import { dellModels, describeDell } from './hardware.ts';
import { dellJobRoutes } from './jobs.ts';
import { dellServiceRoutes } from './services.ts';

const second = 1000;
const minute = 60 * second;

/** Dell iDRAC9: jobs beside tasks, strict about Content-Length and about If-Match on actions. */
export const dellIdrac9: Personality = {
  name: 'dell-idrac9',
  manufacturer: 'Dell Inc.',
  rootVendor: 'Dell',
  ids: {
    system: 'System.Embedded.1',
    manager: 'iDRAC.Embedded.1',
    chassis: 'System.Embedded.1',
    storage: 'RAID.Integrated.1-1',
    bios: 'Bios',
    biosSettings: 'Settings',
    biosRegistry: 'BiosAttributeRegistry.v1_0_0',
    virtualMedia: ['1', '2'],
    isVirtualMediaOfSystem: true,
    managerNic: 'NIC.1',
    systemLog: 'Sel',
    managerLog: 'Lclog',
    account: '2',
  },
  service: {
    redfishVersion: '1.17.0',
    hasExpand: true,
    hasEventStream: true,
    hasWeakEtags: true,
    doesRefuseWeakIfMatch: true,
    hasGzip: true,
    isIfMatchRequired: false,
    doActionsRefuseIfMatch: true,
    doesRefuseChunked: true,
    doesRefuseIdentityEncoding: false,
    hasBootProgress: true,
    resetTypes: [
      'On',
      'ForceOff',
      'ForceRestart',
      'GracefulRestart',
      'GracefulShutdown',
      'PushPowerButton',
      'Nmi',
      'PowerCycle',
    ],
    hasResetActionInfo: false,
    managerResetTypes: ['GracefulRestart'],
    bootTargets: ['None', 'Pxe', 'Floppy', 'Cd', 'Hdd', 'BiosSetup', 'Utilities', 'UefiTarget', 'SDCard', 'UefiHttp'],
    hasBootMode: true,
    pageSize: 50,
    isBasicAuthAllowed: true,
  },
  update: {
    multipartPushUri: '/redfish/v1/UpdateService/MultipartUpload',
    pushUri: '/redfish/v1/UpdateService/FirmwareInventory',
    simpleUpdate: { protocols: ['HTTP', 'NFS', 'CIFS', 'TFTP', 'HTTPS'], isProtocolRequired: false },
    applyTimes: ['Immediate', 'OnReset', 'OnStartUpdateRequest'],
    hasBusyClaim: false,
  },
  limits: {
    sessions: 8,
    sessionTimeoutMs: 30 * minute,
    lockoutThreshold: 3,
    lockoutMs: minute,
    subscriptions: 20,
    tasks: 100,
  },
  timings: {
    powerOnMs: 8 * second,
    postMs: 210 * second,
    osBootMs: 60 * second,
    gracefulShutdownMs: 45 * second,
    forceOffMs: 6 * second,
    managerResetMs: 160 * second,
    downloadMs: 60 * second,
    verifyMs: 40 * second,
    flashMs: { bmc: 7 * minute, bios: 9 * minute, other: 4 * minute },
  },
  updateRules: {
    concurrency: 'queue',
    refusesAtOnce: ['not-an-image', 'corrupt', 'truncated', 'too-large', 'wrong-target'],
    flashesAtPost: ['bios', 'cpld', 'nic', 'drive', 'psu', 'storage-controller'],
    doesImmediateReboot: true,
  },
  machineRules: { hasBiosTasks: true, taskId: dellTaskId },
  bios: dellBios,
  models: dellModels,
  describe: describeDell,
  firmware: dellFirmware,
  listFirmware: listDellFirmware,
  decorate: decorateDell,
  routes: [...dellJobRoutes, ...dellServiceRoutes],
  answerUpdate: answerDellUpdate,
  answerRefusal: answerDellRefusal,
  answerBusy: (machine) => answerDellRefusal(machine, { fault: 'busy', detail: '' }),
  describeTask: describeDellTask,
  isTaskPurged: isDellTaskPurged,
};
