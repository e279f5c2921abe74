import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../schema/index.ts';
import { temporaryServer, widgetOf, widgetsAt } from '../http/temporary-server.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const apply = { 'content-type': 'application/apply-patch+yaml' };
const merge = { 'content-type': 'application/merge-patch+json' };

test('a dry run answers as the write would, and stores nothing', async (t) => {
  const server = await temporaryServer(t);
  const made = await server.request('POST', widgetsAt(), widgetOf('x', { count: 1, replicas: 1 }));
  const before = [server.store.revision(), (await server.request('GET', widgetsAt())).text];
  const changed = { ...made.object, spec: { count: 2 } };
  const writes: [string, string, unknown, Record<string, string>?][] = [
    ['POST', widgetsAt(), widgetOf('y')],
    ['POST', widgetsAt(), { ...widgetOf(''), metadata: { generateName: 'y-' } }],
    ['PUT', widgetsAt('x'), changed],
    ['PATCH', widgetsAt('x'), { spec: { count: 3 } }, merge],
    ['PATCH', `${widgetsAt('x')}/status`, { status: { phase: 'p' } }, merge],
    ['PATCH', `${widgetsAt('x')}/scale`, { spec: { replicas: 5 } }, merge],
    ['PATCH', `${widgetsAt('x')}?fieldManager=a&force=1`, widgetOf('x', { count: 4 }), apply],
    ['PATCH', `${widgetsAt('z')}?fieldManager=a`, widgetOf('z', { count: 4 }), apply],
    ['DELETE', widgetsAt('x'), undefined],
    ['DELETE', widgetsAt(), undefined],
    ['DELETE', widgetsAt('x'), { dryRun: ['All'] }],
  ];
  for (const [method, path, body, headers] of writes) {
    const query = `${path.includes('?') ? '&' : '?'}dryRun=All`;
    const reply = await server.request(method, path + query, body, headers);
    assert.ok(reply.code < 300, `${method} ${path}: ${reply.text}`);
    assert.deepEqual(
      [server.store.revision(), (await server.request('GET', widgetsAt())).text],
      before,
      `${method} ${path}`,
    );
  }
  const patched = await server.request('PATCH', `${widgetsAt('x')}?dryRun=All`, { spec: { count: 9 } }, merge);
  assert.deepEqual(patched.object.spec, { count: 9, replicas: 1 });
  const taken = await server.request('POST', `${widgetsAt()}?dryRun=All`, widgetOf('x'));
  assert.equal(taken.code, 409);
});

test('a write that changes nothing leaves the version as it is', async (t) => {
  const server = await temporaryServer(t);
  const made = await server.request('POST', widgetsAt(), widgetOf('x', { count: 1, replicas: 1 }));
  await server.patch(`${widgetsAt('x')}/status`, { status: { phase: 'p' } });
  await server.request('PATCH', `${widgetsAt('x')}?fieldManager=a&force=1`, widgetOf('x', { count: 1 }), apply);
  const current = await server.request('GET', widgetsAt('x'));
  const { resourceVersion } = current.object.metadata;
  const same: [string, string, unknown, Record<string, string>?][] = [
    ['PUT', widgetsAt('x'), current.object],
    ['PUT', `${widgetsAt('x')}/status`, current.object],
    ['PATCH', widgetsAt('x'), {}, merge],
    ['PATCH', widgetsAt('x'), { spec: { count: 1 } }, merge],
    ['PATCH', widgetsAt('x'), { metadata: { labels: { none: null } } }, merge],
    ['PATCH', `${widgetsAt('x')}/status`, { status: { phase: 'p' } }, merge],
    ['PATCH', `${widgetsAt('x')}/scale`, { spec: { replicas: 1 } }, merge],
    ['PATCH', `${widgetsAt('x')}?fieldManager=a`, widgetOf('x', { count: 1 }), apply],
  ];
  for (const [method, path, body, headers] of same) {
    const reply = await server.request(method, path, body, headers);
    assert.equal(reply.code, 200, reply.text);
    assert.equal(reply.object.metadata.resourceVersion, resourceVersion, `${method} ${path} ${JSON.stringify(body)}`);
  }
  assert.equal(server.store.revision(), Number(resourceVersion));
  assert.notEqual(resourceVersion, made.object.metadata.resourceVersion);
});

test('a generated name that is taken is generated again, a few times', async (t) => {
  const suffixes = ['aaaaa', 'aaaaa', 'aaaaa', 'bbbbb'];
  let asked = 0;
  const newSuffix = (): string => suffixes[asked++] ?? 'aaaaa';
  const server = await temporaryServer(t, { core: { newSuffix } });
  const named: JsonObject = { ...widgetOf(''), metadata: { generateName: 'x-' } };
  const names = [await server.request('POST', widgetsAt(), named), await server.request('POST', widgetsAt(), named)];
  assert.deepEqual(
    names.map((reply) => reply.object.metadata.name),
    ['x-aaaaa', 'x-bbbbb'],
  );
  const taken = await server.request('POST', widgetsAt(), named);
  assert.deepEqual([taken.code, taken.object.reason], [409, 'AlreadyExists']);
  assert.equal(asked, suffixes.length + 8);
});

test('a long prefix is cut so that the generated name fits', async (t) => {
  const server = await temporaryServer(t, { core: { newSuffix: () => 'ccccc' } });
  const body: JsonObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'y'.repeat(100) } };
  const reply = await server.request('POST', configMaps, body);
  assert.equal(reply.object.metadata.name, `${'y'.repeat(58)}ccccc`);
});

test('keys that mean something to JavaScript are data like any other', async (t) => {
  const server = await temporaryServer(t);
  const spec = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":1}';
  const text = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"x","annotations":{"constructor":"a","toString":"b"}},"spec":${spec}}`;
  const created = await server.request('POST', widgetsAt(), text);
  assert.equal(created.code, 201, created.text);
  await server.request('PATCH', widgetsAt('x'), '{"spec":{"__proto__":{"more":1}}}', merge);
  const json = { 'content-type': 'application/json-patch+json' };
  await server.request('PATCH', widgetsAt('x'), '[{"op":"add","path":"/spec/__proto__/most","value":2}]', json);
  await server.request(
    'PATCH',
    `${widgetsAt('x')}?fieldManager=a&force=1`,
    text.replace('"toString":1', '"valueOf":3'),
    apply,
  );
  const { text: stored } = await server.request('GET', widgetsAt('x'));
  assert.match(stored, /"__proto__":\{"polluted":true,"more":1,"most":2\}/);
  assert.match(stored, /"constructor":\{"prototype":\{"polluted":true\}\}/);
  assert.match(stored, /"valueOf":3/);
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  assert.deepEqual(server.faults, []);
});

test('a generation below zero is refused where the server does not count it', async (t) => {
  const server = await temporaryServer(t);
  const reply = await server.request('POST', configMaps, { metadata: { name: 'x', generation: -1 } });
  assert.equal(reply.code, 422);
  assert.match(reply.text, /metadata.generation: Invalid value: -1: must be greater than or equal to 0/);
  const counted = await server.request('POST', widgetsAt(), {
    ...widgetOf('x'),
    metadata: { name: 'x', generation: -1 },
  });
  assert.deepEqual([counted.code, counted.object.metadata.generation], [201, 1]);
});

test('owners that cannot be read are as good as none', async (t) => {
  const server = await temporaryServer(t);
  const sent = (name: string, fieldsV1: unknown) => ({ metadata: { name, managedFields: [{ fieldsV1 }] } });
  for (const [path, body] of [
    [configMaps, sent('x', 'a text')],
    [configMaps, sent('y', [1])],
    [widgetsAt(), { ...widgetOf('x'), ...sent('x', 5) }],
  ] as const) {
    const reply = await server.request('POST', path, body);
    assert.equal(reply.code, 201, reply.text);
    assert.doesNotMatch(reply.text, /a text|\[1\]|"fieldsV1":5/);
  }
  const strategic = { 'content-type': 'application/strategic-merge-patch+json' };
  const patched = await server.request('PATCH', `${configMaps}/x`, sent('x', 'a text'), strategic);
  assert.equal(patched.code, 200, patched.text);
});
