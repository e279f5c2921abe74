import { type Static, Type } from 'typebox';
import { ListMap, type SchemaOptions, StringEnum, Struct, Text, Time, Whole } from './shapes.ts';

/** One condition of an object, shaped like `metav1.Condition`. */
export const Condition = Struct(
  {
    type: Text('What the condition is about, in CamelCase.', {
      maxLength: 316,
      pattern:
        '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
    }),
    status: StringEnum(['True', 'False', 'Unknown'], { description: 'Whether the condition holds.' }),
    reason: Text('One CamelCase word for programs that says why the status is what it is.', {
      minLength: 1,
      maxLength: 1024,
      pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
    }),
    message: Text('A sentence for people; may be empty.', { maxLength: 32768 }),
    lastTransitionTime: Time({ description: 'When `status` last changed.' }),
    observedGeneration: Type.Optional(
      Whole('The `metadata.generation` this condition was computed from; an older one means it is out of date.', {
        format: 'int64',
        minimum: 0,
      }),
    ),
  },
  { description: 'One aspect of the current state of the object.' },
);

/** One condition of an object, shaped like `metav1.Condition`. */
export type Condition = Static<typeof Condition>;

/** The `conditions` list of a status: one entry per type. */
export function Conditions(description: string, options: SchemaOptions = {}) {
  return ListMap(Condition, ['type'], { description, maxItems: 32, ...options });
}
