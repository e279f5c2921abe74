import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject, type Json, type JsonObject } from '../../schema/index.ts';
import { builtinResources } from '../builtins/index.ts';
import { serveBuiltin } from '../builtins/serve-builtin.ts';
import type { ServedResource } from '../served-resource.ts';
import { decodeProtobuf } from './decode.ts';
import { goldenMessages } from './golden-messages.ts';
import { protobufKinds } from './shapes.ts';

const nothing = { apiVersion: '', kind: '' };
const served = builtinResources().map(serveBuiltin);

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

/** The object as it would be stored. */
function settled(resource: ServedResource, object: JsonObject): JsonObject {
  assert.equal(resource.compiled.decodeFault(object), undefined);
  assert.deepEqual(resource.compiled.prune(object), [], 'every field that is decoded is one of the schema');
  resource.compiled.applyDefaults(object);
  return object;
}

for (const { name, body, json } of goldenMessages()) {
  test(`${name}: what Go marshals is decoded to the JSON that Go writes`, () => {
    assert.deepEqual(withoutNulls(decoded(body)), withoutNulls(json));
  });

  const resource = served.find(({ apiVersion, kind }) => apiVersion === json.apiVersion && kind === json.kind);
  if (resource === undefined) continue;
  test(`${name}: the object to store is the same, whether it came as protobuf or as JSON`, () => {
    assert.deepEqual(settled(resource, decoded(body)), settled(resource, structuredClone(json)));
  });
}

test('every built-in kind can be sent as protobuf, and every kind that can has golden messages', () => {
  const kinds = protobufKinds();
  for (const { apiVersion, kind } of served)
    assert.ok(kinds.includes(`${apiVersion} ${kind}`), `${apiVersion} ${kind}`);
  const golden = new Set(goldenMessages().map(({ json }) => `${json.apiVersion} ${json.kind}`));
  assert.deepEqual(
    kinds.filter((kind) => !golden.has(kind.replace('*', 'v1'))),
    [],
  );
});
