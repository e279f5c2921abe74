import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '../../schema/index.ts';
import { goldenMessages } from '../protobuf/golden-messages.ts';
import { envelope, field, named, numberField } from '../protobuf/wire-writer.ts';
import { type TemporaryServer, type TestReply, temporaryServer, widgetOf, widgetsAt } from './temporary-server.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const protobuf = 'application/vnd.kubernetes.protobuf';
const noTime = { core: { now: () => new Date(0), newUid: () => 'uid' } };

async function send(server: TemporaryServer, method: string, path: string, body: Buffer) {
  const headers = { 'content-type': protobuf, accept: `${protobuf},application/json` };
  const answer = await fetch(server.url + path, { method, headers, body: new Uint8Array(body) });
  return {
    code: answer.status,
    type: answer.headers.get('content-type'),
    object: (await answer.json()) as TestReply['object'],
  };
}

function data(key: string, value: string): Buffer {
  return field(2, field(1, key), field(2, value));
}

/** The empty object of a kind as Go marshals it: full of zero values. */
function emptyOf(kind: string): Buffer {
  const found = goldenMessages().find(({ name }) => name === `${kind}, empty`);
  if (found === undefined) assert.fail(kind);
  return found.body;
}

test('an object created in protobuf is stored as the same one created in JSON, and is answered in JSON', async (t) => {
  const [one, other] = [await temporaryServer(t, noTime), await temporaryServer(t, noTime)];
  const empty = [numberField(7, 0), field(4, ''), field(5, '')];
  const metadata = field(1, field(1, 'x'), field(2, ''), ...empty, field(8));
  const sent = await send(one, 'POST', configMaps, envelope('v1', 'ConfigMap', metadata, data('k', 'v')));
  assert.deepEqual([sent.code, sent.type], [201, 'application/json']);
  const json = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { k: 'v' } };
  assert.deepEqual(sent.object, (await other.request('POST', configMaps, json)).object);
  assert.equal(sent.object.metadata.managedFields?.length, 1);
});

test('a Go client may create objects full of zero values: none of them is stored', async (t) => {
  const [one, other] = [await temporaryServer(t, noTime), await temporaryServer(t, noTime)];
  const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
  const body = Buffer.concat([emptyOf('coordination.k8s.io/v1 Lease'), field(2, named('zero'))]);
  const sent = await send(one, 'POST', path, body);
  const json = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'zero' }, spec: {} };
  assert.deepEqual(sent.object, (await other.request('POST', path, json)).object);
});

test('updates and deletes take protobuf too', async (t) => {
  const server = await temporaryServer(t);
  await send(server, 'POST', configMaps, envelope('v1', 'ConfigMap', named('x'), data('k', '1')));
  const updated = await send(server, 'PUT', `${configMaps}/x`, envelope('v1', 'ConfigMap', named('x'), data('k', '2')));
  assert.deepEqual([updated.code, (updated.object as JsonObject).data], [200, { k: '2' }]);
  const wrongUid = envelope('v1', 'DeleteOptions', field(2, field(1, 'abc')));
  assert.equal((await send(server, 'DELETE', `${configMaps}/x`, wrongUid)).code, 409);
  const dryRun = envelope('batch/v1', 'DeleteOptions', field(5, 'All'));
  assert.equal((await send(server, 'DELETE', `${configMaps}/x`, dryRun)).code, 200);
  assert.equal((await send(server, 'DELETE', `${configMaps}/x`, envelope('', '', numberField(1, 0)))).code, 200);
  assert.equal((await server.request('GET', `${configMaps}/x`)).code, 404);
});

async function refused(t: TestContext, body: Buffer, message: string): Promise<void> {
  const server = await temporaryServer(t);
  const { code, object } = await send(server, 'POST', configMaps, body);
  assert.deepEqual([code, object.reason, object.message], [400, 'BadRequest', message]);
  assert.deepEqual((await server.request('GET', configMaps)).object.items, []);
  assert.deepEqual(server.faults, []);
}

test('bytes that are no message are refused with the bytes', (t) =>
  refused(
    t,
    Buffer.from('k8s\0'),
    'the object provided is unrecognized (must be of type ConfigMap): empty body (6b387300)',
  ));

test('a message that cannot be read is refused with its type', (t) =>
  refused(
    t,
    envelope('v1', 'ConfigMap', numberField(1, 5)),
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: proto: wrong wireType = 0 for field ObjectMeta',
  ));

test('a message of another kind is refused', (t) =>
  refused(
    t,
    envelope('v1', 'Secret', named('x')),
    'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
  ));

test('custom resources cannot be sent in protobuf, their deletion can', async (t) => {
  const server = await temporaryServer(t);
  const created = await send(server, 'POST', widgetsAt(), envelope('example.com/v1', 'Widget', named('x')));
  assert.deepEqual([created.code, created.object.reason], [415, 'UnsupportedMediaType']);
  await server.request('POST', widgetsAt(), widgetOf('x'));
  assert.equal((await send(server, 'DELETE', widgetsAt('x'), envelope('v1', 'DeleteOptions'))).code, 200);
});
