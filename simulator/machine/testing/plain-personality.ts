import type { FirmwareEntry, Personality } from '../../personalities/personality.ts';
import type { FirmwareSlot } from '../firmware.ts';
import type { Hardware } from '../hardware.ts';
import type { Machine } from '../machine.ts';

const second = 1000;
const minute = 60 * second;

/** What a test changes of the plain personality. */
export type PlainChanges = Partial<Pick<Personality, 'updateRules' | 'machineRules' | 'limits' | 'timings' | 'update'>>;

/** The parts of the server that the tests of machines use. */
export const plainHardware: Hardware = {
  model: 'Plain 1',
  sku: 'P1',
  serial: 'PL0001',
  uuid: '11111111-2222-3333-4444-555555555555',
  boardSerial: 'B1',
  bmcMac: '02:00:00:00:00:01',
  bmcSerial: 'M1',
  processors: [],
  dimms: [],
  drives: [],
  nics: [],
  psus: [],
};

/** A vendor without quirks, for tests of the machine itself. */
export function createPlainPersonality(changes: PlainChanges = {}): Personality {
  return { ...plainParts, ...plainAnswers, ...changes };
}

const plainAnswers = {
  routes: [],
  describe: () => plainHardware,
  firmware: plainFirmware,
  listFirmware: (machine: Machine): readonly FirmwareEntry[] =>
    (machine.reportedFirmware?.() ?? machine.firmware).map((slot, index) => ({
      id: String(index + 1),
      slot: slot.slot,
      name: slot.name,
      version: slot.version,
      isUpdateable: slot.isUpdateable,
      relatedItems: [],
    })),
  decorate: (_kind, body) => body,
  answerUpdate: () => ({ status: 202 }),
  answerRefusal: () => ({ status: 400 }),
  describeTask: (_machine, task) => ({ name: task.kind, messages: [] }),
  isTaskPurged: () => false,
} satisfies Partial<Personality>;

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
    biosRegistry: 'PlainBios',
    virtualMedia: ['Cd'],
    isVirtualMediaOfSystem: false,
  },
  service: {
    redfishVersion: '1.15.0',
    hasExpand: false,
    hasEventStream: false,
    hasWeakEtags: false,
    isIfMatchRequired: false,
    doActionsRefuseIfMatch: false,
    doesRefuseChunked: false,
    doesCloseConnections: false,
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
    hasResetActionInfo: false,
    managerResetTypes: ['GracefulRestart', 'ForceRestart'],
    bootTargets: ['None', 'Pxe', 'Cd', 'Hdd', 'BiosSetup', 'UefiHttp'],
    hasBootMode: true,
    isBasicAuthAllowed: true,
  },
  update: {
    multipartPushUri: '/redfish/v1/UpdateService/update-multipart',
    applyTimes: ['Immediate', 'OnReset', 'OnStartUpdateRequest'],
    maxImageSizeBytes: 1_000_000,
    hasBusyClaim: false,
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
    slot('NIC1', 'nic', 'plain-nic'),
    slot('NIC2', 'nic', 'plain-nic'),
    slot('PSU1', 'psu', 'plain-psu'),
    { ...slot('FPGA', 'other', 'plain-fpga'), isUpdateable: false },
  ];
}
