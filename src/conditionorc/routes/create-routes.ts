import { type Static, type TObject, Type } from 'typebox';
import type { JsonObject } from '../../engine/index.ts';
import {
  AnyObject,
  type Call,
  defineRoute,
  ListOf,
  type Route,
  restResources,
  Struct,
  Text,
  Uuid,
} from '../../rest/index.ts';
import { OrcError } from '../errors.ts';
import { hasInlineImages, imageRight } from '../orders/inline-images.ts';
import { placeOrder, type WorkOrder } from '../orders/place-order.ts';
import { answerCondition, clientOf } from './answers.ts';
import type { OrcContext } from './context.ts';
import { ConditionAnswer, DeadlineMs, KindPath, Parameters, Priority, ServerPath } from './shapes.ts';

const access = { verb: 'create', resource: restResources.conditions } as const;
const answers = { 200: ConditionAnswer };

/** Refusals of everything that asks for work. */
export const creationRefusals = {
  404: 'There is no such server.',
  409: 'One of this kind is un-finalized with other parameters; it is in `record`.',
  429: 'Resource exhausted: too much waits already; nothing was stored.',
};

const SetId = Type.Optional(Uuid('The firmware set to install.'));

const WorkBody = Struct(
  {
    kind: Text('A kind of condition, in any case.', { minLength: 1, maxLength: 100 }),
    parameters: Parameters,
    'firmware-set-id': SetId,
    firmware_set_id: SetId,
    priority: Priority,
    deadline_ms: DeadlineMs,
  },
  { title: 'WorkOrder', description: 'What is to be done.' },
);

const KindBody = Struct(
  {
    parameters: Parameters,
    'firmware-set-id': SetId,
    firmware_set_id: SetId,
    priority: Priority,
    deadline_ms: DeadlineMs,
    fault: Type.Optional(Type.Null({ description: 'Faults are not injected by this service.' })),
  },
  { title: 'KindOrder', description: 'What is to be done, of the kind in the path.' },
);

const flag = (description: string) => Type.Optional(Type.Boolean({ description }));

const InstallBody = Type.Object(
  {
    asset_id: Type.Optional(Uuid('The server once more.')),
    firmware_set_id: SetId,
    'firmware-set-id': SetId,
    firmwares: Type.Optional(
      ListOf(
        Type.Union([Uuid('Of the catalogue.'), AnyObject('An image, whole: takes the right to create firmware.')]),
        'Instead of a set.',
        {
          maxItems: 100,
        },
      ),
    ),
    force_install: flag('Also install what is installed already.'),
    dry_run: flag('Plan, and do nothing that disrupts.'),
    reset_bmc_before_install: flag('Reset the BMC first.'),
    require_host_powered_off: flag('Fail when the host is on.'),
    priority: Priority,
    deadline_ms: DeadlineMs,
  },
  // Other members are parameters too; the kind says which there are.
  { title: 'FirmwareInstallOrder', description: 'What is to be installed.', additionalProperties: true },
);

/** Only those of the members that go into the parameters. */
function merge(body: {
  readonly parameters?: Record<string, unknown> | undefined;
  readonly 'firmware-set-id'?: string | undefined;
  readonly firmware_set_id?: string | undefined;
}): JsonObject {
  const parameters = (body.parameters ?? {}) as JsonObject;
  const named = [body['firmware-set-id'], body.firmware_set_id].filter((one) => one !== undefined);
  const inside = parameters.firmware_set_id;
  const all = new Set([...named, ...(typeof inside === 'string' ? [inside] : [])].map((one) => one.toLowerCase()));
  if (all.size > 1) {
    const problems = ['the firmware set is named more than once, and not the same'];
    throw new OrcError('badParameters', { kind: 'firmwareInstall' }, { problems });
  }
  const [set] = named;
  return set === undefined ? parameters : { ...parameters, firmware_set_id: set };
}

function queueing(body: { readonly priority?: number | undefined; readonly deadline_ms?: number | undefined }) {
  return {
    ...(body.priority === undefined ? {} : { priority: body.priority }),
    ...(body.deadline_ms === undefined ? {} : { deadlineMs: body.deadline_ms }),
  };
}

type ServerCall = Pick<Call<Static<typeof ServerPath>, unknown, unknown>, 'params' | 'user' | 'require'>;

/** The routes that ask for work on a server. */
export function createRoutes(context: OrcContext): readonly Route[] {
  const place = async (call: ServerCall, order: Omit<WorkOrder, 'serverId' | 'client'>, message: string) => {
    if (hasInlineImages(order.parameters)) await call.require(imageRight);
    const placed = await placeOrder(context, { serverId: call.params.uuid, client: clientOf(call), ...order });
    const said = placed.isNew ? message : `${message}; it was asked for already`;
    return answerCondition(placed.machine, { record: placed.asked, unit: placed.conditions, message: said });
  };
  const route = { method: 'POST', tag: 'conditions', access, answers, refusals: creationRefusals } as const;
  return [
    defineRoute({
      ...route,
      path: '/api/v1/servers/:uuid/condition',
      operation: 'createCondition',
      summary: 'Asks for work on a server, the kind in the body. Asking twice for the same is asking once.',
      params: ServerPath,
      body: WorkBody,
      handle: (call) =>
        place(call, { kind: call.body.kind, parameters: merge(call.body), ...queueing(call.body) }, 'condition set'),
    }),
    defineRoute({
      ...route,
      path: '/api/v1/servers/:uuid/condition/:kind',
      operation: 'createConditionOfKind',
      summary: 'Asks for work on a server, the kind in the path.',
      params: KindPath,
      body: KindBody,
      handle: (call) =>
        place(call, { kind: call.params.kind, parameters: merge(call.body), ...queueing(call.body) }, 'condition set'),
    }),
    defineRoute({
      ...route,
      path: '/api/v1/servers/:uuid/firmwareInstall',
      operation: 'createFirmwareInstall',
      summary: 'Installs firmware; the server is read afterwards, whatever ended the install. The plan is frozen now.',
      params: ServerPath,
      body: InstallBody,
      handle(call) {
        const { priority: _, deadline_ms: __, 'firmware-set-id': set, ...parameters } = call.body;
        const merged = merge({ parameters, 'firmware-set-id': set });
        const order = { kind: 'firmwareInstall', parameters: merged, ...queueing(call.body) };
        return place(call, order, 'firmware install scheduled');
      },
    }),
    defineRoute<typeof ServerPath, TObject<Record<never, never>>, ReturnType<typeof AnyObject>>({
      ...route,
      path: '/api/v1/servers/:uuid/biosControl',
      operation: 'createBiosControl',
      summary: 'Changes or resets settings of the BIOS; the body has the parameters.',
      params: ServerPath,
      body: AnyObject('The parameters of biosControl.'),
      handle: (call) =>
        place(call, { kind: 'biosControl', parameters: call.body as JsonObject }, 'bios control scheduled'),
    }),
  ];
}
