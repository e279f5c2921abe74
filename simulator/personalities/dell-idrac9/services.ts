import type { Machine } from '../../machine/machine.ts';
import type { Update } from '../../machine/updates.ts';
import { refuse } from '../../redfish/resources/index.ts';
import type { JsonObject, RedfishAnswer, RedfishRequest, Route } from '../../redfish/route.ts';
import { textsIn } from '../parts/decoration.ts';
import { sharedHandler } from '../parts/shared-handler.ts';
import { answerDellRefusal, answerDellUpdate } from './answers.ts';
import { availablePackages, dellEntryId } from './firmware.ts';

const manager = '/redfish/v1/Managers/iDRAC.Embedded.1';
const system = '/redfish/v1/Systems/System.Embedded.1';
const inventory = '/redfish/v1/UpdateService/FirmwareInventory';
/** The older way to install what was uploaded. */
export const dellInstallPath = '/redfish/v1/UpdateService/Actions/Oem/DellUpdateService.Install';
/** Status of the Lifecycle Controller. */
export const lifecycleServicePath = `${manager}/Oem/Dell/DellLCService`;
/** Updates from a catalogue. */
export const installationServicePath = `${system}/Oem/Dell/DellSoftwareInstallationService`;

/** A package that was uploaded and waits, by the address of its Available entry. */
function uploadedAt(machine: Machine, uri: string): Update | undefined {
  return availablePackages(machine).find((update) => uri.endsWith(`/${availableId(update)}`));
}

function availableId(update: Update): string {
  const header = update.header;
  const slot = {
    slot: '',
    component: 'other',
    name: '',
    isUpdateable: true,
    version: '',
    softwareId: header?.softwareId ?? '0',
  } as const;
  return dellEntryId('Available', slot, header?.version ?? '');
}

/** The HttpPushUri: keeps the package as an Available entry and hands out its address; something else starts it. */
function uploadPackage({ machine, upload }: RedfishRequest): RedfishAnswer {
  if (upload === undefined) return refuse(400, { messageId: 'PropertyMissing', args: ['file'] });
  const begun = machine.updates.begin({
    via: 'push',
    applyTime: 'OnStartUpdateRequest',
    targets: [],
    file: upload,
  });
  if (!('id' in begun)) return machine.personality.answerRefusal(machine, begun);
  return {
    status: 201,
    headers: { Location: `${inventory}/${availableId(begun)}` },
    body: {
      '@odata.id': `${inventory}/${availableId(begun)}`,
      '@odata.type': '#SoftwareInventory.v1_2_1.SoftwareInventory',
      Id: availableId(begun),
      Description: 'Represents Firmware Inventory',
      Version: begun.header?.version,
      Status: { State: 'Available', Health: 'OK' },
    },
  };
}

/** DellUpdateService.Install: starts what was uploaded, now or with the next restart. */
function install({ machine, body }: RedfishRequest): RedfishAnswer {
  const upon = body.InstallUpon ?? 'Now';
  if (typeof upon !== 'string' || !['Now', 'NowAndReboot', 'NextReboot'].includes(upon)) {
    return refuse(400, {
      messageId: 'ActionParameterValueNotInList',
      args: [String(upon), 'InstallUpon', 'DellUpdateService.Install'],
    });
  }
  const [uri = ''] = textsIn(body.SoftwareIdentityURIs);
  const answer = startPackage(machine, uri);
  if (upon === 'NowAndReboot' && answer.status === 202) machine.power.reset('GracefulRestart');
  return answer;
}

/** Starts a package by the address of its entry, once it was checked. */
function startPackage(machine: Machine, uri: string): RedfishAnswer {
  const update = uploadedAt(machine, uri);
  if (update === undefined) {
    return refuse(400, { messageId: 'ResourceMissingAtURI', args: [uri] });
  }
  if (machine.updates.startUploaded() === 0) return answerDellRefusal(machine, { fault: 'busy', detail: '' });
  return answerDellUpdate(machine, update);
}

/** SimpleUpdate from a package that is here already; any other address is pulled from, as with every vendor. */
function simpleUpdate(request: RedfishRequest): RedfishAnswer | Promise<RedfishAnswer> {
  const { machine, body } = request;
  const uri = body.ImageURI;
  return typeof uri === 'string' && uri.startsWith(`${inventory}/`) ? startPackage(machine, uri) : pull(request);
}

const simpleUpdatePath = '/redfish/v1/UpdateService/Actions/UpdateService.SimpleUpdate';
const pull = sharedHandler(simpleUpdatePath, 'post');

function lifecycleStatus({ machine }: RedfishRequest): RedfishAnswer {
  const isReady = !machine.manager.isUpdating;
  return {
    status: 200,
    body: {
      LCStatus: isReady ? 'Ready' : 'InUse',
      RTStatus: isReady ? 'Ready' : 'NotReady',
      ServerStatus: machine.power.state === 'Off' ? 'PoweredOff' : serverStatus(machine),
      Status: isReady ? 'Ready' : 'NotReady',
    },
  };
}

function serverStatus(machine: Machine): string {
  return machine.power.bootProgress === 'OSRunning' || machine.power.bootProgress === 'OSBootStarted'
    ? 'OutOfPOST'
    : 'InPOST';
}

/** GetRepoBasedUpdateList: nothing, as no catalogue was ever compared. */
function repositoryUpdates(): RedfishAnswer {
  return refuse(400, {
    messageId: 'IDRAC.2.8.SUP029',
    message: 'No list of updates is there: no catalogue was compared with this system.',
    resolution: 'Compare a catalogue with InstallFromRepository and ApplyUpdate False first.',
  });
}

function service(path: string, type: string, actions: readonly string[]): Route {
  const body: JsonObject = {
    '@odata.id': path,
    '@odata.type': `#${type}.v1_2_0.${type}`,
    Id: type,
    Name: type,
    Actions: Object.fromEntries(
      actions.map((action) => [`#${type}.${action}`, { target: `${path}/Actions/${type}.${action}` }]),
    ),
  };
  return { pattern: path, get: () => ({ status: 200, body }) };
}

/** Dell's own services beside the jobs. */
export const dellServiceRoutes: readonly Route[] = [
  { pattern: inventory, post: uploadPackage, takesUpload: true },
  { pattern: simpleUpdatePath, post: simpleUpdate },
  { pattern: dellInstallPath, post: install },
  service(lifecycleServicePath, 'DellLCService', ['GetRemoteServicesAPIStatus']),
  { pattern: `${lifecycleServicePath}/Actions/DellLCService.GetRemoteServicesAPIStatus`, post: lifecycleStatus },
  service(installationServicePath, 'DellSoftwareInstallationService', ['GetRepoBasedUpdateList']),
  {
    pattern: `${installationServicePath}/Actions/DellSoftwareInstallationService.GetRepoBasedUpdateList`,
    post: repositoryUpdates,
  },
];
