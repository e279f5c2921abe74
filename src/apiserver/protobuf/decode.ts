import type { JsonObject } from '../../schema/index.ts';
import { readMessage } from './decode-message.ts';
import { messageOfKind } from './shapes.ts';
import { ProtobufFault, WireReader } from './wire-reader.ts';

/** The media type of these bodies. */
export const protobufMediaType = 'application/vnd.kubernetes.protobuf';

/** What a body says it is, or should be. */
export interface TypeName {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The object in a body, or why there is none; `type` is known when it was the object itself that could not be read. */
export type DecodedProtobuf =
  | { readonly value: JsonObject }
  | { readonly error: string; readonly type?: TypeName | undefined };

const prefix = Buffer.from('k8s\0');

/** Turns a protobuf body into what the same object would be in JSON; a body that does not say its type is of the expected one. */
export function decodeProtobuf(body: Buffer, expected: TypeName): DecodedProtobuf {
  let type: TypeName | undefined;
  try {
    const envelope = readEnvelope(body);
    type = typeOf(envelope, expected);
    return { value: readObject(envelope.raw, type) };
  } catch (error) {
    if (error instanceof ProtobufFault) return { error: error.message, type };
    throw error;
  }
}

/** A kind that no body may be is left empty: whoever asked for another one says so. */
function readObject(raw: Buffer, { apiVersion, kind }: TypeName): JsonObject {
  const object: JsonObject = { apiVersion, kind };
  const message = messageOfKind(apiVersion, kind);
  if (message !== undefined) readMessage(new WireReader(raw), message, object);
  return object;
}

interface Envelope {
  apiVersion: string;
  kind: string;
  raw: Buffer;
}

function readEnvelope(body: Buffer): Envelope {
  if (body.length === 0) throw new ProtobufFault('empty data');
  if (!body.subarray(0, prefix.length).equals(prefix)) {
    const bytes = [...prefix].join(' ');
    throw new ProtobufFault(`provided data does not appear to be a protobuf message, expected prefix [${bytes}]`);
  }
  if (body.length === prefix.length) throw new ProtobufFault('empty body');
  const envelope: Envelope = { apiVersion: '', kind: '', raw: Buffer.alloc(0) };
  const reader = new WireReader(body, prefix.length);
  while (reader.next('Unknown')) {
    if (reader.field === 1) readTypeMeta(reader.inner('TypeMeta'), envelope);
    else if (reader.field === 2) envelope.raw = reader.bytes('Raw');
    else if (reader.field === 3) reader.bytes('ContentEncoding');
    else if (reader.field === 4) reader.bytes('ContentType');
    else reader.skip();
  }
  return envelope;
}

function readTypeMeta(reader: WireReader, envelope: Envelope): void {
  while (reader.next('TypeMeta')) {
    if (reader.field === 1) envelope.apiVersion = reader.text('APIVersion');
    else if (reader.field === 2) envelope.kind = reader.text('Kind');
    else reader.skip();
  }
}

/** A version with more than one slash counts as none. */
function typeOf({ apiVersion, kind }: Envelope, expected: TypeName): TypeName {
  const isUsable = apiVersion !== '' && apiVersion.split('/').length <= 2;
  return {
    apiVersion: isUsable ? apiVersion : expected.apiVersion,
    kind: kind === '' ? expected.kind : kind,
  };
}
