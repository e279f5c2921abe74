import type { Json, JsonObject } from '../../schema/index.ts';
import { type DecodedField, messageShape } from './shapes.ts';
import { specialReaders, unwrapped } from './special-types.ts';
import { ProtobufFault, WireReader, wireTypes } from './wire-reader.ts';

/** Messages inside messages; beyond this only schemas made to exhaust the stack go. */
const maxDepth = 500;

/**
 * Reads a message into the object that its JSON form would give. A field that stands twice is merged, as Go does:
 * the last single value holds, lists and maps grow, messages merge.
 */
export function readMessage(reader: WireReader, name: string, into: JsonObject, depth = 0): void {
  if (depth > maxDepth) throw new ProtobufFault('exceeded max depth');
  const shape = messageShape(name);
  const shortName = name.slice(name.lastIndexOf('.') + 1);
  while (reader.next(shortName)) {
    const field = shape[reader.field];
    if (field === undefined) reader.skip();
    else readField(reader, field, into, depth);
  }
}

function readField(reader: WireReader, field: DecodedField, into: JsonObject, depth: number): void {
  switch (field.is) {
    case 'inline':
      readMessage(reader.inner(field.goName), field.type, into, depth + 1);
      return;
    case 'map':
      readEntry(reader.inner(field.goName), field, childOf(into, field.name), depth);
      return;
    case 'list':
      readItems(reader, field, listOf(into, field.name), depth);
      return;
    default:
      readSingle(reader, field, into, depth);
  }
}

function readSingle(reader: WireReader, field: DecodedField, into: JsonObject, depth: number): void {
  const { name, type } = field;
  if (isPlainMessage(type)) {
    readMessage(reader.inner(field.goName), type, childOf(into, name), depth + 1);
    return;
  }
  const value = readValue(reader, field, depth);
  const isZero = value === '' || value === 0 || value === false || value === null;
  if (!isZero || field.omitsZero !== true) into[name] = value;
  else if (Object.hasOwn(into, name)) delete into[name];
}

function readItems(reader: WireReader, field: DecodedField, list: Json[], depth: number): void {
  const { type } = field;
  const isPacked = (type === 'int32' || type === 'int64') && reader.wireType === wireTypes.bytes;
  if (!isPacked) {
    list.push(readValue(reader, field, depth));
    return;
  }
  const name = field.goName;
  const packed = reader.inner(name);
  while (!packed.isAtEnd()) list.push(type === 'int32' ? packed.packedInt32() : packed.packedInt64(name));
}

/** What an entry without a value holds. */
function zeroOf(type: string): Json {
  return type === 'string' || type === 'bytes' ? '' : readInner(new WireReader(Buffer.alloc(0)), type, 0);
}

function readEntry(reader: WireReader, field: DecodedField, map: JsonObject, depth: number): void {
  let key = '';
  let value: Json | undefined;
  while (reader.next(field.goName)) {
    if (reader.field === 1) key = reader.text(field.goName);
    else if (reader.field === 2) value = readValue(reader, field, depth);
    else reader.skip();
  }
  value ??= zeroOf(field.type);
  // Plain assignment to this name would set what the object inherits from.
  if (key === '__proto__')
    Object.defineProperty(map, key, { value, enumerable: true, writable: true, configurable: true });
  else map[key] = value;
}

/** One value of the field's type, whatever the field holds of them. */
function readValue(reader: WireReader, field: DecodedField, depth: number): Json {
  const name = field.goName;
  switch (field.type) {
    case 'string':
      return reader.text(name);
    case 'bytes':
      return reader.bytes(name).toString('base64');
    case 'bool':
      return reader.bool(name);
    case 'int32':
      return reader.int32(name);
    case 'int64':
      return reader.int64(name);
    case 'double':
      return reader.double(name);
    default:
      return readInner(reader.inner(name), field.type, depth + 1);
  }
}

function readInner(reader: WireReader, type: string, depth: number): Json {
  const special = specialReaders[type];
  if (special !== undefined) return special(reader);
  const message: JsonObject = {};
  readMessage(reader, type, message, depth);
  const unwrap = unwrapped[type];
  return unwrap === undefined ? message : unwrap(message);
}

function isPlainMessage(type: string): boolean {
  return type.includes('.') && specialReaders[type] === undefined && unwrapped[type] === undefined;
}

function childOf(into: JsonObject, name: string): JsonObject {
  const present = into[name];
  if (present !== undefined) return present as JsonObject;
  const child: JsonObject = {};
  into[name] = child;
  return child;
}

function listOf(into: JsonObject, name: string): Json[] {
  const present = into[name];
  if (present !== undefined) return present as Json[];
  const list: Json[] = [];
  into[name] = list;
  return list;
}
