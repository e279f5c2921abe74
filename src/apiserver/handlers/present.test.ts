import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryServer, widgetOf, widgetsAt } from '../http/temporary-server.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' } };
const asList = { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' };
const asTable = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };

test('a scale that could not be shown is spoken of as one', async (t) => {
  const { request } = await temporaryServer(t);
  await request('POST', widgetsAt(), widgetOf('x', { replicas: 1 }));
  const headers = { ...asList, 'content-type': 'application/merge-patch+json' };
  const reply = await request('PATCH', `${widgetsAt('x')}/scale`, { spec: { replicas: 2 } }, headers);
  assert.equal(reply.code, 406);
  assert.match(reply.text, /not a list \(\*v1\.Scale\)/);
});

test('what could not be shown to who writes it is not written', async (t) => {
  const { request } = await temporaryServer(t);
  const changed = { ...configMap, data: { a: 'b' } };
  assert.equal((await request('POST', configMaps, configMap, asList)).code, 406);
  assert.equal((await request('POST', `${configMaps}?includeObject=All`, configMap, asTable)).code, 400);
  assert.equal((await request('GET', `${configMaps}/one`)).code, 404);
  await request('POST', configMaps, configMap);
  assert.equal((await request('POST', configMaps, configMap, asList)).code, 409);
  assert.equal((await request('PUT', `${configMaps}/one`, changed, asList)).code, 406);
  assert.equal((await request('GET', `${configMaps}/one`)).text.includes('"a":"b"'), false);
});
