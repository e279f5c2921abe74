import { type Static, Type } from 'typebox';
import {
  type Condition,
  type ConditionState,
  isFinal,
  type OutdatedMachine,
  rereadClient,
} from '../../engine/index.ts';
import { Struct, Time } from '../../rest/index.ts';
import { ConditionRecordShape, StateShape, showCondition, showTime } from './condition-record.ts';

const OutdatedShape = Struct(
  {
    since: Time('When the work ended.'),
    condition_id: Type.String({ description: 'The work that ended.' }),
    failed_reads: Type.Integer({ description: 'How many readings have failed since.' }),
    message: Type.String({ description: 'For people.' }),
  },
  {
    title: 'OutdatedInventory',
    description:
      'What the inventory has of the server is from before work on it that has ended. Missing once the server was read again.',
  },
);

/** The conditions of a server in the shape that shipped. */
export const ServerConditionsShape = Struct(
  {
    serverID: Type.String({ description: 'The id of the server.' }),
    id: Type.String({ description: 'The id of the newest unit; empty when there is none.' }),
    state: Type.Union([StateShape, Type.Literal('')], {
      description: 'How all of it stands; empty when there is nothing.',
    }),
    facility: Type.String({ description: 'Where the server is.' }),
    conditions: Type.Array(ConditionRecordShape, { description: 'In the order in which they run.' }),
    inventory_outdated: Type.Optional(OutdatedShape),
  },
  { title: 'ServerConditions', description: 'The conditions of a server.' },
);

/** The conditions of a server as they are shown. */
export type ServerConditions = Static<typeof ServerConditionsShape>;

/**
 * The state of conditions that were asked for together. One failure fails it; it has succeeded only when every one has,
 * whichever news came first; and it is active from the first that began until then.
 */
export function unitStateOf(conditions: readonly Pick<Condition, 'state'>[]): ConditionState | undefined {
  if (conditions.length === 0) return undefined;
  const has = (state: ConditionState): boolean => conditions.some((one) => one.state === state);
  if (has('failed')) return 'failed';
  if (conditions.every((one) => one.state === 'succeeded')) return 'succeeded';
  return has('active') || has('succeeded') ? 'active' : 'pending';
}

function inOrder(a: Condition, b: Condition): number {
  if (a.unit === b.unit) return a.unitIndex - b.unitIndex;
  return a.createdAt - b.createdAt || (a.unit < b.unit ? -1 : 1);
}

/** What every client of the update service is called in the engine, before its own name. */
export const updateServiceClients = 'update-service/';

/**
 * Without readings that the engine and the firmware controllers request by themselves, also right after work: how that
 * work ended is not theirs to say.
 */
function askedFor(conditions: readonly Condition[]): readonly Condition[] {
  const asked = conditions.filter(
    ({ client, kind }) =>
      client !== rereadClient && !(kind === 'inventoryOOB' && client.startsWith(updateServiceClients)),
  );
  return asked.length > 0 ? asked : conditions;
}

/** What a server's status is about: every unit that is not final yet, or the newest one when all are. */
export function currentConditions(conditions: readonly Condition[]): readonly Condition[] {
  const units = Map.groupBy(askedFor(conditions).toSorted(inOrder), (one) => one.unit);
  const open = [...units.values()].filter((unit) => unit.some((one) => !isFinal(one.state)));
  return open.length > 0 ? open.flat() : ([...units.values()].at(-1) ?? []);
}

/** Shows conditions of one server; `state` is that of all units together. */
export function showServerConditions(
  server: { readonly id: string; readonly facility: string },
  conditions: readonly Condition[],
  outdated?: OutdatedMachine,
): ServerConditions {
  const ordered = conditions.toSorted(inOrder);
  const asked = askedFor(ordered);
  const units = [...Map.groupBy(asked, (one) => one.unit).values()];
  const open = units.filter((unit) => unit.some((one) => !isFinal(one.state)));
  return {
    serverID: server.id,
    id: asked.at(-1)?.unit ?? '',
    state: unitStateOf(open.length > 0 ? open.flat() : (units.at(-1) ?? [])) ?? '',
    facility: server.facility,
    conditions: ordered.map(showCondition),
    ...(outdated === undefined ? {} : { inventory_outdated: showOutdated(outdated) }),
  };
}

function showOutdated({ since, conditionId, failures }: OutdatedMachine): Static<typeof OutdatedShape> {
  const at = showTime(since);
  const tried = failures === 0 ? '' : `; ${failures} readings failed since`;
  const message = `the inventory is from before ${conditionId}, which ended at ${at}; the server is read again${tried}`;
  return { since: at, condition_id: conditionId, failed_reads: failures, message };
}
