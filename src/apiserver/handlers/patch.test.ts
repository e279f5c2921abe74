import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryServer, widgetOf, widgetsAt } from '../http/temporary-server.ts';

test('a refused patch is shown with all it would have made, unknown fields too', async (t) => {
  const server = await temporaryServer(t);
  await server.request('POST', widgetsAt(), widgetOf('x', { count: 1 }));
  const reply = await server.patch(`${widgetsAt('x')}?fieldValidation=Strict`, { unknown: 1, spec: { count: 2 } });
  assert.equal(reply.code, 422);
  assert.match(reply.object.message ?? '', /strict decoding error: unknown field "unknown"/);
  assert.match(reply.object.message ?? '', /\\"count\\":2.*\\"unknown\\":1/);
  assert.deepEqual((await server.request('GET', widgetsAt('x'))).object.spec, { count: 1 });
});

const configMaps = '/api/v1/namespaces/default/configmaps';

test('a patch that takes the kind of a built-in object away changes nothing about it', async (t) => {
  const server = await temporaryServer(t);
  await server.request('POST', configMaps, { metadata: { name: 'x' } });
  for (const kind of [null, '']) {
    const reply = await server.patch(`${configMaps}/x`, { kind, data: { a: '1' } });
    assert.deepEqual([reply.code, reply.object.kind], [200, 'ConfigMap']);
  }
});

test('a patch that takes the version of a built-in object away leaves nothing that could be read', async (t) => {
  const server = await temporaryServer(t);
  await server.request('POST', configMaps, { metadata: { name: 'x' } });
  const whole = [{ op: 'replace', path: '', value: {} }];
  const replaced = await server.request('PATCH', `${configMaps}/x`, whole, {
    'content-type': 'application/json-patch+json',
  });
  for (const reply of [replaced, await server.patch(`${configMaps}/x`, { apiVersion: null, data: 5 })]) {
    assert.equal(reply.code, 400, reply.text);
    assert.match(reply.object.message ?? '', /\(x based on URL\) was undeterminable: name must be provided/);
  }
});

test('of an object without a version only metadata beside its kind is read', async (t) => {
  const server = await temporaryServer(t);
  await server.request('POST', configMaps, { metadata: { name: 'x' } });
  for (const [patch, says] of [
    [{ apiVersion: '', labels: [] }, /cannot unmarshal array into Go struct field ObjectMeta.labels/],
    [{ apiVersion: '', kind: 'Other' }, /no kind \\"Other\\" is registered for the internal version of group/],
  ] as const) {
    const reply = await server.patch(`${configMaps}/x`, patch);
    assert.equal(reply.code, 422, reply.text);
    assert.match(reply.text, says);
  }
});

test('the status of a custom resource that calls itself something else is not held to the fields of its kind', async (t) => {
  const server = await temporaryServer(t);
  await server.request('POST', widgetsAt(), widgetOf('x'));
  const path = `${widgetsAt('x')}/status?fieldValidation=Strict`;
  assert.equal((await server.patch(path, { unknown: 1 })).code, 422);
  const reply = await server.patch(path, { unknown: 1, kind: 'Other' });
  assert.deepEqual([reply.code, reply.object.unknown], [200, undefined]);
});

test('a patch that takes the kind of a custom resource away is refused', async (t) => {
  const server = await temporaryServer(t);
  await server.request('POST', widgetsAt(), widgetOf('x'));
  const reply = await server.patch(widgetsAt('x'), { kind: null });
  assert.deepEqual([reply.code, reply.object.reason], [422, 'Invalid']);
  assert.match(reply.object.message ?? '', /Object 'Kind' is missing in/);
});

test('a custom resource of another kind is refused after its name and its version were looked at', async (t) => {
  const server = await temporaryServer(t);
  await server.request('POST', widgetsAt(), widgetOf('x'));
  const other = (name: string, metadata = {}) => ({
    ...widgetOf(name),
    kind: 'Other',
    metadata: { name, ...metadata },
  });
  const put = await server.request('PUT', widgetsAt('x'), other('y'));
  const patched = await server.patch(widgetsAt('x'), { kind: 'Other', metadata: { name: 'y' } });
  assert.deepEqual([put.code, patched.code], [400, 400]);
  const stale = await server.request('PUT', widgetsAt('x'), other('x', { resourceVersion: '1' }));
  assert.equal(stale.code, 409);
  for (const reply of [
    await server.request('POST', widgetsAt(), other('z')),
    await server.patch(widgetsAt('x'), { kind: 'Other' }),
  ]) {
    assert.equal(reply.code, 422);
    assert.match(
      reply.object.message ?? '',
      /^Other\.example\.com ".*" is invalid: kind: Invalid value: "Other": must be Widget$/,
    );
  }
});

test('the status of a custom resource is written whatever kind it comes with', async (t) => {
  const server = await temporaryServer(t);
  const made = await server.request('POST', widgetsAt(), widgetOf('x'));
  const status = { ...made.object, kind: 'Other', status: { phase: 'p' } };
  const reply = await server.request('PUT', `${widgetsAt('x')}/status`, status);
  assert.deepEqual([reply.code, reply.object.kind], [200, 'Widget']);
});
