import { isJsonObject, type Json, type JsonObject, parseJson } from '../../schema/index.ts';
import { ProtobufFault, type WireReader } from './wire-reader.ts';

/** Types whose JSON form has nothing in common with their message. */
export const specialReaders: Readonly<Record<string, (reader: WireReader) => Json>> = {
  'meta.v1.Time': (reader) => timeText(reader, ({ seconds }) => `${wholeSeconds(seconds)}Z`),
  'meta.v1.MicroTime': (reader) => timeText(reader, microTime),
  'api.resource.Quantity': readQuantity,
  'util.intstr.IntOrString': readIntOrString,
  'meta.v1.FieldsV1': (reader) => readRawJson(reader, 'FieldsV1'),
  'apiextensions.v1.JSON': (reader) => readRawJson(reader, 'JSON'),
};

/** Types that are messages only because protobuf needs one around a list or an either-or. */
export const unwrapped: Readonly<Record<string, (message: JsonObject) => Json>> = {
  'authentication.v1.ExtraValue': ({ items }) => items ?? [],
  'authorization.v1.ExtraValue': ({ items }) => items ?? [],
  'apiextensions.v1.JSONSchemaPropsOrArray': ({ schema, jSONSchemas }) => jSONSchemas ?? schema ?? null,
  'apiextensions.v1.JSONSchemaPropsOrBool': ({ schema, allows }) => schema ?? allows ?? false,
  'apiextensions.v1.JSONSchemaPropsOrStringArray': ({ schema, property }) => property ?? schema ?? null,
};

interface Timestamp {
  seconds: number;
  nanos: number;
}

// The first second of year 1, which is no time at all in Go, and the bounds of what RFC 3339 can write.
const zeroTime = -62_135_596_800;
const firstSecond = -62_167_219_200;
const lastSecond = 253_402_300_799;

function timeText(reader: WireReader, write: (time: Timestamp) => string): string | null {
  if (reader.isAtEnd()) return null;
  const time: Timestamp = { seconds: 0, nanos: 0 };
  while (reader.next('Timestamp')) {
    if (reader.field === 1) time.seconds = reader.int64('Seconds');
    else if (reader.field === 2) time.nanos = reader.int32('Nanos');
    else reader.skip();
  }
  return time.seconds === zeroTime ? null : write(time);
}

function wholeSeconds(seconds: number): string {
  if (seconds < firstSecond || seconds > lastSecond) {
    throw new ProtobufFault(`time ${seconds} is outside of the years 0 to 9999`);
  }
  return new Date(seconds * 1000).toISOString().slice(0, 19);
}

function microTime({ seconds, nanos }: Timestamp): string {
  const micros = Math.trunc(nanos / 1000);
  const carried = Math.floor(micros / 1_000_000);
  const fraction = micros - carried * 1_000_000;
  return `${wholeSeconds(seconds + carried)}.${String(fraction).padStart(6, '0')}Z`;
}

// Digits end where letters or a sign begin, so that a long row of them is read once.
const quantityPattern = /^[+-]?[0-9.]+(?:[eEinumkKMGTP]+[-+]?[0-9]*|[-+][0-9]*)?$/;

function readQuantity(reader: WireReader): string {
  let text = '0';
  while (reader.next('Quantity')) {
    if (reader.field === 1) text = reader.text('String_');
    else reader.skip();
  }
  if (quantityPattern.test(text)) return text;
  throw new ProtobufFault(
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  );
}

function readIntOrString(reader: WireReader): number | string {
  let type = 0;
  let number = 0;
  let text = '';
  while (reader.next('IntOrString')) {
    if (reader.field === 1) type = reader.int64('Type');
    else if (reader.field === 2) number = reader.int32('IntVal');
    else if (reader.field === 3) text = reader.text('StrVal');
    else reader.skip();
  }
  if (type !== 0 && type !== 1) throw new ProtobufFault('impossible IntOrString.Type');
  return type === 0 ? number : text;
}

function readRawJson(reader: WireReader, message: string): Json {
  let text = '';
  while (reader.next(message)) {
    if (reader.field === 1) text = reader.text('Raw');
    else reader.skip();
  }
  if (text === '') return null;
  const parsed = parseJson(text);
  if ('error' in parsed) throw new ProtobufFault(parsed.error);
  // Rarely looked for, because it takes a long text to say a number that no float can hold.
  if (/[eE]\+?\d{3}|\d{309}/.test(text) && hasInfinity(parsed.value)) {
    throw new ProtobufFault('json: cannot unmarshal number into Go value of type float64');
  }
  return parsed.value;
}

function hasInfinity(value: Json): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (Array.isArray(value)) return value.some(hasInfinity);
  return isJsonObject(value) && Object.values(value).some((each) => hasInfinity(each ?? null));
}
