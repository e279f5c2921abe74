import { monitorRoute } from '../parts/task-monitor.ts';
import type { Personality, ServiceFeatures } from '../personality.ts';
import { hpeMonitors, hpeWords } from './answers.ts';
import { hpeDecoration } from './decorations.ts';
import type { HpeGeneration } from './generation.ts';
import { hpeFirmware, listHpeFirmware } from './inventory.ts';
import { hpeAdapterRoute } from './network-adapters.ts';
import { hpeUpdateRoutes } from './update-queue.ts';

const second = 1000;
const minute = 60 * second;

/** What a generation brings along. */
export type HpeOwn = Pick<Personality, 'name' | 'bios' | 'models' | 'describe'> & {
  readonly generation: HpeGeneration;
  readonly biosRegistry: string;
  readonly service: Pick<ServiceFeatures, 'redfishVersion' | 'hasEventStream' | 'hasBootProgress'>;
  readonly push: { readonly pushUri: string } | { readonly multipartPushUri: string };
};

/** An iLO: weak ETags, numbers for inventory ids, tasks that vanish, a ROM update that is done when it is staged. */
export function makeIlo(own: HpeOwn): Personality {
  const { generation } = own;
  return {
    name: own.name,
    manufacturer: 'HPE',
    rootVendor: 'HPE',
    ids: {
      system: '1',
      manager: '1',
      chassis: '1',
      storage: 'DE009000',
      bios: 'Bios',
      biosSettings: 'Settings',
      biosRegistry: own.biosRegistry,
      virtualMedia: ['1', '2'],
      isVirtualMediaOfSystem: false,
      managerNic: '1',
      systemLog: 'IML',
      managerLog: 'IEL',
      account: '1',
    },
    service: {
      ...own.service,
      hasExpand: true,
      hasWeakEtags: true,
      isIfMatchRequired: false,
      doActionsRefuseIfMatch: false,
      doesRefuseChunked: false,
      doesRefuseIdentityEncoding: true,
      resetTypes: ['On', 'ForceOff', 'GracefulShutdown', 'ForceRestart', 'Nmi', 'PushPowerButton', 'GracefulRestart'],
      hasResetActionInfo: false,
      managerResetTypes: ['ForceRestart', 'GracefulRestart'],
      bootTargets: [
        'None',
        'Cd',
        'Hdd',
        'Usb',
        'SDCard',
        'Utilities',
        'Diags',
        'BiosSetup',
        'Pxe',
        'UefiShell',
        'UefiHttp',
        'UefiTarget',
      ],
      hasBootMode: true,
      isBasicAuthAllowed: true,
    },
    update: {
      ...own.push,
      simpleUpdate: { protocols: ['HTTP', 'HTTPS'], isProtocolRequired: false },
      applyTimes: ['Immediate', 'OnStartUpdateRequest'],
      hasBusyClaim: false,
    },
    limits: {
      sessions: 16,
      sessionTimeoutMs: 30 * minute,
      lockoutThreshold: 5,
      lockoutMs: 10 * second,
      subscriptions: 40,
      tasks: 20,
    },
    timings: {
      powerOnMs: 5 * second,
      postMs: 150 * second,
      osBootMs: 60 * second,
      gracefulShutdownMs: 60 * second,
      forceOffMs: 5 * second,
      managerResetMs: 95 * second,
      downloadMs: 45 * second,
      verifyMs: 30 * second,
      flashMs: { bmc: 4 * minute, bios: 5 * minute, other: 2 * minute },
    },
    updateRules: { stagesBios: true, flashesAtPost: ['nic'] },
    machineRules: { hasBiosTasks: false },
    bios: own.bios,
    models: own.models,
    describe: own.describe,
    firmware: (hardware) => hpeFirmware(generation.lines, hardware),
    listFirmware: listHpeFirmware,
    decorate: hpeDecoration(generation),
    routes: [monitorRoute(hpeMonitors), hpeAdapterRoute(generation.registry), ...hpeUpdateRoutes(generation)],
    ...hpeWords(generation),
  };
}
