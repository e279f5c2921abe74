import { type Static, Type } from 'typebox';
import { type Condition, type JsonObject, targetOf } from '../../engine/index.ts';
import {
  type Answer,
  type Call,
  defineRoute,
  MessageAnswer,
  type Route,
  restResources,
  Struct,
  Text,
  Uuid,
} from '../../rest/index.ts';
import { facilityPattern } from '../../serverservice/index.ts';
import { enrolServer } from '../enrolment/enrol-server.ts';
import { OrcError } from '../errors.ts';
import { placeOrder, requireMachine } from '../orders/place-order.ts';
import { showCondition } from '../records/condition-record.ts';
import { firmwareValidation } from '../validation/firmware-validation.ts';
import { answerCondition, clientOf } from './answers.ts';
import type { OrcContext } from './context.ts';
import { creationRefusals } from './create-routes.ts';
import { ConditionAnswer, ServerPath } from './shapes.ts';

const create = { verb: 'create', resource: restResources.server } as const;

const word = (description: string) => Type.Optional(Text(description, { maxLength: 255 }));
const EnrolBody = Struct(
  {
    parameters: Struct({
      facility: Type.String({ pattern: facilityPattern, description: 'Where the server is.' }),
      'bmc-ip': Text('The address of its BMC.', { minLength: 1, maxLength: 255 }),
      'bmc-user': Text('A user of its BMC.', { minLength: 1, maxLength: 255 }),
      'bmc-pwd': Text('The password; kept encrypted and never shown.', { minLength: 1, maxLength: 1024 }),
      name: word('A name.'),
      vendor: word('The manufacturer, if it is known.'),
      model: word('The model, if it is known.'),
      serial: word('The serial number, if it is known.'),
    }),
  },
  { title: 'EnrolOrder', description: 'A server to be taken in.' },
);

const ValidateBody = Struct(
  { server_id: Uuid('The server to try it on.'), firmware_set_id: Uuid('The set to be tried.') },
  { title: 'ValidateFirmwareOrder', description: 'A firmware set is tried on a server.' },
);

const enrolRefusals = {
  409: 'Another server has this id, address or name already.',
  422: 'Its BMC does not tell which machine it is: credentials, certificate, or no Redfish.',
  429: creationRefusals[429],
  502: 'Its BMC cannot be reached from here.',
};

/** Trying a set takes so long at most. */
const validateWithinMs = 30 * 60_000;

type EnrolCall = Pick<Call<unknown, unknown, Static<typeof EnrolBody>>, 'body' | 'user' | 'require'>;

async function enrol(context: OrcContext, id: string | undefined, call: EnrolCall): Promise<Answer> {
  // It keeps a log-in, and has it sent to the address.
  await call.require({ verb: 'update', resource: restResources.credentials });
  const { facility, name = '', vendor = '', model = '', serial = '', ...rest } = call.body.parameters;
  const bmc = { address: rest['bmc-ip'], username: rest['bmc-user'], password: rest['bmc-pwd'] };
  const order = { id, name, facility, vendor, model, serial, bmc, client: clientOf(call) };
  const { conditions, machine, asked: record } = await enrolServer(context, order);
  return answerCondition(machine, { record, unit: conditions, message: 'server enrolled; its inventory is taken' });
}

async function openConditions({ engine }: OrcContext, serverId: string): Promise<readonly Condition[]> {
  return (await engine.list({ target: targetOf(serverId), states: ['pending', 'active'] })).conditions;
}

async function removeServer(context: OrcContext, uuid: string): Promise<Answer> {
  const machine = await requireMachine(context, uuid);
  const [first, ...others] = await openConditions(context, machine.id);
  if (first !== undefined) {
    const conditions = [first, ...others].map(({ kind, id }) => `${kind} ${id}`).join(', ');
    throw new OrcError(
      'serverBusy',
      { server: machine.id, conditions },
      { record: showCondition(first) as JsonObject },
    );
  }
  const { inventory } = context;
  if (inventory === undefined) await context.engine.machines.remove(machine.id);
  else await context.metrics.watchDependency('serverservice', 'removeServer', inventory.removeServer(machine.id));
  await context.plane?.bmcRemoved(machine.id).catch((error: unknown) => {
    context.metrics.dependencyFailed('plane', 'bmcRemoved');
    context.logger.error('the BMC of a deleted server stays on the plane beside', { server: machine.id, error });
  });
  return { status: 200, body: { message: 'server deleted', slug: machine.id } };
}

/** The routes that take servers in and away, and try firmware sets on them. */
export function serverRoutes(context: OrcContext): readonly Route[] {
  return [
    ...enrolRoutes(context),
    defineRoute({
      method: 'DELETE',
      path: '/api/v1/servers/:uuid',
      operation: 'deleteEnrolledServer',
      summary: 'Deletes a server that nothing waits for or works on.',
      tag: 'servers',
      access: { verb: 'delete', resource: restResources.server },
      params: ServerPath,
      answers: { 200: MessageAnswer },
      refusals: { 404: creationRefusals[404], 409: 'A condition of it is not final; it is in `record`.' },
      handle: ({ params }) => removeServer(context, params.uuid),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/validateFirmware',
      operation: 'validateFirmware',
      summary: 'Installs a set on a server, takes its inventory, and writes down that the set works there.',
      tag: 'servers',
      access: { verb: 'create', resource: restResources.conditions },
      body: ValidateBody,
      answers: { 200: ConditionAnswer },
      refusals: creationRefusals,
      async handle(call) {
        const { server_id: serverId, firmware_set_id: setId } = call.body;
        const {
          conditions,
          machine,
          asked: record,
        } = await placeOrder(context, {
          serverId,
          kind: 'firmwareInstall',
          parameters: { firmware_set_id: setId },
          client: clientOf(call),
          deadlineMs: validateWithinMs,
          followedBy: [{ kind: firmwareValidation.kind, parameters: { firmware_set_id: setId.toLowerCase() } }],
        });
        return answerCondition(machine, { record, unit: conditions, message: 'firmware validation scheduled' });
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/serverProvision',
      operation: 'provisionServer',
      summary: 'Not served: hosts are provisioned by their BareMetalHost.',
      tag: 'servers',
      access: create,
      answers: {},
      refusals: { 501: 'Always.' },
      handle() {
        throw new OrcError('notServed', { what: 'provisioning', instead: 'use a BareMetalHost' });
      },
    }),
  ];
}

function enrolRoutes(context: OrcContext): readonly Route[] {
  const route = {
    method: 'POST',
    tag: 'servers',
    access: create,
    body: EnrolBody,
    answers: { 200: ConditionAnswer },
    refusals: enrolRefusals,
  } as const;
  return [
    defineRoute({
      ...route,
      path: '/api/v1/serverEnroll',
      operation: 'enrollServer',
      summary:
        'Takes a server in under a new id, and asks for its inventory. Takes the right to write credentials too.',
      handle: (call) => enrol(context, undefined, call),
    }),
    defineRoute({
      ...route,
      path: '/api/v1/serverEnroll/:uuid',
      operation: 'enrollServerAs',
      summary:
        'Takes a server in under its System UUID, and asks for its inventory. Takes the right to write credentials too.',
      params: ServerPath,
      handle: (call) => enrol(context, call.params.uuid, call),
    }),
  ];
}
