import { type Static, Type } from 'typebox';
import { Struct, Text } from './shapes.ts';

/** A core/v1 ObjectReference, as BareMetalHost and Machine carry it. */
export const ObjectReference = Struct(
  {
    apiVersion: Type.Optional(Text('API version of the object.')),
    kind: Type.Optional(Text('Kind of the object.')),
    name: Type.Optional(Text('Name of the object.')),
    namespace: Type.Optional(Text('Namespace of the object.')),
    uid: Type.Optional(Text('UID of the object.')),
    resourceVersion: Type.Optional(Text('The one resourceVersion meant, if any.')),
    fieldPath: Type.Optional(Text('The part of the object meant, such as `spec.containers[2]`.')),
  },
  { 'x-kubernetes-map-type': 'atomic' },
);

/** A core/v1 ObjectReference. */
export type ObjectReference = Static<typeof ObjectReference>;

/** A core/v1 SecretReference. */
export const SecretReference = Struct(
  {
    name: Type.Optional(Text('Name of the Secret.')),
    namespace: Type.Optional(Text('Namespace of the Secret.')),
  },
  { 'x-kubernetes-map-type': 'atomic' },
);

/** A core/v1 SecretReference. */
export type SecretReference = Static<typeof SecretReference>;
