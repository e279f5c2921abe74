import { type TSchema, Type } from 'typebox';

/** A text; braces and the marks of places are nothing that a name, an address or a version has. */
export const text = (description: string, pattern = '^[^{}«»\\n]*$') => Type.String({ description, pattern });

/** What names of objects look like; none when empty. */
export const objectName = '^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$';

/** What addresses of services look like; none when empty. */
export const httpUrl = '^(https?://[^{}«»\\s]+)?$';

/** The name of a Secret. */
export const secretName = (what: string) =>
  text(`a Secret in the namespace of the pods, ${what}; none when empty`, objectName);

/** The name of a ConfigMap. */
export const configMapName = (what: string) =>
  text(`a ConfigMap in the namespace of the pods, ${what}; none when empty`, objectName);

/** No other fields. */
export const closed = { additionalProperties: false };

/** An object that only Kubernetes looks into. */
export const anything = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

/** One of some words. */
export const oneOf = <const V extends readonly string[]>(values: V, description: string) =>
  Type.Unsafe<V[number]>({ type: 'string', enum: [...values], description } as TSchema);
