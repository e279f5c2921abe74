import type { Machine } from '../../machine/machine.ts';
import { refuse, renderTask } from '../../redfish/resources/index.ts';
import type { JsonObject } from '../../redfish/route.ts';
import { decorateBy, withOem, without } from '../parts/decoration.ts';
import { type MonitorManner, monitorPath, monitorRoute } from '../parts/task-monitor.ts';
import type { Personality } from '../personality.ts';
import { openbmcBios } from './bios.ts';
import { listOpenbmcFirmware, openbmcFirmware, openbmcImageId } from './firmware.ts';
import { describeOpenbmc, openbmcModels } from './hardware.ts';
import { openbmcFailure, openbmcFaults, openbmcTaskMessage } from './words.ts';

const second = 1000;
const minute = 60 * second;

const monitors: MonitorManner = { pattern: '/redfish/v1/TaskService/Tasks/:task/Monitor', final: 'nothing' };

const inventory = '/redfish/v1/UpdateService/FirmwareInventory';

const decorate = decorateBy({
  ServiceRoot: (body) => without(body, 'Product', 'Vendor'),
  Manager: (body, machine) => {
    const image = machine.firmware.find((slot) => slot.component === 'bmc');
    const link = image && { '@odata.id': `${inventory}/${openbmcImageId(image, image.version)}` };
    const links = typeof body.Links === 'object' && body.Links !== null && !Array.isArray(body.Links) ? body.Links : {};
    return withOem(
      {
        ...body,
        Model: 'OpenBmc',
        Description: 'Baseboard Management Controller',
        Links: { ...links, ActiveSoftwareImage: link, SoftwareImages: link === undefined ? [] : [link] },
      },
      'OpenBmc',
      { '@odata.type': '#OpenBMCManager.v1_0_0.Manager' },
    );
  },
  SoftwareInventory: (body) => without(body, 'SoftwareId', 'Manufacturer'),
  Task: (body, machine) => ({
    ...body,
    TaskMonitor: monitorPath(monitors, String(body.Id)),
    HidePayload: false,
    Payload: payloadOf(machine, String(body.Id)),
  }),
});

/** bmcweb tells with what request a task was made; of an upload the content is left out. */
function payloadOf(machine: Machine, taskId: string): JsonObject | undefined {
  const update = machine.updates.all.find((each) => each.taskId === taskId);
  if (update === undefined) return undefined;
  const TargetUri = `/redfish/v1/UpdateService/${update.via === 'push' ? 'update' : 'update-multipart'}`;
  return { HttpHeaders: [], HttpOperation: 'POST', JsonBody: '<discarded>', TargetUri };
}

/** OpenBMC: raw and multipart pushes only, images known by digests, a host flash that wants the host off. */
export const openbmc: Personality = {
  name: 'openbmc',
  manufacturer: 'Wiwynn',
  // bmcweb leaves the vendor out of the root.
  ids: {
    system: 'system',
    manager: 'bmc',
    chassis: 'chassis',
    storage: '1',
    bios: 'Bios',
    biosSettings: 'Settings',
    biosRegistry: 'BiosAttributeRegistry',
    virtualMedia: ['Slot_0', 'Slot_1'],
    isVirtualMediaOfSystem: false,
    managerNic: 'eth0',
    systemLog: 'EventLog',
    managerLog: 'Journal',
    account: 'root',
  },
  service: {
    redfishVersion: '1.17.0',
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
      'ForceOn',
      'ForceRestart',
      'GracefulRestart',
      'GracefulShutdown',
      'PowerCycle',
      'Nmi',
    ],
    hasResetActionInfo: true,
    managerResetTypes: ['GracefulRestart', 'ForceRestart'],
    bootTargets: ['None', 'Pxe', 'Hdd', 'Cd', 'Diags', 'BiosSetup', 'Usb'],
    hasBootMode: false,
    pageSize: 1000,
    isBasicAuthAllowed: true,
  },
  update: {
    multipartPushUri: '/redfish/v1/UpdateService/update-multipart',
    pushUri: '/redfish/v1/UpdateService/update',
    applyTimes: ['Immediate', 'OnReset'],
    maxImageSizeBytes: 209_715_200,
    hasBusyClaim: false,
  },
  limits: {
    sessions: 64,
    sessionTimeoutMs: 30 * minute,
    lockoutThreshold: 0,
    lockoutMs: 0,
    subscriptions: 20,
    tasks: 100,
  },
  timings: {
    powerOnMs: 5 * second,
    postMs: 90 * second,
    osBootMs: 45 * second,
    gracefulShutdownMs: 40 * second,
    forceOffMs: 5 * second,
    managerResetMs: 110 * second,
    downloadMs: 30 * second,
    verifyMs: 20 * second,
    flashMs: { bmc: 5 * minute, bios: 4 * minute, other: 2 * minute },
  },
  updateRules: {
    biosNeedsHostOff: true,
    flashesAtPost: [],
    refusesAtOnce: ['too-large', 'wrong-target'],
    defaultApplyTime: 'OnReset',
  },
  machineRules: { hasBiosTasks: false, losesTasksOnReset: true, hasLenientResets: true },
  bios: openbmcBios,
  models: openbmcModels,
  describe: describeOpenbmc,
  firmware: openbmcFirmware,
  listFirmware: listOpenbmcFirmware,
  decorate,
  routes: [monitorRoute(monitors)],
  answerUpdate(machine, update) {
    const task = machine.tasks.find(update.taskId);
    const headers = { Location: monitorPath(monitors, update.taskId), 'Retry-After': '30' };
    return task === undefined ? { status: 202, headers } : { status: 202, headers, body: renderTask(machine, task) };
  },
  answerRefusal(_machine, { fault, detail }) {
    const said = openbmcFaults[fault];
    const isBusy = fault === 'busy';
    const answer = refuse(said.status, { messageId: said.id, message: said.text, args: [isBusy ? '30' : detail] });
    return isBusy ? { ...answer, headers: { 'Retry-After': '30' } } : answer;
  },
  describeTask: (_machine, task) => ({
    name: `Task ${task.id}`,
    messages: [openbmcTaskMessage(task), ...openbmcFailure(task)],
  }),
  isTaskPurged: () => false,
};
