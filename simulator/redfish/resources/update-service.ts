import type { Machine } from '../../machine/machine.ts';
import type { JsonObject, JsonValue, RedfishAnswer, RedfishRequest, Route } from '../route.ts';
import { confirm, type MessageOrder, refuse } from './errors.ts';
import { root } from './paths.ts';
import { head, healthy, isObject, link, objectAt, show } from './render.ts';
import { notInList, say, unknownMember, writeMembers, wrongType } from './written-members.ts';

const service = `${root}/UpdateService`;

/** UpdateService itself and what clients write into it; uploads and actions have files of their own. */
export const updateServiceRoutes: readonly Route[] = [
  {
    pattern: service,
    get: (request) => show(request, 'UpdateService', renderUpdateService(request.machine)),
    patch: changeUpdateService,
  },
];

/** What a client claimed and chose for the next raw push. */
export interface PushOptions {
  readonly targets: readonly string[];
  readonly isClaimed: boolean;
  readonly applyTime?: string;
}

/** Reads what a client last wrote for raw pushes. */
export function pushOptionsOf({ notes }: Machine): PushOptions {
  const targets = notes.get('HttpPushUriTargets');
  const applyTime = notes.get('HttpPushUriApplyTime');
  return {
    targets: Array.isArray(targets) ? targets.map(String) : [],
    isClaimed: notes.get('HttpPushUriTargetsBusy') === true,
    ...(typeof applyTime === 'string' && { applyTime }),
  };
}

function renderUpdateService(machine: Machine): JsonObject {
  const { update } = machine.personality;
  return {
    ...head({ path: service, schema: 'UpdateService.v1_11_0', id: 'UpdateService', name: 'Update Service' }),
    Description: 'Firmware update service',
    ServiceEnabled: true,
    FirmwareInventory: link(`${service}/FirmwareInventory`),
    SoftwareInventory: link(`${service}/SoftwareInventory`),
    ...(update.maxImageSizeBytes !== undefined && { MaxImageSizeBytes: update.maxImageSizeBytes }),
    ...(update.multipartPushUri !== undefined && { MultipartHttpPushUri: update.multipartPushUri }),
    ...(update.pushUri !== undefined && renderPush(machine)),
    Status: healthy(),
    Actions: renderActions(machine),
  };
}

function renderPush(machine: Machine): JsonObject {
  const { update } = machine.personality;
  const { targets, isClaimed, applyTime } = pushOptionsOf(machine);
  return {
    HttpPushUri: update.pushUri,
    ...(update.hasBusyClaim && { HttpPushUriTargets: [...targets], HttpPushUriTargetsBusy: isClaimed }),
    ...(update.applyTimes.length > 0 && {
      HttpPushUriOptions: {
        HttpPushUriApplyTime: {
          ApplyTime: applyTime ?? machine.personality.updateRules?.defaultApplyTime ?? 'Immediate',
          'ApplyTime@Redfish.AllowableValues': [...update.applyTimes],
        },
      },
    }),
  };
}

function renderActions(machine: Machine): JsonObject {
  const { simpleUpdate, applyTimes } = machine.personality.update;
  return {
    ...(simpleUpdate && {
      '#UpdateService.SimpleUpdate': {
        target: `${service}/Actions/UpdateService.SimpleUpdate`,
        'TransferProtocol@Redfish.AllowableValues': [...simpleUpdate.protocols],
        ...(applyTimes.length > 0 && {
          '@Redfish.OperationApplyTimeSupport': {
            '@odata.type': '#Settings.v1_3_5.OperationApplyTimeSupport',
            SupportedValues: [...applyTimes],
          },
        }),
      },
    }),
    ...(applyTimes.includes('OnStartUpdateRequest') && {
      '#UpdateService.StartUpdate': { target: `${service}/Actions/UpdateService.StartUpdate` },
    }),
  };
}

function changeUpdateService({ machine, body }: RedfishRequest): RedfishAnswer {
  const { notes } = machine;
  const { hasBusyClaim } = machine.personality.update;
  if (hasBusyClaim && body.HttpPushUriTargetsBusy === true && pushOptionsOf(machine).isClaimed) {
    return refuse(409, { messageId: 'ResourceInUse', related: ['#/HttpPushUriTargetsBusy'] });
  }
  const complaints = writeMembers(body, {
    HttpPushUriOptions: (value) => changeApplyTime(machine, value),
    ...(hasBusyClaim && {
      HttpPushUriTargets: (value: JsonValue) => {
        if (!Array.isArray(value) || value.some((target) => typeof target !== 'string')) {
          return wrongType('HttpPushUriTargets', value);
        }
        notes.set('HttpPushUriTargets', value);
        return undefined;
      },
      HttpPushUriTargetsBusy: (value: JsonValue) => {
        if (typeof value !== 'boolean') return wrongType('HttpPushUriTargetsBusy', value);
        notes.set('HttpPushUriTargetsBusy', value);
        return undefined;
      },
    }),
  });
  return complaints.length > 0 ? refuse(400, complaints) : confirm();
}

function changeApplyTime(machine: Machine, value: JsonValue): MessageOrder | undefined {
  const { applyTimes, pushUri } = machine.personality.update;
  if (pushUri === undefined || applyTimes.length === 0) return unknownMember('HttpPushUriOptions');
  if (!isObject(value)) return wrongType('HttpPushUriOptions', value);
  const { ApplyTime } = objectAt(value, 'HttpPushUriApplyTime');
  if (!applyTimes.includes(say(ApplyTime))) {
    return notInList('HttpPushUriOptions/HttpPushUriApplyTime/ApplyTime', ApplyTime);
  }
  machine.notes.set('HttpPushUriApplyTime', say(ApplyTime));
  return undefined;
}
