import { Type } from 'typebox';
import { type ConditionQuery, type JsonObject, targetOf } from '../../engine/index.ts';
import { type Answer, defineRoute, type Route, restResources, Struct, Text, Uuid } from '../../rest/index.ts';
import { OrcError } from '../errors.ts';
import { listOfServer, requireById, requireOfKind, unitOf } from '../orders/find-conditions.ts';
import { requireMachine } from '../orders/place-order.ts';
import { storedKind } from '../orders/shipped-kinds.ts';
import { ConditionRecordShape, StateShape, showCondition } from '../records/condition-record.ts';
import { currentConditions, showServerConditions } from '../records/server-record.ts';
import { answerCondition } from './answers.ts';
import type { OrcContext } from './context.ts';
import { ConditionAnswer, ConditionPath, listAnswer, ServerConditionsAnswer, ServerPath } from './shapes.ts';

const read = { verb: 'get', resource: restResources.conditions } as const;
const notThere = { 404: 'There is no such server or condition.' };

const KindQuery = Struct({
  kind: Type.Optional(Text('Only the newest of this kind, in any case.', { minLength: 1, maxLength: 100 })),
});

const ListQuery = Struct({
  server: Type.Optional(Uuid('Only those of this server.')),
  kind: Type.Optional(Text('Only this kind.', { minLength: 1, maxLength: 100 })),
  state: Type.Optional(StateShape),
  facility: Type.Optional(Text('Only in this facility.')),
  controller: Type.Optional(Text('Only those of this controller.')),
  unit: Type.Optional(Uuid('Only those of this unit.')),
  history: Type.Optional(Type.Boolean({ description: 'Also those that ended long ago.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100, description: 'The most to answer.' })),
  after: Type.Optional(Text('What the part before gave as `next`.')),
});

const HistoryQuery = Struct({
  kind: Type.Optional(Text('Only this kind.', { minLength: 1, maxLength: 100 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100, description: 'The most to answer.' })),
  after: Type.Optional(Text('What the part before gave as `next`.')),
});

const ConditionList = listAnswer(ConditionRecordShape, 'ConditionList');

async function answerList({ engine }: OrcContext, query: ConditionQuery): Promise<Answer> {
  const page = await engine.list(query);
  const records = page.conditions.map((one) => showCondition(one) as JsonObject);
  return { status: 200, body: { records, next: page.next ?? null } };
}

/** Leaves out what was not given. */
function given<T extends object>(members: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  const kept = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as { [Name in keyof T]: Exclude<T[Name], undefined> };
}

/** The routes that read conditions of one server. */
export function readServerRoutes(context: OrcContext): readonly Route[] {
  const { engine } = context;
  const answerAll = async (uuid: string): Promise<Answer> => {
    const machine = await requireMachine(context, uuid);
    const outdated = await engine.outdated(machine.id);
    const records = showServerConditions(machine, await listOfServer(engine, machine.id), outdated);
    return { status: 200, body: { records: records as unknown as JsonObject } };
  };
  const route = { method: 'GET', tag: 'conditions', access: read, refusals: notThere, params: ServerPath } as const;
  return [
    defineRoute({
      ...route,
      path: '/api/v1/servers/:uuid/condition',
      operation: 'getCondition',
      summary: 'The condition of a kind: the un-finalized one, or else the newest. Without a kind, all of the server.',
      query: KindQuery,
      answers: { 200: Type.Union([ConditionAnswer, ServerConditionsAnswer]) },
      async handle({ params, query }) {
        if (query.kind === undefined) return await answerAll(params.uuid);
        const machine = await requireMachine(context, params.uuid);
        const record = await requireOfKind(engine, machine, query.kind);
        return answerCondition(machine, { record, unit: await unitOf(engine, record) });
      },
    }),
    defineRoute({
      ...route,
      path: '/api/v1/servers/:uuid/conditions',
      operation: 'listServerConditions',
      summary: 'All conditions of a server that are not history yet.',
      answers: { 200: ServerConditionsAnswer },
      handle: ({ params }) => answerAll(params.uuid),
    }),
    defineRoute({
      ...route,
      path: '/api/v1/servers/:uuid/status',
      operation: 'getServerStatus',
      summary: 'How the work on a server stands: what is not final, or else the newest unit.',
      answers: { 200: ServerConditionsAnswer },
      async handle({ params }) {
        const machine = await requireMachine(context, params.uuid);
        const current = currentConditions(await listOfServer(engine, machine.id));
        if (current.length === 0) throw new OrcError('noCondition', { what: `server ${machine.id}`, detail: '' });
        const records = showServerConditions(machine, current, await engine.outdated(machine.id));
        return { status: 200, body: { records: records as unknown as JsonObject } };
      },
    }),
    defineRoute({
      ...route,
      path: '/api/v1/servers/:uuid/conditions/history',
      operation: 'listServerHistory',
      summary: 'Everything that was ever asked for on a server, newest first; also of servers that are gone.',
      query: HistoryQuery,
      answers: { 200: ConditionList },
      handle: ({ params, query: { kind, limit, after } }) => {
        const target = targetOf(params.uuid.toLowerCase());
        const ofKind = kind === undefined ? {} : { kind: storedKind(kind) };
        return answerList(context, { target, isWithHistory: true, ...ofKind, ...given({ limit, after }) });
      },
    }),
  ];
}

/** The routes that read conditions wherever they are. */
export function readRoutes(context: OrcContext): readonly Route[] {
  const { engine } = context;
  return [
    defineRoute({
      method: 'GET',
      tag: 'conditions',
      access: { verb: 'list', resource: restResources.conditions },
      path: '/api/v1/conditions',
      operation: 'listConditions',
      summary: 'Conditions of all servers, newest first.',
      query: ListQuery,
      answers: { 200: ConditionList },
      handle({ query }) {
        const { server, state, history, kind, ...rest } = query;
        return answerList(context, {
          ...given(rest),
          ...(kind === undefined ? {} : { kind: storedKind(kind) }),
          ...(server === undefined ? {} : { target: targetOf(server.toLowerCase()) }),
          ...(state === undefined ? {} : { states: [state] }),
          ...(history === undefined ? {} : { isWithHistory: history }),
        });
      },
    }),
    defineRoute({
      method: 'GET',
      tag: 'conditions',
      access: read,
      path: '/api/v1/conditions/:id',
      operation: 'getConditionById',
      summary: 'One condition, also of the history.',
      params: ConditionPath,
      answers: { 200: ConditionAnswer },
      refusals: { 404: 'There is no such condition.' },
      async handle({ params }) {
        const record = await requireById(engine, params.id);
        return answerCondition(serverOf(record), { record, unit: await unitOf(engine, record) });
      },
    }),
  ];
}

/** The server of a condition, as far as the condition knows. */
export function serverOf(condition: { readonly target: string; readonly facility: string }) {
  return { id: condition.target.replace(/^server\//, ''), facility: condition.facility };
}
