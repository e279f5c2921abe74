import {
  findDuplicateFields,
  type Json,
  type ParsedYaml,
  parseJson,
  parseJsonAsYaml,
  parseYamlStrict,
} from '../../schema/index.ts';
import { decodeProtobuf, protobufMediaType, type TypeName } from '../protobuf/index.ts';

/** A body and how it is written. */
export interface EncodedBody {
  readonly bytes: Buffer;
  readonly mediaType: string;
}

/** The value of a body, or why it has none; `type` is set when the envelope of a protobuf body could be read. */
export type ReadValue =
  | {
      readonly value: Json;
      /** Paths of fields that stand twice. */
      duplicates(): string[];
      /** The first number that no float can hold: JavaScript reads infinity and would write null. */
      overflow(): string | undefined;
    }
  | { readonly error: string; readonly type?: TypeName | undefined };

/** The media types of bodies that can be read. */
export const readableTypes: readonly string[] = ['application/json', 'application/yaml', protobufMediaType];

/** Bodies from this size on are read on another thread. */
export const heavyBytes = 64 * 1024;
/** The same for YAML, which takes a hundred times as long. */
const heavyYamlBytes = 4 * 1024;

/** Reads a body; protobuf that does not name its type is of the expected one. */
export function readValue({ bytes, mediaType }: EncodedBody, expected: TypeName): ReadValue {
  if (mediaType === protobufMediaType) {
    const decoded = decodeProtobuf(bytes, expected);
    return 'error' in decoded ? decoded : plainValue(decoded.value);
  }
  const text = bytes.toString('utf8');
  if (mediaType === 'application/yaml') return fromYaml(parseYamlStrict(text));
  const parsed = parseJson(text);
  if ('error' in parsed) return parsed;
  const { value } = parsed;
  return { value, duplicates: () => findDuplicateFields(text, value), overflow: () => overflowingNumber(text) };
}

/** Reads a body that takes no time to speak of; undefined for any other. */
export function readLightValue(body: EncodedBody, expected: TypeName): ReadValue | undefined {
  const { bytes, mediaType } = body;
  if (bytes.length >= heavyBytes) return undefined;
  if (mediaType !== 'application/yaml' || bytes.length < heavyYamlBytes) return readValue(body, expected);
  // Most YAML that programs send is JSON.
  const parsed = parseJsonAsYaml(bytes.toString('utf8'));
  return parsed === undefined ? undefined : fromYaml(parsed);
}

function fromYaml(parsed: ParsedYaml): ReadValue {
  return 'error' in parsed ? parsed : plainValue(parsed.value, parsed.duplicates);
}

/** A value without numbers that are too large. */
function plainValue(value: Json, duplicates: string[] = []): ReadValue {
  return { value, duplicates: () => duplicates, overflow: () => undefined };
}

function overflowingNumber(text: string): string | undefined {
  if (!/[eE]\+?\d{3}|(?<!\d)\d{309}/.test(text)) return undefined;
  // Token by token: a value that a later one of the same name replaces is none to JavaScript.
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g)) {
    if (!token.startsWith('"') && !Number.isFinite(Number(token))) return token;
  }
  return undefined;
}
