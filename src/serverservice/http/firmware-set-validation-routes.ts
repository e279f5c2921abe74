import {
  answerMessage,
  defineRoute,
  MessageAnswer,
  pageQuery,
  type Route,
  restResources,
  Struct,
  Time,
  Uuid,
} from '../../rest/index.ts';
import { type SetValidation, validationOrders } from '../firmware/set-validations.ts';
import type { Serverservice } from '../serverservice.ts';
import { recordRoutes } from './record-routes.ts';
import { idParams, prefix } from './shapes.ts';
import { showTime } from './show.ts';

const resource = restResources.firmwareSets;
const tag = 'firmware sets';

const fact = {
  firmware_set: Uuid('The set.'),
  target_server: Uuid('The server.'),
  performed_on: Time('When that was.'),
};

const FactShape = Struct(
  { id: Uuid('Its id.'), ...fact },
  { title: 'FirmwareSetFact', description: 'That a set was found good on a server.' },
);

/** What is known of sets that were tried on servers. */
export function firmwareSetValidationRoutes({ firmwareSets }: Serverservice): readonly Route[] {
  const path = `${prefix}/server-component-firmware-sets`;
  const routes = recordRoutes<SetValidation>({
    ...{ path, tag, resource, shape: FactShape },
    show: ({ id, setId, serverId, performedOn }) => ({
      ...{ id, firmware_set: setId, target_server: serverId, performed_on: showTime(performedOn) },
    }),
    slug: ({ id }) => id,
  });
  return [
    routes.list({
      path: `${path}/:uuid/validations`,
      params: idParams,
      operation: 'listFirmwareSetValidations',
      summary: 'Where a set was installed and found good, the newest first.',
      query: Struct(pageQuery(validationOrders)),
      refusals: { 404: 'There is no such firmware set.' },
      list: ({ params }, request) => firmwareSets.listValidations(params.uuid, request),
    }),
    defineRoute({
      method: 'POST',
      path: `${path}/validate-firmware-set`,
      tag,
      operation: 'noteFirmwareSetValidation',
      summary: 'Notes that a set was installed on a server and found good.',
      access: { verb: 'update', resource },
      body: Struct(fact, { title: 'FirmwareSetValidation', description: 'That a set was found good.' }),
      answers: { 200: MessageAnswer },
      refusals: { 404: 'There is no such firmware set or server.' },
      async handle({ body }) {
        const performedOn = Date.parse(body.performed_on);
        await firmwareSets.noteValidation({ setId: body.firmware_set, serverId: body.target_server, performedOn });
        return answerMessage('resource updated', { slug: body.firmware_set });
      },
    }),
  ];
}
