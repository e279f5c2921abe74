import { type Static, type TSchema, Type } from 'typebox';
import { type Condition, type JsonObject, readableTarget } from '../../engine/index.ts';
import { InstallOutcomeSchema } from '../../flasher/index.ts';
import { AnyObject, Struct, Time } from '../../rest/index.ts';
import { redact } from '../../telemetry/index.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** Where a condition stands. */
export const StateShape = Type.Union(
  [Type.Literal('pending'), Type.Literal('active'), Type.Literal('failed'), Type.Literal('succeeded')],
  { description: 'Where it stands; failed and succeeded are final.' },
);

const ReasonShape = Struct(
  {
    code: Type.String({ description: 'One word for programs.' }),
    message: Type.String({ description: 'For people.' }),
    since: Time('Since when.'),
  },
  { title: 'ConditionReason', description: 'Why a condition does not go on, or how it ended.' },
);

const StatusShape = Type.Object(InstallOutcomeSchema.properties, {
  title: 'ConditionStatus',
  description:
    'What the controller tells. An install has `result`, `counts` and `skipped`; other work has members of its own.',
  additionalProperties: true,
});

const CancelShape = Struct(
  {
    at: Time('When.'),
    by: Type.String({ description: 'Who.' }),
    forced: Type.Boolean({ description: 'Without waiting for a safe point.' }),
  },
  { title: 'ConditionCancel', description: 'Somebody asked to cancel.' },
);

/** A condition as the document has it, with the members under the names that shipped beside them. */
export const ConditionRecordShape = Struct(
  {
    version: Type.Literal('1.1', { description: 'The version of this record.' }),
    id: Type.String({ description: 'Its id.' }),
    unit: Type.String({ description: 'Shared by conditions that were asked for together and run in order.' }),
    unit_index: Type.Integer({ description: 'Its place in the unit; the first is 0.' }),
    target: Type.String({ description: 'The id of the server, or what else is worked on.' }),
    kind: Type.String({ description: 'What is to be done.' }),
    state: StateShape,
    parameters: AnyObject('What was asked for, as it was frozen at creation.'),
    status: StatusShape,
    controller: orNull(Type.String({ description: 'The controller that has or had it.' })),
    lock: Type.String({ description: 'Opaque; changes with every write. A PUT has to name it.' }),
    priority: Type.Integer({ description: 'Greater runs first.' }),
    facility: Type.String({ description: 'Where it is worked on.' }),
    client: Type.String({ description: 'Who asked.' }),
    reason: orNull(ReasonShape),
    cancel: orNull(CancelShape),
    fencing_token: Type.Integer({ description: 'The token of the last lease; 0 when there was none.' }),
    leases: Type.Integer({ description: 'How often it was leased.' }),
    lease_until: orNull(Time('When the lease ends without progress.')),
    deadline: orNull(Time('When it fails if it is not final.')),
    created_at: Time('When it was created.'),
    updated_at: Time('When it was written last.'),
    finalized_at: orNull(Time('When it ended.')),
    createdAt: Time('The same as created_at.'),
    updatedAt: Time('The same as updated_at.'),
  },
  { title: 'Condition', description: 'An action to be brought to an end on a server.' },
);

/** A condition as it is shown. */
export type ConditionRecord = Static<typeof ConditionRecordShape>;

/** A time as it is shown. */
export function showTime(at: number): string {
  return new Date(at).toISOString();
}

function showOptionalTime(at: number | undefined): string | null {
  return at === undefined ? null : showTime(at);
}

/** What people see of a condition. What a worker needs to go on stays inside. */
export function showCondition(condition: Condition): ConditionRecord {
  const { id, unit, kind, state, parameters, status, lock, priority, facility, client, leases } = condition;
  return {
    version: '1.1',
    id,
    unit,
    unit_index: condition.unitIndex,
    target: readableTarget(condition),
    kind,
    state,
    // Who may see work may not see the log-ins of where its images come from.
    parameters: redact(parameters) as JsonObject,
    status: status as ConditionRecord['status'],
    controller: condition.controller ?? null,
    lock,
    priority,
    facility,
    client,
    reason: showReason(condition),
    cancel: showCancel(condition),
    fencing_token: condition.fencingToken,
    leases,
    lease_until: showOptionalTime(condition.leaseUntil),
    deadline: showOptionalTime(condition.deadline),
    created_at: showTime(condition.createdAt),
    updated_at: showTime(condition.updatedAt),
    finalized_at: showOptionalTime(condition.finalizedAt),
    createdAt: showTime(condition.createdAt),
    updatedAt: showTime(condition.updatedAt),
  };
}

function showReason({ reason }: Condition): ConditionRecord['reason'] {
  if (reason === undefined) return null;
  return { code: reason.code, message: reason.message, since: showTime(reason.since) };
}

function showCancel({ cancel }: Condition): ConditionRecord['cancel'] {
  return cancel === undefined ? null : { at: showTime(cancel.at), by: cancel.by, forced: cancel.isForced };
}
