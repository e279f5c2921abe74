import { type Static, Type } from 'typebox';
import { ListMap, type SchemaOptions, StringEnum, Time } from './declare.ts';

/** Qualified name of a condition type: `Ready` or `example.com/Ready`. */
export const conditionTypePattern =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$';

/** One observation about an object, in the shape all of Kubernetes uses (metav1.Condition). */
export const ConditionSchema = Type.Object({
  type: Type.String({
    description: 'Name of the condition in CamelCase or in example.com/CamelCase.',
    maxLength: 316,
    pattern: conditionTypePattern,
  }),
  status: StringEnum(['True', 'False', 'Unknown'], { description: 'Whether the condition holds.' }),
  observedGeneration: Type.Optional(
    Type.Integer({ description: 'metadata.generation this was seen at.', format: 'int64', minimum: 0 } as object),
  ),
  lastTransitionTime: Time({ description: 'When the status last changed.' }),
  reason: Type.String({
    description: 'One CamelCase word for the last change, for programs.',
    minLength: 1,
    maxLength: 1024,
    pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
  }),
  message: Type.String({ description: 'What happened, for people; may be empty.', maxLength: 32768 }),
});

/** One observation about an object. */
export type Condition = Static<typeof ConditionSchema>;

/** The `status.conditions` of a kind: one entry per type, merged by type. */
export function Conditions(options: SchemaOptions = {}) {
  return ListMap(ConditionSchema, ['type'], {
    description: 'What is known about the object now, one entry per condition type.',
    maxItems: 32,
    ...options,
  });
}
