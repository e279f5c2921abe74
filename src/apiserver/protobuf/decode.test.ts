import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isJsonObject, type Json, type JsonObject } from '../../schema/index.ts';
import { decodeProtobuf } from './decode.ts';

interface Golden {
  readonly protobuf: string;
  readonly json: JsonObject;
}

const file = new URL('./golden-messages.gen.json', import.meta.url);
const golden = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Golden>;
const nothing = { apiVersion: '', kind: '' };

function decoded(body: Buffer): JsonObject {
  const result = decodeProtobuf(body, nothing);
  if ('error' in result) assert.fail(result.error);
  return result.value;
}

/** Go writes null for a list that is not there; on the wire there is nothing. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(kept.map(([key, each]) => [key, withoutNulls(each ?? null)]));
}

for (const [name, { protobuf, json }] of Object.entries(golden)) {
  test(`${name}: what Go marshals is decoded to the JSON that Go writes`, () => {
    assert.deepEqual(withoutNulls(decoded(Buffer.from(protobuf, 'base64'))), withoutNulls(json));
  });
}
