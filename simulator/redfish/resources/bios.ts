import type { BiosRefusal, Machine } from '../../machine/machine.ts';
import type { BiosAttribute } from '../../personalities/personality.ts';
import { tagBody } from '../front/etag.ts';
import type { Handler, JsonObject, RedfishAnswer, RedfishRequest, Route } from '../route.ts';
import { confirm, type MessageOrder, makeMessage, refuse, refuseMissing } from './errors.ts';
import { ownRoutes } from './own-routes.ts';
import { biosPath, biosSettingsPath, root } from './paths.ts';
import { head, isObject, link, objectAt, show, toDateTime } from './render.ts';
import { notInList, say, wrongType } from './written-members.ts';

/** When pending BIOS settings can take effect, unless a vendor's decoration says more. */
const applyTimes = ['OnReset'];

/** How vendors spell the folder of the BIOS. */
const spellings = ['Bios', 'bios', 'BIOS'];

/** BIOS attributes, the settings object, and the actions. */
export const biosRoutes: readonly Route[] = ownRoutes(
  spellings.flatMap((spelling) => {
    const pattern = `${root}/Systems/:system/${spelling}`;
    const spelt = (handler: Handler) => asSpelt(spelling, handler);
    return [
      { pattern, get: spelt((request) => show(request, 'Bios', renderBios(request.machine))) },
      { pattern: `${pattern}/:settings`, get: spelt(showSettings), patch: spelt(changeSettings) },
      { pattern: `${pattern}/Actions/Bios.ResetBios`, post: spelt(resetBios) },
      { pattern: `${pattern}/Actions/Bios.ChangePassword`, post: spelt(changePassword) },
    ];
  }),
);

function asSpelt(spelling: string, handler: Handler): Handler {
  return (request) =>
    request.machine.personality.ids.bios === spelling ? handler(request) : refuseMissing(request.path);
}

function renderBios(machine: Machine): JsonObject {
  const path = biosPath(machine);
  return {
    ...head({ path, schema: 'Bios.v1_1_0', id: machine.personality.ids.bios, name: 'BIOS Configuration' }),
    Description: 'BIOS configuration, current settings',
    AttributeRegistry: machine.personality.ids.biosRegistry,
    Attributes: { ...machine.bios.current },
    '@Redfish.Settings': renderSettingsAnnotation(machine),
    Actions: {
      '#Bios.ResetBios': { target: `${path}/Actions/Bios.ResetBios` },
      '#Bios.ChangePassword': { target: `${path}/Actions/Bios.ChangePassword` },
    },
  };
}

function renderSettingsAnnotation(machine: Machine): JsonObject {
  const { applied } = machine.bios;
  return {
    '@odata.type': '#Settings.v1_3_5.Settings',
    SettingsObject: link(biosSettingsPath(machine)),
    // Clients send it as If-Match with the settings, and some services insist on one.
    ETag: tagBody(renderSettings(machine), machine.personality.service).etag,
    SupportedApplyTimes: [...applyTimes],
    // Clients take a Time for the sign that settings were applied, so it is left out until then.
    ...(applied && { Time: toDateTime(applied.at) }),
    Messages:
      applied === undefined ? [] : [makeMessage({ messageId: applied.messageId, ...severityOf(applied.messageId) })],
  };
}

function severityOf(messageId: string): { severity: 'OK' | 'Warning' } {
  return { severity: /Success|Completed|OK$/.test(messageId) ? 'OK' : 'Warning' };
}

function showSettings(request: RedfishRequest): RedfishAnswer {
  const { machine } = request;
  if (request.params.settings !== machine.personality.ids.biosSettings) return refuseMissing(request.path);
  return { status: 200, body: renderSettings(machine) };
}

function renderSettings(machine: Machine): JsonObject {
  const { ids } = machine.personality;
  const body = {
    ...head({
      path: biosSettingsPath(machine),
      schema: 'Bios.v1_1_0',
      id: ids.biosSettings,
      name: 'BIOS Configuration Pending Settings',
    }),
    Description: 'BIOS configuration, settings that wait for the next reset',
    AttributeRegistry: ids.biosRegistry,
    Attributes: { ...machine.bios.pending },
    '@Redfish.SettingsApplyTime': {
      '@odata.type': '#Settings.v1_3_5.PreferredApplyTime',
      'ApplyTime@Redfish.AllowableValues': [...applyTimes],
    },
  };
  return machine.personality.decorate('BiosSettings', body, machine);
}

function changeSettings(request: RedfishRequest): RedfishAnswer {
  const { machine } = request;
  if (request.params.settings !== machine.personality.ids.biosSettings) return refuseMissing(request.path);
  return stageBiosSettings(request) ?? confirm();
}

/** Stages what a PATCH of a BIOS settings object asks for; the refusal if it is refused. */
function stageBiosSettings({ machine, body }: RedfishRequest): RedfishAnswer | undefined {
  const { ApplyTime } = objectAt(body, '@Redfish.SettingsApplyTime');
  if (ApplyTime !== undefined && !applyTimes.includes(say(ApplyTime))) {
    return refuse(400, notInList('@Redfish.SettingsApplyTime/ApplyTime', ApplyTime));
  }
  const { Attributes } = body;
  if (Attributes === undefined) return refuse(400, { messageId: 'PropertyMissing', args: ['Attributes'] });
  if (!isObject(Attributes)) return refuse(400, wrongType('Attributes', Attributes));
  const outcome = machine.bios.stage(Attributes);
  if (outcome === 'ok') return undefined;
  const known = new Map(machine.personality.bios.map((attribute) => [attribute.name, attribute]));
  return refuse(
    400,
    outcome.map((refusal) => complain(refusal, { value: Attributes[refusal.attribute], known })),
  );
}

function complain(
  { attribute, problem }: BiosRefusal,
  seen: { readonly value: unknown; readonly known: ReadonlyMap<string, BiosAttribute> },
): MessageOrder {
  const related = [`#/Attributes/${attribute}`];
  if (problem === 'unknown') return { messageId: 'PropertyUnknown', args: [attribute], related };
  if (problem === 'read-only') return { messageId: 'PropertyNotWritable', args: [attribute], related };
  const args = [say(seen.value), attribute];
  if (problem === 'bad-type') return { messageId: 'PropertyValueTypeError', args, related };
  const type = seen.known.get(attribute)?.type;
  if (type === 'Integer') return { messageId: 'PropertyValueOutOfRange', args, related };
  return { messageId: type === 'String' ? 'PropertyValueFormatError' : 'PropertyValueNotInList', args, related };
}

function resetBios({ machine }: RedfishRequest): RedfishAnswer {
  machine.bios.stageDefaults();
  return confirm();
}

function changePassword({ body }: RedfishRequest): RedfishAnswer {
  for (const member of ['PasswordName', 'OldPassword', 'NewPassword']) {
    if (body[member] === undefined) {
      return refuse(400, { messageId: 'ActionParameterMissing', args: ['Bios.ChangePassword', member] });
    }
  }
  // No machine here has a set-up password, so no old password is the right one.
  return refuse(400, {
    messageId: 'ActionParameterValueFormatError',
    args: ['******', 'OldPassword', 'Bios.ChangePassword'],
    related: ['#/OldPassword'],
  });
}
