import type { FirmwareSlot } from '../../../machine/firmware.ts';
import type { Hardware } from '../../../machine/hardware.ts';
import type { Personality } from '../../../personalities/personality.ts';
import { refuse } from '../errors.ts';
import { taskPath } from '../paths.ts';

const second = 1000;

/** A vendor without quirks. Slots have spaces and ports are counted per adapter, so that ids have to be made. */
export const plainPersonality: Personality = {
  name: 'openbmc',
  manufacturer: 'Plain',
  ids: {
    system: 'system',
    manager: 'bmc',
    chassis: 'chassis',
    storage: '1',
    bios: 'Bios',
    biosSettings: 'Settings',
    biosRegistry: 'BiosAttributeRegistry.v1_2_3',
    virtualMedia: ['Cd', 'UsbStick'],
    isVirtualMediaOfSystem: false,
  },
  service: {
    redfishVersion: '1.15.0',
    hasExpand: true,
    hasEventStream: true,
    hasWeakEtags: false,
    isIfMatchRequired: false,
    doActionsRefuseIfMatch: false,
    doesRefuseChunked: false,
    doesCloseConnections: false,
    doesRefuseIdentityEncoding: false,
    hasBootProgress: true,
    resetTypes: ['On', 'ForceOff', 'GracefulShutdown', 'GracefulRestart', 'ForceRestart'],
    hasResetActionInfo: true,
    managerResetTypes: ['GracefulRestart'],
    bootTargets: ['None', 'Pxe', 'Hdd', 'Cd', 'UefiHttp'],
    hasBootMode: true,
    isBasicAuthAllowed: true,
  },
  update: {
    multipartPushUri: '/redfish/v1/UpdateService/update-multipart',
    pushUri: '/redfish/v1/UpdateService/update',
    simpleUpdate: { protocols: ['HTTP', 'HTTPS'], isProtocolRequired: false },
    applyTimes: ['Immediate', 'OnReset', 'OnStartUpdateRequest'],
    maxImageSizeBytes: 1_000_000,
    hasBusyClaim: true,
  },
  limits: {
    sessions: 2,
    sessionTimeoutMs: 60 * second,
    lockoutThreshold: 3,
    lockoutMs: 60 * second,
    subscriptions: 1,
    tasks: 10,
  },
  timings: {
    powerOnMs: 2 * second,
    postMs: 60 * second,
    osBootMs: 10 * second,
    gracefulShutdownMs: 5 * second,
    forceOffMs: second,
    managerResetMs: 60 * second,
    downloadMs: 10 * second,
    verifyMs: 5 * second,
    flashMs: { bmc: 60 * second, bios: 60 * second, other: 30 * second },
  },
  bios: [
    { name: 'BootMode', displayName: 'Boot mode', type: 'Enumeration', default: 'Uefi', values: ['Uefi', 'Bios'] },
    { name: 'Cores', displayName: 'Cores', type: 'Integer', default: 0, lowerBound: 0, upperBound: 64 },
    { name: 'Tag', displayName: 'Asset tag', type: 'String', default: '', maxLength: 5 },
    { name: 'Sriov', displayName: 'SR-IOV', type: 'Boolean', default: false },
    { name: 'Cpu', displayName: 'Processor', type: 'String', default: 'x', isReadOnly: true },
  ],
  models: ['Plain 1'],
  describe: describePlain,
  firmware: (): FirmwareSlot[] => [
    { slot: 'bmc', component: 'bmc', name: 'BMC', isUpdateable: true, softwareId: 'plain-bmc', version: '1.0' },
    { slot: 'bios', component: 'bios', name: 'BIOS', isUpdateable: true, softwareId: 'plain-bios', version: '2.0' },
    { slot: 'Slot 1', component: 'nic', name: 'NIC', isUpdateable: true, softwareId: 'plain-nic', version: '3.0' },
  ],
  listFirmware: (machine) =>
    machine.firmware.map((slot) => ({
      id: slot.component,
      name: slot.name,
      version: slot.version,
      softwareId: slot.softwareId,
      isUpdateable: slot.isUpdateable,
      relatedItems: slot.component === 'bmc' ? ['/redfish/v1/Managers/bmc'] : [],
    })),
  decorate: (_kind, body) => body,
  routes: [],
  answerUpdate: (_machine, update) => ({ status: 202, headers: { Location: taskPath(update.taskId) } }),
  answerRefusal: (_machine, refusal) => refuse(400, { messageId: refusal.fault, message: refusal.detail }),
  describeTask: (_machine, task) => ({ name: `Task ${task.id}`, messages: [] }),
  isTaskPurged: () => false,
};

function describePlain(order: { readonly model: string; readonly index: number }): Hardware {
  const mac = (port: number) => `02:00:00:00:${order.index.toString(16).padStart(2, '0')}:0${port}`;
  return {
    model: order.model,
    sku: 'PL1',
    serial: `S${order.index}`,
    uuid: '11111111-2222-4333-8444-555555555555',
    boardSerial: 'B1',
    bmcMac: mac(9),
    bmcSerial: 'M1',
    processors: [
      { slot: 'CPU 1', model: 'Intel Xeon Gold 6338', cores: 32, threads: 64, maxSpeedMhz: 3200 },
      { slot: 'CPU 2', model: 'Intel Xeon Gold 6338', cores: 32, threads: 64, maxSpeedMhz: 3200 },
    ],
    dimms: ['PROC 1 DIMM 1', 'PROC 2 DIMM 1'].map((slot) => ({
      slot,
      capacityMib: 32_768,
      speedMhz: 3200,
      manufacturer: 'Samsung',
      partNumber: 'M393',
      serial: `D-${slot}`,
    })),
    drives: [1, 2, 3].map((bay) => ({
      slot: `Bay ${bay}`,
      model: 'MTFDDAK1T9TDS',
      manufacturer: 'Micron',
      serial: `DR${bay}`,
      capacityBytes: 1_920_383_410_176,
      mediaType: 'SSD',
      protocol: bay === 3 ? 'NVMe' : 'SATA',
    })),
    nics: [1, 2].map((slot) => ({
      slot: `Slot ${slot}`,
      model: 'BCM57414',
      manufacturer: 'Broadcom',
      serial: `N${slot}`,
      ports: [1, 2].map((port) => ({ id: String(port), mac: mac(slot * 2 + port - 2), speedMbps: 25_000 })),
    })),
    psus: [1, 2].map((slot) => ({ slot: `PSU ${slot}`, model: 'PSU800', serial: `P${slot}` })),
  };
}
