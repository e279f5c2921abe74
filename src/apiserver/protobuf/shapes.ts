import { readFileSync } from 'node:fs';

/** One field of a protobuf message, as far as its JSON form needs it. */
export interface FieldShape {
  /** The name in JSON. */
  readonly name: string;
  /** `string`, `bytes`, `bool`, `int32`, `int64`, `double`, or the name of a message. */
  readonly type: string;
  /** Absent: one value. `map`: from texts. `inline`: the message's fields stand among those of its parent in JSON. */
  readonly is?: 'list' | 'map' | 'inline';
  /** True when zero, false and the empty text are left out of the JSON form; Go writes them in protobuf always. */
  readonly omitsZero?: boolean;
  /** The name in Go, for error messages; absent when it is the JSON name with a capital letter. */
  readonly goName?: string;
}

/** The fields of a message by number. */
export type MessageShape = Readonly<Record<number, FieldShape>>;

/** The generated file. */
export interface ShapeFile {
  readonly kubernetes: string;
  /** Message names by `apiVersion kind`; the apiVersion `*` stands for any. */
  readonly kinds: Readonly<Record<string, string>>;
  readonly messages: Readonly<Record<string, MessageShape>>;
}

/** A field as it is used to decode: with its name in Go spelt out. */
export type DecodedField = FieldShape & { readonly goName: string };

const file = JSON.parse(readFileSync(new URL('./shapes.gen.json', import.meta.url), 'utf8')) as ShapeFile;
const messages = new Map(Object.entries(file.messages).map(([name, shape]) => [name, withGoNames(shape)]));

function withGoNames(shape: MessageShape): Readonly<Record<number, DecodedField>> {
  const entries = Object.entries(shape).map(([number, field]) => {
    const goName = field.goName ?? field.name.charAt(0).toUpperCase() + field.name.slice(1);
    return [number, { ...field, goName }];
  });
  return Object.fromEntries(entries);
}

/** The shape of a message by its name. */
export function messageShape(name: string): Readonly<Record<number, DecodedField>> {
  const shape = messages.get(name);
  if (shape === undefined) throw new Error(`shapes.gen.json has no message ${name}`);
  return shape;
}

/** The message that carries a kind; undefined for kinds that no request body may be. */
export function messageOfKind(apiVersion: string, kind: string): string | undefined {
  return kindOf(`${apiVersion} ${kind}`) ?? kindOf(`* ${kind}`);
}

/** Every `apiVersion kind` that can be decoded. */
export function protobufKinds(): string[] {
  return Object.keys(file.kinds);
}

function kindOf(key: string): string | undefined {
  return Object.hasOwn(file.kinds, key) ? file.kinds[key] : undefined;
}
