import { type Static, Type } from 'typebox';
import { List, MapOf, type SchemaOptions, StringEnum, Struct, Text } from '../shapes.ts';

const Requirement = Struct(
  {
    key: Text('The label key.', { minLength: 1, maxLength: 317 }),
    operator: StringEnum(['In', 'NotIn', 'Exists', 'DoesNotExist'], {
      description: 'How the label is compared with the values.',
    }),
    values: Type.Optional(
      List(Type.String({ maxLength: 63 }), {
        description: 'The values of In and NotIn; not given for Exists and DoesNotExist.',
        maxItems: 256,
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
  },
  {
    'x-kubernetes-validations': [
      {
        rule: "!(self.operator in ['In', 'NotIn']) || (has(self.values) && size(self.values) > 0)",
        message: 'values must be given when operator is In or NotIn',
        reason: 'FieldValueRequired',
        fieldPath: '.values',
      },
      {
        rule: "self.operator in ['In', 'NotIn'] || !has(self.values) || size(self.values) == 0",
        message: 'values must not be given when operator is Exists or DoesNotExist',
        reason: 'FieldValueForbidden',
        fieldPath: '.values',
      },
    ],
  },
);

/** A Kubernetes label selector; all of its requirements must hold. */
export function LabelSelector(description: string, options: SchemaOptions = {}) {
  return Struct(
    {
      matchLabels: Type.Optional(
        MapOf(Type.String({ maxLength: 63 }), {
          description: 'Labels that must have exactly these values.',
          maxProperties: 64,
        }),
      ),
      matchExpressions: Type.Optional(
        List(Requirement, {
          description: 'Requirements on label keys and values.',
          maxItems: 64,
          'x-kubernetes-list-type': 'atomic',
        }),
      ),
    },
    { description, 'x-kubernetes-map-type': 'atomic', ...options },
  );
}

/** A Kubernetes label selector. */
export type LabelSelector = Static<ReturnType<typeof LabelSelector>>;
