import type { ComponentType } from '../../images/component-type.ts';
import type { Machine } from '../../machine/machine.ts';
import { beginUpdate, confirm } from '../../redfish/resources/index.ts';
import type { JsonValue, RedfishAnswer, RedfishRequest, Route } from '../../redfish/route.ts';
import { objectIn, textsIn } from '../parts/decoration.ts';
import { sharedHandler } from '../parts/shared-handler.ts';
import { labelOf, supermicroError, supermicroMessage } from './words.ts';

const unlicensedNote = 'supermicro.isUnlicensed';
const licences = '/redfish/v1/Managers/1/LicenseManager';
/** Where files go in. */
export const supermicroUploadPath = '/redfish/v1/UpdateService/upload';

/** What puts the BMC into update mode, and what takes it out again. */
const entering: readonly string[] = ['update.uploaded', 'update.failed'];
const leaving: readonly string[] = ['update.started', 'update.done', 'update.staged', 'manager.away'];

/** True from an upload, or a failure, until the update is started or the BMC is reset: nothing else is accepted. */
export function isInUpdateMode(machine: Machine): boolean {
  const last = machine.log.events.findLast(({ event }) => entering.includes(event) || leaving.includes(event));
  return last !== undefined && entering.includes(last.event);
}

/** True unless somebody took the licence away that BIOS updates need. */
export function isLicensed(machine: Machine): boolean {
  return machine.notes.get(unlicensedNote) !== true;
}

function alreadyInUpdateMode(component: ComponentType): RedfishAnswer {
  const label = labelOf(component);
  const text = `The ${label} firmware update was already in update mode.`;
  return supermicroError(405, {
    ...supermicroMessage('OemFirmwareAlreadyInUpdateMode', text, [label]),
    RelatedProperties: ['EnterUpdateMode_StatusCheck'],
  });
}

function componentOfTargets(targets: readonly string[]): ComponentType {
  if (targets.some((target) => /\/Bios\/?$|\/Systems\/1\/?$|\/BIOS$/.test(target))) return 'bios';
  return targets.some((target) => /\/Managers\/1\/?$|\/BMC$/.test(target)) ? 'bmc' : 'other';
}

/** What is to be kept is named by switches; anything else than true or false is a mistake. */
function findBadSwitch(oem: JsonValue | undefined): string | undefined {
  for (const [part, options] of Object.entries(objectIn(objectIn(oem).Supermicro))) {
    for (const [name, value] of Object.entries(objectIn(objectIn(options).Preserve))) {
      if (typeof value !== 'boolean') return `${part}/Preserve/${name}`;
    }
  }
  return undefined;
}

/** Why nothing is accepted now, whatever the image: the licence, or the mode the BMC is in. */
function findObstacle(machine: Machine, component: ComponentType): RedfishAnswer | undefined {
  if (component === 'bios' && !isLicensed(machine)) {
    const text = 'The operation needs the licence SFT-DCMS-SINGLE.';
    return supermicroError(405, supermicroMessage('OemLicenseNotPassed', text, ['SFT-DCMS-SINGLE']));
  }
  return isInUpdateMode(machine) ? alreadyInUpdateMode(component) : undefined;
}

const simpleUpdatePath = '/redfish/v1/UpdateService/Actions/UpdateService.SimpleUpdate';
const pull = sharedHandler(simpleUpdatePath, 'post');

/** A pull has the same obstacles as an upload. */
function simpleUpdate(request: RedfishRequest): RedfishAnswer | Promise<RedfishAnswer> {
  const { machine, body } = request;
  return findObstacle(machine, componentOfTargets(textsIn(body.Targets))) ?? pull(request);
}

/** An upload: licence, update mode and parameters are checked before the image is. */
function upload({ machine, body, upload: file }: RedfishRequest): RedfishAnswer {
  const targets = textsIn(body.Targets);
  const obstacle = findObstacle(machine, componentOfTargets(targets));
  if (obstacle !== undefined) return obstacle;
  const { personality } = machine;
  if (targets.length === 0) return personality.answerRefusal(machine, { fault: 'missing-member', detail: 'Targets' });
  const bad = findBadSwitch(body.Oem);
  if (bad !== undefined) {
    return supermicroError(400, {
      ...supermicroMessage('OemPropertyValueTypeError', `${bad} is neither true nor false.`),
      RelatedProperties: [`#/Oem/Supermicro/${bad}`],
    });
  }
  // An upload that was never started is lost with a reset of the BMC.
  machine.updates.clearQueue({ isForced: false });
  const applyTime = body['@Redfish.OperationApplyTime'];
  return beginUpdate(machine, {
    via: 'multipart',
    targets: targets.map((target) => (/\/Systems\/1\/?$/.test(target) ? '/redfish/v1/Systems/1/Bios' : target)),
    ...(file !== undefined && { file }),
    ...(typeof applyTime === 'string' && { applyTime }),
  });
}

/** The way in for files, and the licences. */
export const supermicroUpdateRoutes: readonly Route[] = [
  { pattern: supermicroUploadPath, post: upload, takesUpload: true },
  { pattern: simpleUpdatePath, post: simpleUpdate },
  {
    pattern: licences,
    get: () => ({
      status: 200,
      body: {
        '@odata.id': licences,
        '@odata.type': '#LicenseManager.v1_0_1.LicenseManager',
        Id: 'LicenseManager',
        Name: 'License Manager',
        QueryLicense: { '@odata.id': `${licences}/QueryLicense` },
        Actions: {
          '#LicenseManager.ActivateLicense': { target: `${licences}/Actions/LicenseManager.ActivateLicense` },
          '#LicenseManager.ClearLicense': { target: `${licences}/Actions/LicenseManager.ClearLicense` },
        },
      },
    }),
  },
  {
    pattern: `${licences}/QueryLicense`,
    get: ({ machine, path }) => ({
      status: 200,
      body: {
        '@odata.id': path,
        '@odata.type': '#LicenseManager.v1_0_1.QueryLicense',
        Id: 'QueryLicense',
        Name: 'Query License',
        Licenses: isLicensed(machine) ? ['SFT-DCMS-SINGLE'] : [],
      },
    }),
  },
  {
    pattern: `${licences}/Actions/LicenseManager.ActivateLicense`,
    post: ({ machine }) => changeLicence(machine, { isGiven: true }),
  },
  {
    pattern: `${licences}/Actions/LicenseManager.ClearLicense`,
    post: ({ machine }) => changeLicence(machine, { isGiven: false }),
  },
];

function changeLicence(machine: Machine, change: { readonly isGiven: boolean }): RedfishAnswer {
  machine.notes.set(unlicensedNote, !change.isGiven);
  return confirm(200);
}
