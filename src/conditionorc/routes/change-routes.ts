import { type Static, Type } from 'typebox';
import { type Condition, type ConditionChange, type JsonObject, readCancelOutcome } from '../../engine/index.ts';
import {
  type Answer,
  AnyObject,
  type Call,
  defineRoute,
  MessageAnswer,
  type Route,
  restResources,
  Struct,
  Text,
} from '../../rest/index.ts';
import { OrcError } from '../errors.ts';
import { changeParameters } from '../orders/change-parameters.ts';
import { requireById, requireOfKind, unitOf } from '../orders/find-conditions.ts';
import { hasInlineImages, imageRight } from '../orders/inline-images.ts';
import { requireMachine } from '../orders/place-order.ts';
import { storedKind } from '../orders/shipped-kinds.ts';
import { StateShape, showCondition, showTime } from '../records/condition-record.ts';
import { answerCondition, clientOf } from './answers.ts';
import type { OrcContext } from './context.ts';
import { serverOf } from './read-routes.ts';
import { ConditionAnswer, ConditionPath, KindPath, Priority, ServerPath } from './shapes.ts';

const update = { verb: 'update', resource: restResources.conditions } as const;
const remove = { verb: 'delete', resource: restResources.conditions } as const;

const changes = {
  lock: Type.Optional(Text('The lock of the record that you saw; without the current one nothing is changed.')),
  state: Type.Optional(StateShape),
  parameters: Type.Optional(
    AnyObject(
      'New parameters, until work has begun. A firmware set is frozen as in a new order; a member that is sent back as it is shown stays as it is.',
    ),
  ),
  status: Type.Optional(AnyObject('A new status.')),
  priority: Priority,
  controller: Type.Optional(Text('Who deals with it, while nobody has leased it.')),
};

const KindName = Text('The kind of the condition; it cannot be changed.', { minLength: 1, maxLength: 100 });
const ChangeBody = Struct(
  { ...changes, kind: Type.Optional(KindName) },
  { title: 'ConditionChange', description: 'What is to be changed; other members stay as they are.' },
);
const NamedChangeBody = Struct(
  { ...changes, kind: KindName },
  { title: 'NamedConditionChange', description: 'What is to be changed in the condition of this kind.' },
);
const CancelBody = Struct(
  {
    force: Type.Optional(Type.Boolean({ default: false, description: 'Do not wait for a safe point.' })),
    insist: Type.Optional(
      Type.Boolean({ default: false, description: 'Also in the middle of a flash; the device may be unusable then.' }),
    ),
  },
  { title: 'Cancel', description: 'How to cancel.' },
);

const changeRefusals = {
  404: 'There is no such server or condition.',
  409: 'The lock is missing or not the current one, or the record allows no such change; the record is in `record`.',
};
const cancelRefusals = {
  404: 'There is no such server or condition.',
  409: 'It is in the middle of a flash, and a forced cancel has to insist.',
};
const removeRefusals = {
  404: 'There is no such server or condition.',
  409: 'It is not final; cancel it first.',
};

type Change = Static<typeof ChangeBody>;

function readChange(condition: Condition, { kind, lock, ...members }: Change): ConditionChange {
  if (kind !== undefined && storedKind(kind).toLowerCase() !== condition.kind.toLowerCase()) {
    const problems = [`its kind is ${condition.kind} and cannot be changed; ask for another condition instead`];
    throw new OrcError('badChange', { id: condition.id }, { problems });
  }
  if (lock === undefined) throw staleLock(condition, 'no lock was given');
  const kept = Object.entries(members).filter(([, value]) => value !== undefined);
  return { lock, ...(Object.fromEntries(kept) as Omit<ConditionChange, 'lock'>) };
}

function describeCancel(current: Condition): string {
  const outcome = readCancelOutcome(current);
  if (outcome === 'cancelled') return 'condition cancelled';
  if (outcome === 'stopping') return 'cancel requested: the worker stops at its next safe point';
  const at = showTime(current.finalizedAt ?? current.updatedAt);
  return `nothing to cancel: the condition ${current.state} at ${at}`;
}

function staleLock(current: Condition, given: string): OrcError {
  const { id, lock } = current;
  return new OrcError('staleLock', { id, lock, given }, { record: showCondition(current) as JsonObject });
}

/** The routes that change, cancel and delete conditions, by server and kind or by id. */
export function changeRoutes(context: OrcContext): readonly Route[] {
  const { engine } = context;
  const ofKind = async ({ uuid, kind }: { readonly uuid: string; readonly kind: string }): Promise<Condition> =>
    await requireOfKind(engine, await requireMachine(context, uuid), kind);

  const answer = async (record: Condition, message: string): Promise<Answer> =>
    answerCondition(serverOf(record), { record, unit: await unitOf(engine, record), message });

  const change = async (
    condition: Condition,
    { body, require }: Pick<Call<unknown, unknown, Change>, 'body' | 'require'>,
  ): Promise<Answer> => {
    const asked = readChange(condition, body);
    if (asked.parameters !== undefined && hasInlineImages(asked.parameters, showCondition(condition).parameters))
      await require(imageRight);
    const parameters =
      asked.parameters === undefined ? undefined : await changeParameters(context, condition, asked.parameters);
    const wanted = parameters === undefined ? asked : { ...asked, parameters };
    const { outcome, current } = await engine.change(condition.id, wanted);
    if (outcome === 'stale') throw staleLock(current, 'the lock that was given is an old one');
    return await answer(current, 'condition updated');
  };

  const cancel = async (
    condition: Condition,
    call: Pick<Call<unknown, unknown, Static<typeof CancelBody>>, 'body' | 'user'>,
  ): Promise<Answer> => {
    const by = { client: clientOf(call), isForced: call.body.force === true, doesInsist: call.body.insist === true };
    const current = await engine.cancel(condition.id, by);
    return await answer(current, describeCancel(current));
  };

  const removeOne = async (condition: Condition): Promise<Answer> => {
    await engine.remove(condition.id);
    return { status: 200, body: { message: 'condition deleted', slug: condition.id } };
  };

  const changing = { method: 'PUT', tag: 'conditions', access: update, refusals: changeRefusals } as const;
  const cancelling = { method: 'POST', tag: 'conditions', access: update, refusals: cancelRefusals } as const;
  const removing = { method: 'DELETE', tag: 'conditions', access: remove, refusals: removeRefusals } as const;
  const answers = { 200: ConditionAnswer };
  const deleted = { 200: MessageAnswer };
  return [
    defineRoute({
      ...changing,
      path: '/api/v1/servers/:uuid/condition',
      operation: 'updateCondition',
      summary: 'Changes the condition of the kind in the body, if the lock is the current one.',
      params: ServerPath,
      body: NamedChangeBody,
      answers,
      handle: async (call) => change(await ofKind({ uuid: call.params.uuid, kind: call.body.kind }), call),
    }),
    defineRoute({
      ...changing,
      path: '/api/v1/servers/:uuid/condition/:kind',
      operation: 'updateConditionOfKind',
      summary: 'Changes the condition of a kind, if the lock is the current one.',
      params: KindPath,
      body: ChangeBody,
      answers,
      handle: async (call) => change(await ofKind(call.params), call),
    }),
    defineRoute({
      ...changing,
      path: '/api/v1/conditions/:id',
      operation: 'updateConditionById',
      summary: 'Changes a condition, if the lock is the current one.',
      params: ConditionPath,
      body: ChangeBody,
      answers,
      handle: async (call) => change(await requireById(engine, call.params.id), call),
    }),
    defineRoute({
      ...cancelling,
      path: '/api/v1/servers/:uuid/condition/:kind/cancel',
      operation: 'cancelConditionOfKind',
      summary: 'Cancels the condition of a kind: what waits at once, what runs at a safe point.',
      params: KindPath,
      body: CancelBody,
      answers,
      handle: async (call) => cancel(await ofKind(call.params), call),
    }),
    defineRoute({
      ...cancelling,
      path: '/api/v1/conditions/:id/cancel',
      operation: 'cancelConditionById',
      summary: 'Cancels a condition: what waits at once, what runs at a safe point.',
      params: ConditionPath,
      body: CancelBody,
      answers,
      handle: async (call) => cancel(await requireById(engine, call.params.id), call),
    }),
    defineRoute({
      ...removing,
      path: '/api/v1/servers/:uuid/condition/:kind',
      operation: 'deleteConditionOfKind',
      summary: 'Deletes the condition of a kind, once it is final.',
      params: KindPath,
      answers: deleted,
      handle: async ({ params }) => removeOne(await ofKind(params)),
    }),
    defineRoute({
      ...removing,
      path: '/api/v1/conditions/:id',
      operation: 'deleteConditionById',
      summary: 'Deletes a condition, once it is final.',
      params: ConditionPath,
      answers: deleted,
      handle: async ({ params }) => removeOne(await requireById(engine, params.id)),
    }),
  ];
}
