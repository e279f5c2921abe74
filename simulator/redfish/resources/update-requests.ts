import type { Machine } from '../../machine/machine.ts';
import type { UpdateRequest } from '../../machine/updates.ts';
import type { JsonObject, JsonValue, RedfishAnswer, RedfishRequest, Route } from '../route.ts';
import { type MessageOrder, refuse, refuseMissing } from './errors.ts';
import { root } from './paths.ts';
import { pushOptionsOf } from './update-service.ts';
import { say } from './written-members.ts';

const service = `${root}/UpdateService`;
const simpleUpdateAction = 'UpdateService.SimpleUpdate';

/** Where the vendors take files; each answers only at its own. */
const pushPaths = [
  `${service}/MultipartUpload`,
  `${service}/update-multipart`,
  `${service}/update`,
  `${service}/upload`,
  '/cgi-bin/uploadFile',
  '/mfwupdate',
  '/fwupdate',
];

/** The ways firmware reaches the BMC: uploads, SimpleUpdate, StartUpdate. */
export const updateRequestRoutes: readonly Route[] = [
  ...pushPaths.map((pattern) => ({ pattern, post: takeUpload, takesUpload: true })),
  { pattern: `${service}/Actions/${simpleUpdateAction}`, post: simpleUpdate },
  { pattern: `${service}/Actions/UpdateService.StartUpdate`, post: startUpdate },
];

/** Begins an update and lets the vendor answer, whichever way it went. */
export function beginUpdate(machine: Machine, request: UpdateRequest): RedfishAnswer {
  const { personality } = machine;
  const outcome = machine.updates.begin(request);
  return 'phase' in outcome ? personality.answerUpdate(machine, outcome) : personality.answerRefusal(machine, outcome);
}

function takeUpload(request: RedfishRequest): RedfishAnswer {
  const { machine, path, headers } = request;
  const { multipartPushUri, pushUri } = machine.personality.update;
  const isMultipart = say(headers['content-type'] ?? '').startsWith('multipart/');
  if (path !== multipartPushUri && path !== pushUri) return refuseMissing(path);
  if (path === multipartPushUri && (isMultipart || path !== pushUri)) return takeMultipart(request);
  return takeRaw(request);
}

function takeMultipart({ machine, body, upload }: RedfishRequest): RedfishAnswer {
  if (upload === undefined) return missing(machine, 'UpdateFile');
  return beginUpdate(machine, {
    via: 'multipart',
    targets: readTargets(body.Targets),
    file: upload,
    ...readApplyTime(body),
  });
}

function takeRaw({ machine, upload }: RedfishRequest): RedfishAnswer {
  const { targets, isClaimed, applyTime } = pushOptionsOf(machine);
  if (machine.personality.update.hasBusyClaim && !isClaimed) return missing(machine, 'HttpPushUriTargetsBusy');
  if (upload === undefined) return missing(machine, 'the image');
  return beginUpdate(machine, {
    via: 'push',
    targets,
    file: upload,
    ...(applyTime !== undefined && { applyTime }),
  });
}

function missing(machine: Machine, detail: string): RedfishAnswer {
  return machine.personality.answerRefusal(machine, { fault: 'missing-member', detail });
}

function readTargets(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function readApplyTime(body: JsonObject): { applyTime?: string } {
  const applyTime = body['@Redfish.OperationApplyTime'];
  return typeof applyTime === 'string' ? { applyTime } : {};
}

function simpleUpdate({ machine, body, path }: RedfishRequest): RedfishAnswer {
  const { simpleUpdate: offered } = machine.personality.update;
  if (offered === undefined) return refuseMissing(path);
  const { ImageURI, Username, Password } = body;
  if (ImageURI === undefined) return refuse(400, parameterMissing('ImageURI'));
  if (typeof ImageURI !== 'string') return refuse(400, parameterFormat('ImageURI', ImageURI));
  const protocol = readProtocol(body.TransferProtocol, ImageURI);
  if (protocol === undefined || (offered.isProtocolRequired && body.TransferProtocol === undefined)) {
    return refuse(400, parameterMissing('TransferProtocol'));
  }
  if (!offered.protocols.includes(protocol)) {
    return refuse(400, {
      messageId: 'ActionParameterValueNotInList',
      args: [protocol, 'TransferProtocol', simpleUpdateAction],
      related: ['#/TransferProtocol'],
    });
  }
  return beginUpdate(machine, {
    via: 'pull',
    imageUri: /^\w+:\/\//.test(ImageURI) ? ImageURI : `${protocol.toLowerCase()}://${ImageURI}`,
    targets: readTargets(body.Targets),
    ...readApplyTime(body),
    ...(typeof Username === 'string' && { credentials: { username: Username, password: say(Password ?? '') } }),
  });
}

/** As named, or else as the address begins. */
function readProtocol(named: JsonValue | undefined, imageUri: string): string | undefined {
  if (typeof named === 'string') return named;
  return /^(\w+):\/\//.exec(imageUri)?.[1]?.toUpperCase();
}

function parameterMissing(parameter: string): MessageOrder {
  return {
    messageId: 'ActionParameterMissing',
    args: [simpleUpdateAction, parameter],
    related: [`#/${parameter}`],
  };
}

function parameterFormat(parameter: string, value: JsonValue): MessageOrder {
  return {
    messageId: 'ActionParameterValueFormatError',
    args: [say(value), parameter, simpleUpdateAction],
    related: [`#/${parameter}`],
  };
}

function startUpdate({ machine, path }: RedfishRequest): RedfishAnswer {
  if (!machine.personality.update.applyTimes.includes('OnStartUpdateRequest')) return refuseMissing(path);
  const waiting = machine.updates.all.find((update) => update.phase === 'uploaded');
  if (waiting === undefined || machine.updates.startUploaded() === 0) {
    return refuse(400, { messageId: 'OperationFailed', message: 'No uploaded image waits to be started.' });
  }
  return machine.personality.answerUpdate(machine, waiting);
}
