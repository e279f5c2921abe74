import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TemporaryServer, temporaryServer, widgetOf, widgetsAt } from '../http/temporary-server.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const asTable = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
const merge = { 'content-type': 'application/merge-patch+json' };
const apply = { 'content-type': 'application/apply-patch+yaml' };

interface Try {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly code: number;
  readonly says: RegExp;
}

async function expectAll(server: TemporaryServer, tries: readonly Try[]): Promise<void> {
  for (const { method, path, body, headers, code, says } of tries) {
    const reply = await server.request(method, path, body, headers);
    assert.equal(reply.code, code, `${method} ${path}: ${reply.text}`);
    assert.match(reply.text, says, `${method} ${path}`);
  }
  assert.deepEqual(server.faults, []);
}

test('everything that is wrong with the options of a write is said at once', async (t) => {
  const server = await temporaryServer(t);
  const object = { metadata: { name: 'x' } };
  const both = /"field":"fieldManager".*"field":"fieldValidation"/;
  await expectAll(server, [
    { method: 'PATCH', path: `${configMaps}/x?fieldValidation=y`, body: object, headers: apply, code: 422, says: both },
    {
      method: 'PATCH',
      path: `${configMaps}/x?force=1&dryRun=y&fieldValidation=y`,
      body: object,
      headers: merge,
      code: 422,
      says: /"field":"force".*"field":"dryRun".*"field":"fieldValidation"/,
    },
    { method: 'POST', path: `${configMaps}?fieldManager=%00&fieldValidation=y`, body: object, code: 422, says: both },
  ]);
});

test('selectors that cannot be read come first, then options, then fields that cannot be selected', async (t) => {
  const server = await temporaryServer(t);
  const options = 'sendInitialEvents=1';
  const watching = 'watch=1&resourceVersionMatch=y&resourceVersion=z';
  const says = { syntax: /can't understand 'a'/, options: /is invalid: /, field: /is not a known field selector/ };
  const ways: [method: string, query: string][] = [
    ['GET', options],
    ['DELETE', options],
    ['GET', watching],
  ];
  await expectAll(
    server,
    ways.flatMap(([method, query]): Try[] => [
      { method, path: `${configMaps}?fieldSelector=a&${query}`, code: 400, says: says.syntax },
      { method, path: `${configMaps}?fieldSelector=!a%3D&${query}`, code: 422, says: says.options },
      { method, path: `${configMaps}?fieldSelector=!a%3D`, code: 400, says: says.field },
    ]),
  );
  const watched = { method: 'DELETE', path: `${configMaps}?watch=1&continue=y`, code: 422 };
  await expectAll(server, [{ ...watched, says: /resourceVersionMatch is forbidden when continue is provided/ }]);
});

test('a delete is read whole before its name is looked at', async (t) => {
  const server = await temporaryServer(t);
  const path = `${configMaps}/a%25b`;
  const headers = { 'content-type': 'text/plain' };
  await expectAll(server, [
    { method: 'DELETE', path, body: '{}', headers, code: 415, says: /unknown format/ },
    { method: 'DELETE', path: `${path}?dryRun=y`, code: 422, says: /dryRun/ },
    { method: 'DELETE', path, code: 400, says: /may not contain '%'/ },
  ]);
});

test('an empty version asks nothing of what is deleted', async (t) => {
  const server = await temporaryServer(t);
  await server.request('POST', configMaps, { metadata: { name: 'x' } });
  assert.equal((await server.request('DELETE', `${configMaps}/x?resourceVersion=7`)).code, 409);
  assert.equal((await server.request('DELETE', `${configMaps}?resourceVersion=&uid=`)).code, 200);
  assert.equal((await server.request('GET', `${configMaps}/x`)).code, 404);
});

test('a new object may carry a version that is none, or be tried with one, and is validated first', async (t) => {
  const server = await temporaryServer(t);
  const sent = (name: string, resourceVersion: string) => ({ metadata: { name, resourceVersion } });
  const refused = /resourceVersion should not be set on objects to be created/;
  await expectAll(server, [
    { method: 'POST', path: configMaps, body: sent('x', '5'), code: 500, says: refused },
    { method: 'POST', path: configMaps, body: sent('X', '5'), code: 422, says: /metadata.name/ },
    { method: 'POST', path: `${configMaps}?dryRun=All`, body: sent('x', '5'), code: 201, says: /"name":"x"/ },
    { method: 'GET', path: `${configMaps}/x`, code: 404, says: /not found/ },
    { method: 'POST', path: configMaps, body: sent('x', 'none'), code: 201, says: /"resourceVersion":"\d+"/ },
    { method: 'POST', path: configMaps, body: sent('x', 'none'), code: 409, says: /already exists/ },
    { method: 'POST', path: configMaps, body: sent('y', '0'), code: 201, says: /"resourceVersion":"\d+"/ },
  ]);
});

test('rows of a table that cannot be made are told before anything is watched or deleted', async (t) => {
  const server = await temporaryServer(t);
  await server.request('POST', configMaps, { metadata: { name: 'x' } });
  const query = 'includeObject=All';
  const refused = { headers: asTable, code: 400, says: /Unable to convert to Table as requested: includeObject/ };
  await expectAll(server, [
    { method: 'GET', path: `${configMaps}?watch=1&${query}`, ...refused },
    { method: 'DELETE', path: `${configMaps}/x?${query}`, ...refused },
    { method: 'DELETE', path: `${configMaps}?${query}`, ...refused },
    { method: 'DELETE', path: `${configMaps}/y?${query}`, headers: asTable, code: 404, says: /not found/ },
    { method: 'GET', path: `${configMaps}/x`, code: 200, says: /"x"/ },
  ]);
});

test('a part of an object that is not there is not found, whatever is sent to it', async (t) => {
  const server = await temporaryServer(t);
  const missing = { method: 'PATCH', code: 404, says: /not found/ };
  await expectAll(server, [
    { ...missing, path: `${widgetsAt('x')}/status?fieldManager=a`, body: '{"kind":"?"}', headers: apply },
    { ...missing, path: `${widgetsAt('x')}/scale?fieldManager=a`, body: widgetOf('x'), headers: apply },
    { ...missing, path: `${widgetsAt('x')}/scale`, body: 'no JSON', headers: merge },
  ]);
  await server.request('POST', widgetsAt(), widgetOf('x', { replicas: 1 }));
  const found = { method: 'PATCH', path: `${widgetsAt('x')}/scale`, headers: merge };
  await expectAll(server, [
    { ...found, body: 'no JSON', code: 400, says: /error decoding patch/ },
    { ...found, body: { status: 1.5 }, code: 422, says: /is no Scale/ },
    { ...found, body: { spec: { replicas: 2 } }, code: 200, says: /"replicas":2/ },
  ]);
});

test('who manages fields is not for an apply to say, even one that does not fit; what cannot be read says nothing', async (t) => {
  const server = await temporaryServer(t);
  const path = `${configMaps}/x?fieldManager=a`;
  const sent = (managedFields: unknown) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'x', managedFields },
    spec: {},
  });
  const applied = { method: 'PATCH', path, headers: apply };
  await expectAll(server, [
    { ...applied, body: sent([]), code: 400, says: /metadata.managedFields must be nil/ },
    { ...applied, body: sent([{ manager: 'b' }]), code: 400, says: /metadata.managedFields must be nil/ },
    { ...applied, body: sent([{ manager: 5 }]), code: 500, says: /failed to create typed patch object/ },
  ]);
});

test('a custom resource whose patch takes its version away, or changes it, is refused after its name', async (t) => {
  const server = await temporaryServer(t);
  await server.request('POST', widgetsAt(), widgetOf('x'));
  const patch = { method: 'PATCH', path: widgetsAt('x'), headers: merge };
  const missing = { code: 500, says: /Object 'apiVersion' is missing/ };
  await expectAll(server, [
    { ...patch, body: { apiVersion: null }, ...missing },
    { ...patch, path: `${widgetsAt('x')}/status`, body: { apiVersion: '' }, ...missing },
    { ...patch, body: { apiVersion: null, metadata: { name: 'y' } }, code: 400, says: /does not match the name/ },
    {
      ...patch,
      body: { apiVersion: 'other/v1', kind: 'Other' },
      code: 422,
      says: /Other\.other \\"x\\" is invalid: \[kind: .*must be Widget, apiVersion: .*must be example.com\/v1\]/,
    },
    {
      ...patch,
      path: `${widgetsAt('x')}/status`,
      body: { apiVersion: 'other/v1' },
      code: 200,
      says: /example.com\/v1/,
    },
    { ...patch, path: `${widgetsAt('x')}/status`, body: { kind: null }, code: 422, says: /'Kind' is missing/ },
  ]);
});

test('the form of a patch is looked at before the form of its answer', async (t) => {
  const server = await temporaryServer(t);
  const headers = { accept: 'image/png', 'content-type': 'application/json' };
  for (const path of [`${configMaps}/x`, widgetsAt('x'), `${widgetsAt('x')}/scale`]) {
    assert.equal((await server.request('PATCH', path, '{}', headers)).code, 415, path);
    assert.equal((await server.request('PATCH', path, '{}', { ...headers, ...merge })).code, 406, path);
  }
  assert.equal((await server.request('PATCH', widgetsAt(), '{}', headers)).code, 415);
  assert.equal((await server.request('PATCH', widgetsAt(), '{}', { ...headers, ...merge })).code, 400);
});

test('a part of an object is not asked for in ways that it does not know, whatever the form of the answer', async (t) => {
  const server = await temporaryServer(t);
  const headers = { accept: 'image/png' };
  for (const [method, part] of [
    ['OPTIONS', 'scale'],
    ['POST', 'status'],
    ['DELETE', 'scale'],
  ] as const) {
    assert.equal((await server.request(method, `${widgetsAt('x')}/${part}`, undefined, headers)).code, 405, method);
  }
});

test('options of a list of custom resources are looked at before the form of its answer', async (t) => {
  const server = await temporaryServer(t);
  const headers = { accept: 'image/png' };
  const codes = async (path: string, method = 'GET') => (await server.request(method, path, undefined, headers)).code;
  for (const method of ['GET', 'HEAD']) {
    assert.equal(await codes(`${widgetsAt()}?limit=x`, method), 400);
    assert.equal(await codes(`${widgetsAt()}?fieldSelector=a`, method), 400);
    assert.equal(await codes(`${widgetsAt()}?sendInitialEvents=1`, method), 422);
  }
  assert.equal(await codes(`${widgetsAt()}?limit=1`), 406);
  const yaml = await fetch(`${server.url}${widgetsAt()}?limit=x`, { headers: { accept: 'application/yaml' } });
  assert.equal(yaml.headers.get('content-type'), 'application/yaml');
  assert.equal(await codes(`${configMaps}?limit=x`), 406);
});

test('a number that no float can hold is refused even where another value follows it', async (t) => {
  const server = await temporaryServer(t);
  const type = '"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"x"}';
  const reply = await server.request('POST', widgetsAt(), `{${type},"spec":{"body":"1e999","free":{"a":1e400,"a":1}}}`);
  assert.equal(reply.code, 400);
  assert.match(reply.text, /cannot unmarshal number 1e400 into Go value of type float64/);
  assert.equal((await server.request('POST', widgetsAt(), `{${type},"spec":{"body":"1e999"}}`)).code, 201);
});

test('HEAD of a watch is answered as the watch would be, without any of it', async (t) => {
  const server = await temporaryServer(t);
  const codes = async (path: string) => (await server.request('HEAD', path)).code;
  assert.equal(await codes(`${widgetsAt()}?watch=1`), 200);
  assert.equal(await codes(`${widgetsAt()}?watch=1&fieldSelector=a`), 400);
  assert.equal(await codes(`${configMaps}?watch=1`), 405);
});

test('an empty part of a path is a part', async (t) => {
  const server = await temporaryServer(t);
  await server.request('POST', configMaps, { metadata: { name: 'x' } });
  await server.request('POST', widgetsAt(), widgetOf('x'));
  for (const path of [`${configMaps}//x`, '/api/v1//namespaces', widgetsAt('/x')]) {
    assert.equal((await server.request('GET', path)).code, 404, path);
  }
  assert.equal((await server.request('GET', `${configMaps}/x/`)).code, 200);
});
