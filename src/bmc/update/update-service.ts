import type { Bmc } from '../bmc.ts';
import { BmcError, isBmcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import {
  type Action,
  type ActionParameter,
  actionIn,
  allowableIn,
  booleanIn,
  integerIn,
  linkIn,
  memberIn,
  objectIn,
  parametersIn,
  textIn,
  textsIn,
  toBmcPath,
} from '../redfish/index.ts';
import type { PullOffer, PushOffer, UpdateOffer } from '../update-offer.ts';

const supportedTimes = '@Redfish.OperationApplyTimeSupport';

/** What the BMC's UpdateService offers. Throws BmcError; `unsupported` where there is none. */
export async function describeUpdateService(bmc: Bmc): Promise<UpdateOffer> {
  const { updateService } = await bmc.root();
  if (updateService === undefined) {
    throw new BmcError('unsupported', {
      origin: bmc.gate.origin,
      what: 'update firmware',
      detail: 'its service root names no UpdateService; update it with the vendor’s tool',
    });
  }
  const { body } = await bmc.gate.request({ method: 'GET', path: updateService });
  const action = actionIn(body, 'UpdateService.SimpleUpdate');
  const parameters = await readParameters(bmc, action);
  return describeOffer(updateService, body, parameters);
}

async function readParameters(bmc: Bmc, action: Action | undefined): Promise<readonly ActionParameter[] | undefined> {
  if (action?.actionInfo === undefined) return undefined;
  try {
    const { body } = await bmc.gate.request({ method: 'GET', path: action.actionInfo });
    return parametersIn(body);
  } catch (error) {
    // A link to a description that is not there is no reason not to update; the action itself may still say enough.
    if (isBmcError(error, 'notFound', 'refused', 'malformed')) return undefined;
    throw error;
  }
}

/** The offer in a body of UpdateService, with the parameters of SimpleUpdate where its ActionInfo was read. */
export function describeOffer(
  path: string,
  body: JsonObject,
  parameters: readonly ActionParameter[] | undefined,
): UpdateOffer {
  const pull = pullIn(body, parameters);
  const general = textsIn(objectIn(body, supportedTimes), 'SupportedValues');
  const push = pushIn(body, general);
  // What holds for one way holds for the multipart push, where that does not say it for itself.
  const otherTimes = [pull?.applyTimes, push?.applyTimes, general].find((times) => (times ?? []).length > 0);
  const multipart = multipartIn(body, otherTimes ?? []);
  const times = [
    ...general,
    ...(multipart?.applyTimes ?? []),
    ...(push?.applyTimes ?? []),
    ...(pull?.applyTimes ?? []),
  ];
  const maxImageSizeBytes = integerIn(body, 'MaxImageSizeBytes');
  return {
    path,
    isEnabled: booleanIn(body, 'ServiceEnabled') !== false,
    multipart,
    push,
    pull,
    startUpdate: actionIn(body, 'UpdateService.StartUpdate')?.target,
    applyTimes: [...new Set(times)],
    maxImageSizeBytes: maxImageSizeBytes !== undefined && maxImageSizeBytes > 0 ? maxImageSizeBytes : undefined,
    firmwareInventory: linkIn(body, 'FirmwareInventory'),
    body,
  };
}

function multipartIn(body: JsonObject, otherTimes: readonly string[]): UpdateOffer['multipart'] {
  const uri = toBmcPath(memberIn(body, 'MultipartHttpPushUri'));
  if (uri === undefined) return undefined;
  const own = textsIn(objectIn(body, `MultipartHttpPushUri${supportedTimes}`), 'SupportedValues');
  return { uri, applyTimes: own.length > 0 ? own : otherTimes };
}

function pushIn(body: JsonObject, general: readonly string[]): PushOffer | undefined {
  const uri = toBmcPath(memberIn(body, 'HttpPushUri'));
  if (uri === undefined) return undefined;
  const setting = objectIn(body, 'HttpPushUriOptions', 'HttpPushUriApplyTime');
  const current = textIn(setting, 'ApplyTime');
  return {
    uri,
    applyTimes: allowableIn(setting, 'ApplyTime') ?? (current === undefined ? [] : [...new Set([current, ...general])]),
    applyTime: current,
    canNameTargets: memberIn(body, 'HttpPushUriTargets') !== undefined,
    isBusy: booleanIn(body, 'HttpPushUriTargetsBusy'),
  };
}

function pullIn(body: JsonObject, parameters: readonly ActionParameter[] | undefined): PullOffer | undefined {
  const action = actionIn(body, 'UpdateService.SimpleUpdate');
  if (action === undefined) return undefined;
  const parameter = (name: string) => parameters?.find((each) => each.name === name);
  const protocol = parameter('TransferProtocol');
  const times = textsIn(objectIn(action.body, supportedTimes), 'SupportedValues');
  return {
    target: action.target,
    protocols: protocol?.allowable ?? allowableIn(action.body, 'TransferProtocol'),
    isProtocolRequired: protocol?.isRequired ?? false,
    members: parameters === undefined || parameters.length === 0 ? undefined : parameters.map(({ name }) => name),
    targets: parameter('Targets')?.allowable ?? allowableIn(action.body, 'Targets'),
    applyTimes: times.length > 0 ? times : (parameter('@Redfish.OperationApplyTime')?.allowable ?? []),
  };
}
