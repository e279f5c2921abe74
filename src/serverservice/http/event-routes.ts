import { Type } from 'typebox';
import type { JsonObject } from '../../engine/index.ts';
import {
  AnyObject,
  answerMessage,
  defineRoute,
  MessageAnswer,
  pageQuery,
  type Route,
  restResources,
  Struct,
  Text,
  Time,
  Uuid,
} from '../../rest/index.ts';
import { eventOrders, type InventoryEvent } from '../events/events.ts';
import type { Serverservice } from '../serverservice.ts';
import { recordRoutes } from './record-routes.ts';
import { EventShape, idParams, notLookedAt, prefix, serverParams } from './shapes.ts';
import { showEvent } from './show.ts';

const EventDraft = Struct(
  {
    event_id: notLookedAt('the path says it'),
    type: Text('The kind of the condition.', { minLength: 1, maxLength: 100 }),
    target_server: Uuid('The server.'),
    parameters: Type.Optional(AnyObject('What was asked for.')),
    final_state: Type.Union([Type.Literal('succeeded'), Type.Literal('failed')], { description: 'How it ended.' }),
    final_status: Type.Optional(AnyObject('What was reported last.')),
    event_start: Time('When it began.'),
    event_end: Time('When it ended.'),
  },
  { title: 'EventDraft', description: 'Something that was done to a server and has ended.' },
);

/** What happened to servers. */
export function eventRoutes({ events, servers }: Serverservice): readonly Route[] {
  const path = `${prefix}/events`;
  const resource = restResources.events;
  const routes = recordRoutes<InventoryEvent>({
    ...{ path, tag: 'events', resource, shape: EventShape },
    show: showEvent,
    slug: ({ id }) => id,
  });
  return [
    defineRoute({
      method: 'GET',
      path: `${path}/:uuid`,
      tag: 'events',
      params: idParams,
      operation: 'getEvent',
      summary: 'What has this id: several where they were asked for together.',
      access: { verb: 'get', resource },
      answers: { 200: Struct({ records: Type.Array(EventShape) }) },
      refusals: { 404: 'Nothing has this id.' },
      handle: async ({ params }) => ({
        status: 200,
        body: { records: (await events.get(params.uuid)).map(showEvent) },
      }),
    }),
    defineRoute({
      method: 'PUT',
      path: `${path}/:uuid`,
      tag: 'events',
      params: idParams,
      operation: 'putEvent',
      summary: 'Notes what happened; doing so twice is harmless.',
      access: { verb: 'update', resource },
      body: EventDraft,
      answers: { 200: MessageAnswer },
      refusals: { 404: 'There is no such server.' },
      async handle({ params, body }) {
        const { id } = await servers.get(body.target_server, { isWithDeleted: true });
        const done = await events.put({
          id: params.uuid,
          type: body.type,
          target: id,
          parameters: (body.parameters ?? {}) as JsonObject,
          finalState: body.final_state,
          finalStatus: (body.final_status ?? {}) as JsonObject,
          startedAt: Date.parse(body.event_start),
          endedAt: Date.parse(body.event_end),
        });
        return answerMessage(`resource ${done}`, { slug: params.uuid });
      },
    }),
    routes.list({
      path: `${path}/by-server/:uuid`,
      params: serverParams,
      operation: 'listServerEvents',
      summary: 'What happened to a server, the newest first; also of one that was deleted.',
      query: Struct(pageQuery(eventOrders)),
      refusals: { 404: 'There is no such server.' },
      async list({ params }, request) {
        const { id } = await servers.get(params.uuid, { isWithDeleted: true });
        return events.listByServer(id, request);
      },
    }),
  ];
}
