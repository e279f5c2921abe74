import { type Static, Type } from 'typebox';
import {
  type Condition,
  type Engine,
  isEngineError,
  isFinal,
  type JsonObject,
  type Lease,
  type MachineRecord,
  targetOf,
  type WorkReport,
} from '../../engine/index.ts';
import {
  type Answer,
  AnyObject,
  defineRoute,
  MessageAnswer,
  type Route,
  restResources,
  Struct,
  Text,
  Uuid,
} from '../../rest/index.ts';
import { OrcError } from '../errors.ts';
import { type ConditionReader, requireOfKind } from '../orders/find-conditions.ts';
import { requireMachine } from '../orders/place-order.ts';
import { storedKind } from '../orders/shipped-kinds.ts';
import { StateShape, showTime } from '../records/condition-record.ts';
import { KindPath } from '../routes/shapes.ts';

const TaskPath = Struct({
  uuid: Uuid('The id of the server.'),
  kind: Text('A kind of condition, in any case.', { minLength: 1, maxLength: 100 }),
  condID: Uuid('The id of the condition, or of its unit.'),
});

const Task = Struct(
  {
    task_version: Type.Literal('1.0'),
    id: Type.String({ description: 'The id of the condition.' }),
    kind: Type.String(),
    state: StateShape,
    status: AnyObject('What people are told.'),
    data: AnyObject('What is needed to go on.'),
    parameters: AnyObject('What is to be done.'),
    facility_code: Type.String(),
    server: Struct({ id: Type.String() }),
    worker_id: Type.String({ description: 'Who works on it.' }),
    traceID: Type.String({ description: 'The trace that it is part of; empty where nobody traces.' }),
    spanID: Type.String({ description: 'The span that asked for it.' }),
    created_at: Type.String(),
    updated_at: Type.String(),
    completed_at: Type.Union([Type.String(), Type.Null()]),
  },
  { title: 'Task', description: 'Work as an agent on the server itself sees it.' },
);

/** Members that we do not know are left to the agents that send them. */
const News = Type.Object(
  {
    state: Type.Optional(StateShape),
    status: Type.Optional(AnyObject('What people are told.')),
    data: Type.Optional(Type.Union([AnyObject('What is needed to go on.'), Type.Null()])),
  },
  { title: 'TaskNews', description: 'How the work stands.', additionalProperties: true },
);

const refusals = {
  404: 'There is no such server, or nothing to do there.',
  409: 'Somebody else works on it, or the agent was too long silent.',
};

/** What the routes for agents are made of. */
export interface InbandParts {
  readonly engine: Pick<Engine, 'worker' | 'machines' | 'kinds'> & ConditionReader;
}

/** One agent for each server and kind: it asks for its work by server, and has no id of its own that lasts. */
function agentOf(machine: MachineRecord, kind: string): string {
  return `inband/${machine.id}/${kind}`;
}

function heldOf(condition: Condition) {
  return { conditionId: condition.id, token: condition.fencingToken };
}

function showTask(condition: Condition, machine: MachineRecord): JsonObject {
  const { id, kind, state, status, progress, parameters, facility, controller, finalizedAt } = condition;
  const [, traceID = '', spanID = ''] = condition.traceparent?.split('-') ?? [];
  return {
    task_version: '1.0',
    id,
    kind,
    state,
    status,
    data: progress,
    parameters,
    facility_code: facility,
    server: { id: machine.id },
    worker_id: controller ?? '',
    traceID,
    spanID,
    created_at: showTime(condition.createdAt),
    updated_at: showTime(condition.updatedAt),
    completed_at: finalizedAt === undefined ? null : showTime(finalizedAt),
  };
}

/** The work of an agent: what it has already, or a new lease of what waits. */
async function fetchTask({ engine }: InbandParts, machine: MachineRecord, kind: string): Promise<Condition> {
  const condition = await requireOfKind(engine, machine, kind);
  const agent = agentOf(machine, condition.kind);
  if (isFinal(condition.state))
    throw new OrcError('noCondition', { what: `server ${machine.id}`, detail: ' to work on' });
  if (condition.state === 'active') {
    if (condition.controller !== agent) throw notHeld(condition, agent);
    // Its lease is over, and the next sweep gives the work out again: to the same agent, if it asks again.
    await engine.worker.check(heldOf(condition)).catch((error: unknown) => {
      if (!isEngineError(error, 'leaseLost')) throw error;
      throw new OrcError('staleTask', { id: condition.id, detail: error.message }, { cause: error });
    });
    return condition;
  }
  const lease = await leaseFor(engine, { agent, machine, kind: condition.kind });
  if (lease !== undefined) return lease.condition;
  const why = condition.reason?.message ?? 'it is not its turn';
  throw new OrcError('noCondition', { what: `server ${machine.id}`, detail: ` to work on now: ${why}` });
}

async function leaseFor(
  { worker }: Pick<Engine, 'worker'>,
  wanted: { readonly agent: string; readonly machine: MachineRecord; readonly kind: string },
): Promise<Lease | undefined> {
  const { agent, machine, kind } = wanted;
  await worker.online({ id: agent, kinds: [kind], facilities: [machine.facility] });
  const [lease] = await worker.lease(agent, { max: 1, waitMs: 0, target: targetOf(machine.id) });
  if (lease === undefined) await worker.offline(agent);
  return lease;
}

function notHeld(condition: Condition, agent: string): OrcError {
  const { id, controller, state } = condition;
  return new OrcError('notHolder', {
    id,
    worker: agent,
    detail: `${controller ?? 'nobody'} has it, and it is ${state}`,
  });
}

/** The condition that an agent means: by its id, or by the id of its unit and its kind. */
async function findMeant(
  { engine }: InbandParts,
  machine: MachineRecord,
  meant: { readonly kind: string; readonly condID: string },
): Promise<Condition> {
  const kind = storedKind(meant.kind).toLowerCase();
  const { conditions } = await engine.list({ target: targetOf(machine.id), limit: 1000 });
  const id = meant.condID.toLowerCase();
  const found = conditions.find((one) => one.kind.toLowerCase() === kind && (one.id === id || one.unit === id));
  if (found !== undefined) return found;
  throw new OrcError('noCondition', { what: `server ${machine.id}`, detail: ` ${meant.kind} ${meant.condID}` });
}

function readNews({ state, status, data }: Static<typeof News>): WorkReport {
  return {
    ...(state === undefined || state === 'pending' ? {} : { state }),
    ...(status === undefined ? {} : { status: status as JsonObject }),
    ...(data === undefined || data === null ? {} : { progress: data as JsonObject }),
    ...(state === 'failed' ? { reason: { code: 'Failed', message: lastWord(status as JsonObject | undefined) } } : {}),
  };
}

/** Agents tell in `msg`, or in the last of `records`. */
function lastWord(status: JsonObject | undefined): string {
  const records = Array.isArray(status?.records) ? status.records : [];
  const last = records.at(-1);
  const inLast = typeof last === 'object' && last !== null && !Array.isArray(last) ? last.msg : undefined;
  const said = [status?.msg, inLast].find((one) => typeof one === 'string');
  return typeof said === 'string' ? said : 'the agent on the server gave no reason';
}

async function tell(
  parts: InbandParts,
  about: { condition: Condition; agent: string },
  report: WorkReport,
): Promise<Answer> {
  const { worker } = parts.engine;
  const { condition, agent } = about;
  const isRepeated = isFinal(condition.state) && condition.state === report.state;
  if (condition.controller !== agent || (condition.state !== 'active' && !isRepeated)) throw notHeld(condition, agent);
  const outcome = await worker.report(heldOf(condition), report);
  if (outcome.outcome === 'lost')
    throw new OrcError('notHolder', { id: condition.id, worker: agent, detail: outcome.why });
  const isOver = report.state !== undefined && isFinal(report.state);
  await (isOver ? worker.offline(agent) : worker.heartbeat(agent)).catch((error: unknown) => {
    // One that was given up as gone has its lease still; only its sign of life has nowhere to go.
    if (!isEngineError(error, 'unknownWorker')) throw error;
  });
  return { status: 200, body: { message: 'condition status updated' } };
}

/** The paths that shipped for agents that run on the server itself and reach nothing but HTTP. */
export function inbandRoutes(parts: InbandParts): readonly Route[] {
  const access = { verb: 'update', resource: restResources.workers } as const;
  const take = async (params: Static<typeof TaskPath>, report: WorkReport): Promise<Answer> => {
    const machine = await requireMachine(parts, params.uuid);
    const condition = await findMeant(parts, machine, params);
    return await tell(parts, { condition, agent: agentOf(machine, condition.kind) }, report);
  };
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/servers/:uuid/condition-task/:kind',
      operation: 'getConditionTask',
      summary: 'The work of the agent on this server: what it has, or what waits for it, which it has from then on.',
      tag: 'workers',
      access,
      params: KindPath,
      answers: { 200: Struct({ message: Type.String(), records: Task }, { title: 'TaskAnswer' }) },
      refusals: { ...refusals, 422: 'The agent was too long silent; the work is given out again soon.' },
      async handle({ params }) {
        const machine = await requireMachine(parts, params.uuid);
        const condition = await fetchTask(parts, machine, params.kind);
        return { status: 200, body: { message: 'task', records: showTask(condition, machine) } };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/servers/:uuid/condition-task/:kind/:condID',
      operation: 'publishConditionTask',
      summary: 'The agent makes its progress durable; this renews its lease.',
      tag: 'workers',
      access,
      params: TaskPath,
      body: News,
      answers: { 200: MessageAnswer },
      refusals,
      handle: ({ params, body }) => take(params, readNews(body)),
    }),
    defineRoute({
      method: 'PUT',
      path: '/api/v1/servers/:uuid/condition-status/:kind/:condID',
      operation: 'updateConditionStatus',
      summary: 'The agent tells how its work stands; this renews its lease.',
      tag: 'workers',
      access,
      params: TaskPath,
      query: Struct({ ts_update: Type.Optional(Type.Boolean({ description: 'Only that it is still at it.' })) }),
      body: News,
      answers: { 200: MessageAnswer },
      refusals,
      handle: ({ params, query, body }) => take(params, query.ts_update === true ? {} : readNews(body)),
    }),
  ];
}
