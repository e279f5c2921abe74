import type { FirmwareSlot } from '../../machine/firmware.ts';
import type { Hardware } from '../../machine/hardware.ts';
import type { Machine } from '../../machine/machine.ts';
import { refuse } from '../../redfish/resources/errors.ts';
import { taskPath } from '../../redfish/resources/paths.ts';
import type { FirmwareEntry, Personality } from '../personality.ts';

const second = 1000;
const minute = 60 * second;

/** What a test changes of the plain personality. */
export type PlainChanges = Partial<Pick<Personality, 'updateRules' | 'machineRules' | 'limits' | 'timings' | 'update'>>;

/** A vendor without quirks, with what a test changes of it. */
export function createPlainPersonality(changes: PlainChanges = {}): Personality {
  return { ...plainPersonality, ...changes };
}

const plainParts = {
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
    doesRefuseIdentityEncoding: false,
    hasBootProgress: true,
    resetTypes: [
      'On',
      'ForceOff',
      'GracefulShutdown',
      'GracefulRestart',
      'ForceRestart',
      'PowerCycle',
      'ForceOn',
      'Nmi',
      'PushPowerButton',
    ],
    hasResetActionInfo: true,
    managerResetTypes: ['GracefulRestart', 'ForceRestart'],
    bootTargets: ['None', 'Pxe', 'Cd', 'Hdd', 'BiosSetup', 'UefiHttp'],
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
    sessions: 3,
    sessionTimeoutMs: 5 * minute,
    lockoutThreshold: 3,
    lockoutMs: 2 * minute,
    subscriptions: 2,
    tasks: 4,
  },
  timings: {
    powerOnMs: 5 * second,
    postMs: 100 * second,
    osBootMs: 40 * second,
    gracefulShutdownMs: 20 * second,
    forceOffMs: 4 * second,
    managerResetMs: 120 * second,
    downloadMs: 30 * second,
    verifyMs: 10 * second,
    flashMs: { bmc: 300 * second, bios: 200 * second, other: 60 * second },
  },
  bios: [
    { name: 'BootMode', displayName: 'Boot mode', type: 'Enumeration', default: 'Uefi', values: ['Uefi', 'Bios'] },
    { name: 'Cores', displayName: 'Cores', type: 'Integer', default: 8, lowerBound: 1, upperBound: 64 },
    { name: 'AssetTag', displayName: 'Asset tag', type: 'String', default: '', maxLength: 8 },
    { name: 'Turbo', displayName: 'Turbo', type: 'Boolean', default: true },
    { name: 'SystemModel', displayName: 'Model', type: 'String', default: 'Plain 1', isReadOnly: true },
  ],
  models: ['Plain 1', 'Plain 2'],
} satisfies Partial<Personality>;

const plainAnswers = {
  routes: [],
  describe: describePlain,
  firmware: plainFirmware,
  listFirmware: (machine: Machine): readonly FirmwareEntry[] =>
    (machine.reportedFirmware?.() ?? machine.firmware).map((slot) => ({
      id: slot.slot.replace(' ', '_'),
      slot: slot.slot,
      name: slot.name,
      version: slot.version,
      softwareId: slot.softwareId,
      isUpdateable: slot.isUpdateable,
      relatedItems: slot.component === 'bmc' ? ['/redfish/v1/Managers/bmc'] : [],
    })),
  decorate: (_kind, body) => body,
  answerUpdate: (_machine, update) => ({ status: 202, headers: { Location: taskPath(update.taskId) } }),
  answerRefusal: (_machine, refusal) => refuse(400, { messageId: refusal.fault, message: refusal.detail }),
  describeTask: (_machine, task) => ({ name: `Task ${task.id}`, messages: [] }),
  isTaskPurged: () => false,
} satisfies Partial<Personality>;

/** A vendor without quirks. Slots have spaces and ports are counted per adapter, so that ids have to be made. */
export const plainPersonality: Personality = { ...plainParts, ...plainAnswers };

function plainFirmware(): FirmwareSlot[] {
  const slot = (name: string, component: FirmwareSlot['component'], softwareId: string): FirmwareSlot => ({
    slot: name,
    component,
    name,
    isUpdateable: true,
    softwareId,
    version: '1.0.0',
  });
  return [
    slot('BMC', 'bmc', 'plain-bmc'),
    slot('BIOS', 'bios', 'plain-bios'),
    slot('Slot 1', 'nic', 'plain-nic'),
    slot('Slot 2', 'nic', 'plain-nic'),
    slot('PSU1', 'psu', 'plain-psu'),
    { ...slot('FPGA', 'other', 'plain-fpga'), isUpdateable: false },
  ];
}

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
