import { Type } from 'typebox';
import type { EngineEvent, JsonObject } from '../../engine/index.ts';
import { AnyObject, defineRoute, type Route, restResources, Struct, Time } from '../../rest/index.ts';
import { OrcError } from '../errors.ts';
import { noticeTypes } from '../loop/notice.ts';
import { showNotice } from '../loop/webhook.ts';
import { showTime } from '../records/condition-record.ts';
import type { OrcContext } from './context.ts';

const limit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 1000, default: 100, description: 'The most to answer.' }),
);
const number = (description: string) => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });

const EventRecord = Struct(
  {
    seq: number('Grows with every event.'),
    at: Time('When.'),
    event: Type.String({ description: 'What happened: created, leased, reported, finalized, worker-lost, ...' }),
    condition: Type.Union([Type.String(), Type.Null()], { description: 'The id of the condition.' }),
    target: Type.Union([Type.String(), Type.Null()], { description: 'What is worked on.' }),
    kind: Type.Union([Type.String(), Type.Null()], { description: 'The kind of the condition.' }),
    state: Type.Union([Type.String(), Type.Null()], { description: 'The state of the condition.' }),
    detail: AnyObject('More about it.'),
  },
  { title: 'ConditionEvent', description: 'Something that happened.' },
);

const NoticeRecord = Struct(
  {
    id: number('The number of the event it is about.'),
    type: Type.Union(
      noticeTypes.map((type) => Type.Literal(type)),
      { description: 'Why operators are told.' },
    ),
    at: Time('When.'),
    controller: Type.String({ description: 'The controller it is about.' }),
    message: Type.String({ description: 'For people.' }),
    text: Type.String({ description: 'The same, under the name that chat services want.' }),
    doing: Type.Array(AnyObject('Condition, kind, target, state and status.'), {
      description: 'What the controller was doing.',
    }),
    delivery: Type.String({ description: 'none, waiting, delivered or given-up.' }),
    attempts: Type.Integer({ description: 'How often it was tried to be delivered.' }),
  },
  { title: 'Notice', description: 'Something that operators are told.' },
);

function showEvent(event: EngineEvent): JsonObject {
  const { seq, at, conditionId = null, target = null, kind = null, state = null, detail } = event;
  return { seq, at: showTime(at), event: event.event, condition: conditionId, target, kind, state, detail };
}

/** The routes that tell what happened. */
export function newsRoutes(context: OrcContext): readonly Route[] {
  const route = {
    method: 'GET',
    tag: 'news',
    access: { verb: 'list', resource: restResources.conditions },
  } as const;
  return [
    defineRoute({
      ...route,
      path: '/api/v1/condition-events',
      operation: 'listConditionEvents',
      summary: 'What happened to conditions and workers, oldest first; for whoever follows it.',
      query: Struct({ after: Type.Optional(number('Only what came after this one.')), limit }),
      answers: {
        200: Struct(
          { records: Type.Array(EventRecord), next: number('For `after` of the next request.') },
          { title: 'ConditionEventList', description: 'What happened.' },
        ),
      },
      async handle({ query }) {
        const { after = 0, limit: most = 100 } = query;
        const events = await context.engine.eventsAfter(after, most);
        return { status: 200, body: { records: events.map(showEvent), next: events.at(-1)?.seq ?? after } };
      },
    }),
    defineRoute({
      ...route,
      path: '/api/v1/notices',
      operation: 'listNotices',
      summary: 'What operators were told: controllers that died, with what they were doing. Newest first.',
      query: Struct({ before: Type.Optional(number('Only what came before this one.')), limit }),
      answers: {
        200: Struct(
          { records: Type.Array(NoticeRecord) },
          { title: 'NoticeList', description: 'What operators were told.' },
        ),
      },
      refusals: { 501: 'This conditionOrc keeps no notices.' },
      async handle({ query }) {
        if (context.store === undefined) {
          throw new OrcError('notServed', { what: 'the list of notices', instead: 'it was started without one' });
        }
        const stored = await context.store.notices.list({ limit: query.limit ?? 100, before: query.before });
        const records = stored.map((one) => ({
          ...showNotice(one.notice),
          delivery: one.delivery,
          attempts: one.attempts,
        }));
        return { status: 200, body: { records } };
      },
    }),
  ];
}
