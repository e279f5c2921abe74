import { type TSchema, Type } from 'typebox';
import { AnyObject, Struct, Text, Uuid } from '../../rest/index.ts';
import { ConditionRecordShape } from '../records/condition-record.ts';
import { ServerConditionsShape } from '../records/server-record.ts';

/** The path of one server. */
export const ServerPath = Struct({ uuid: Uuid('The id of the server.') });

/** The path of one kind of condition of a server. */
export const KindPath = Struct({
  uuid: Uuid('The id of the server.'),
  kind: Text('A kind of condition, in any case.', { minLength: 1, maxLength: 100 }),
});

/** The path of one condition. */
export const ConditionPath = Struct({ id: Uuid('The id of the condition.') });

/** Parameters of work, to be checked by its kind. */
export const Parameters = Type.Optional(AnyObject('Parameters; what they may be depends on the kind.'));

/** Who goes first. */
export const Priority = Type.Optional(
  Type.Integer({ minimum: -1_000_000, maximum: 1_000_000, description: 'Greater runs first; 0 unless given.' }),
);

/** How long work may take in all. */
export const DeadlineMs = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 1_000_000_000_000, description: 'Fails after so many milliseconds.' }),
);

/** The answer to somebody who asked for work, or for one condition. */
export const ConditionAnswer = Struct(
  {
    message: Type.Optional(Type.String({ description: 'What was done.' })),
    record: ConditionRecordShape,
    records: ServerConditionsShape,
  },
  { title: 'ConditionAnswer', description: 'A condition, and all that were asked for with it.' },
);

/** The answer with conditions of one server. */
export const ServerConditionsAnswer = Struct(
  { message: Type.Optional(Type.String({ description: 'What this is.' })), records: ServerConditionsShape },
  { title: 'ServerConditionsAnswer', description: 'The conditions of a server.' },
);

/** The answer with a part of a list that goes on. */
export const listAnswer = (record: TSchema, title: string) =>
  Struct(
    {
      records: Type.Array(record),
      next: Type.Union([Type.String(), Type.Null()], {
        description: 'For `after` of the next request; null at the end.',
      }),
    },
    { title, description: 'One part of a list.' },
  );
