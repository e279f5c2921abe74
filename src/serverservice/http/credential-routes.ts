import { Type } from 'typebox';
import {
  answerMessage,
  answerRecord,
  defineRoute,
  MessageAnswer,
  pageQuery,
  type Route,
  recordAnswer,
  restResources,
  Struct,
  Text,
  Time,
  Uuid,
} from '../../rest/index.ts';
import { type CredentialType, credentialTypeOrders } from '../credentials/credentials.ts';
import type { Serverservice } from '../serverservice.ts';
import { recordRoutes } from './record-routes.ts';
import { ignored, notLookedAt, prefix, slugDraft } from './shapes.ts';
import { showCredentialType, showTime } from './show.ts';

const resource = restResources.credentials;
const slugPattern = '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$';
const notFound = { 404: 'There is no such server, type or credential.' };
const params = Struct({
  uuid: Uuid('The id of the server.'),
  slug: Type.String({ pattern: slugPattern, description: 'What it is for: `bmc`.' }),
});

const CredentialShape = Struct(
  {
    uuid: Uuid('The server.'),
    secret_type: Type.String({ description: 'What it is for.' }),
    username: Type.String({ description: 'The name to log in with.' }),
    password: Type.String({ description: 'The password.' }),
    created_at: Time('When it was written first.'),
    updated_at: Time('When it was written last.'),
  },
  { title: 'Credential', description: 'A log-in of a server.' },
);

const TypeShape = Struct(
  {
    id: Uuid('Its id.'),
    name: Type.String({ description: 'Its name.' }),
    slug: Type.String({ description: 'What others call it by.' }),
    builtin: Type.Boolean({ description: 'Every inventory has it.' }),
    created_at: Time('When it was written first.'),
    updated_at: Time('When it was written last.'),
  },
  { title: 'CredentialType', description: 'What a credential is for.' },
);

/** Log-ins of servers, with a permission of their own; nothing lists them. */
export function credentialRoutes(service: Serverservice): readonly Route[] {
  return [...secretRoutes(service), ...typeRoutes(service)];
}

function secretRoutes({ credentials }: Serverservice): readonly Route[] {
  const shared = { path: `${prefix}/servers/:uuid/credentials/:slug`, tag: 'credentials', params } as const;
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      operation: 'getCredential',
      summary: 'A log-in of a server.',
      access: { verb: 'get', resource },
      answers: { 200: recordAnswer(CredentialShape) },
      refusals: notFound,
      async handle({ params: { uuid, slug } }) {
        const { username, password, createdAt, updatedAt } = await credentials.get(uuid, slug);
        return answerRecord({
          uuid,
          secret_type: slug,
          username,
          password,
          created_at: showTime(createdAt),
          updated_at: showTime(updatedAt),
        });
      },
    }),
    defineRoute({
      ...shared,
      method: 'PUT',
      operation: 'putCredential',
      summary: 'Keeps a log-in of a server.',
      access: { verb: 'update', resource },
      body: Struct(
        {
          username: Type.Optional(Text('The name to log in with.', { maxLength: 255 })),
          password: Text('The password.', { minLength: 1, maxLength: 4096 }),
        },
        { title: 'CredentialDraft', description: 'A log-in to be kept.' },
      ),
      answers: { 200: MessageAnswer },
      refusals: { 404: 'There is no such server or type.' },
      async handle({ params: { uuid, slug }, body }) {
        const done = await credentials.put(uuid, slug, { username: body.username ?? '', password: body.password });
        return answerMessage(done === 'created' ? 'resource created' : 'resource updated', { slug });
      },
    }),
    defineRoute({
      ...shared,
      method: 'DELETE',
      operation: 'deleteCredential',
      summary: 'Forgets a log-in of a server.',
      access: { verb: 'delete', resource },
      answers: { 200: MessageAnswer },
      refusals: notFound,
      async handle({ params: { uuid, slug } }) {
        await credentials.remove(uuid, slug);
        return answerMessage('resource deleted', { slug });
      },
    }),
  ];
}

function typeRoutes({ credentials }: Serverservice): readonly Route[] {
  const path = `${prefix}/server-credential-types`;
  const routes = recordRoutes<CredentialType>({
    ...{ path, tag: 'credentials', resource: restResources.credentialTypes, shape: TypeShape },
    show: showCredentialType,
    slug: ({ slug }) => slug,
  });
  return [
    routes.list({
      operation: 'listCredentialTypes',
      summary: 'What credentials can be for.',
      query: Struct(pageQuery(credentialTypeOrders)),
      list: (_, request) => credentials.listTypes(request),
    }),
    routes.create({
      operation: 'createCredentialType',
      summary: 'Something new that credentials can be for.',
      body: Struct(
        { id: notLookedAt(), builtin: notLookedAt(), ...slugDraft, ...ignored },
        { title: 'CredentialTypeDraft', description: 'What credentials shall be for.' },
      ),
      refusals: { 409: 'The slug is taken.' },
      create: ({ body }) => credentials.createType({ name: body.name, slug: body.slug }),
      location: () => path,
    }),
  ];
}
