import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { temporaryServer, widgetOf, widgetsAt } from './temporary-server.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const yaml = { 'content-type': 'application/yaml' };
const fields = (count: number, value = '""'): string =>
  Array.from({ length: count }, (_, i) => `"k${i}":${value}`).join(',');
const configMap = (name: string, rest: string): string =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"},${rest}}`;

test('while YAML of half a megabyte is read, other requests are answered', async (t) => {
  const server = await temporaryServer(t);
  let isAnswered = false;
  const large = server.request('POST', configMaps, '#\n'.repeat(300_000), yaml);
  void large.then(() => {
    isAnswered = true;
  });
  for (let i = 0; i < 20; i++) assert.equal((await server.request('GET', `${configMaps}/none`)).code, 404);
  assert.equal(isAnswered, false, 'the large body was read before the small requests were answered');
  assert.equal((await large).code, 422);
});

test('the body of a request that nobody may make is not waited for, let alone read', async (t) => {
  const server = await temporaryServer(t, { mayDo: ({ verb }) => verb !== 'create' });
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  t.after(() => socket.destroy());
  const head = [`POST ${configMaps} HTTP/1.1`, 'Host: x', 'Content-Type: application/yaml', 'Content-Length: 2900000'];
  socket.write(`${head.join('\r\n')}\r\n\r\n{ not even begun`);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  assert.match(answer, /^HTTP\/1\.1 403 /);
});

test('a client that has had its share of heavy work is told to wait, and can do everything else', async (t) => {
  const server = await temporaryServer(t, { limits: { heavy: { savedValues: 100, valuesPerSecond: 0.001 } } });
  const large = (name: string): string => configMap(name, `"data":{"x":"${'y'.repeat(100_000)}"}`);
  assert.equal((await server.request('POST', configMaps, large('a'))).code, 201);
  const refused = await server.request('POST', configMaps, large('b'));
  assert.equal(refused.code, 429);
  assert.equal(refused.headers.get('retry-after'), '60');
  assert.match(refused.text, /share of large objects/);
  // Acting as somebody else brings no share of its own.
  const asOther = { 'impersonate-user': 'other', 'impersonate-group': 'system:masters' };
  assert.equal((await server.request('POST', configMaps, large('c'), asOther)).code, 429);
  // A small change of a large object is heavy, too.
  assert.equal((await server.patch(`${configMaps}/a`, { data: { z: '1' } })).code, 429);
  assert.equal((await server.request('POST', configMaps, configMap('small', '"data":{}'))).code, 201);
  assert.equal((await server.request('GET', `${configMaps}/b`)).code, 404);
  const counted = /rackwright_apiserver_rejected_total\{reason="heavy-work"\} 3/;
  assert.match(await server.metrics.registry.metrics(), counted);
});

test('more unknown fields and more mistakes than the stack holds arguments are told, not an internal error', async (t) => {
  const server = await temporaryServer(t, { limits: { heavy: { mostValues: 1_000_000, savedValues: 1e9 } } });
  const unknown = await server.request('POST', configMaps, configMap('unknown', fields(180_000)));
  assert.equal(unknown.code, 201);
  const wrong = fields(150_000).replaceAll('"k', '"k ');
  const mistaken = await server.request('POST', configMaps, configMap('mistaken', `"data":{${wrong}}`));
  assert.equal(mistaken.code, 422);
  assert.equal(mistaken.object.details?.causes?.length, 500);
  assert.match(mistaken.text, /and \d+ more/);
  assert.deepEqual(server.faults, []);
});

test('of the conflicts of a large apply a part is told, with their number', async (t) => {
  const server = await temporaryServer(t);
  const apply = (manager: string, value: string) =>
    server.request(
      'PATCH',
      `${configMaps}/a?fieldManager=${manager}`,
      configMap('a', `"data":{${fields(2000, value)}}`),
      { 'content-type': 'application/apply-patch+yaml' },
    );
  assert.equal((await apply('one', '"1"')).code, 201);
  const refused = await apply('two', '"2"');
  assert.equal(refused.code, 409);
  assert.match(refused.text, /^.*Apply failed with 2000 conflicts: .*and 1500 more/);
  assert.equal(refused.object.details?.causes?.length, 500);
});

test('selectors of endless terms are refused before anything is compared with them', async (t) => {
  const server = await temporaryServer(t);
  assert.equal((await server.request('POST', widgetsAt(), widgetOf('w'))).code, 201);
  const terms = (count: number, term: (i: number) => string): string =>
    encodeURIComponent(Array.from({ length: count }, (_, i) => term(i)).join(','));
  const codeOf = async (query: string): Promise<number> =>
    (await server.request('GET', `${widgetsAt()}?${query}`)).code;
  assert.equal(await codeOf(`labelSelector=${terms(128, (i) => `!k${i}`)}`), 200);
  assert.equal(await codeOf(`labelSelector=${terms(129, (i) => `!k${i}`)}`), 400);
  assert.equal(await codeOf(`fieldSelector=${terms(129, (i) => `metadata.name!=n${i}`)}`), 400);
  assert.equal(await codeOf(`labelSelector=k${encodeURIComponent(' in (')}${terms(900, (i) => `v${i}`)})`), 200);
});

test('a list in YAML, as a Table and pretty is the same whichever thread writes it', async (t) => {
  const server = await temporaryServer(t);
  for (let i = 0; i < 12; i++) {
    const body = 'x'.repeat(60_000);
    assert.equal((await server.request('POST', widgetsAt(), widgetOf(`w${i}`, { body }))).code, 201);
  }
  const asTable = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
  const table = await server.request('GET', widgetsAt(), undefined, asTable);
  assert.equal((table.object as unknown as { rows: unknown[] }).rows.length, 12);
  const pretty = await server.request('GET', `${widgetsAt()}?pretty=true`);
  assert.match(pretty.text, /^\{\n {2}"kind": "WidgetList"/);
  assert.equal(pretty.object.items.length, 12);
  const asYaml = await fetch(`${server.url}${widgetsAt()}`, { headers: { accept: 'application/yaml' } });
  assert.equal(asYaml.headers.get('content-type'), 'application/yaml');
  assert.match(await asYaml.text(), /^apiVersion: example\.com\/v1\nitems:\n- apiVersion/);
});

test('the bodies of one client that are on their way leave room for those of others', async (t) => {
  const server = await temporaryServer(t, {
    limits: { bodyBytesPerClient: 1000 },
    userOf: (request) => ({ username: String(request.headers['x-user']), groups: [] }),
  });
  const create = (user: string, size: number) =>
    server.request('POST', configMaps, configMap(user, `"data":{"x":"${'y'.repeat(size)}"}`), { 'x-user': user });
  assert.equal((await create('greedy', 2000)).code, 429);
  assert.equal((await create('modest', 100)).code, 201);
  assert.equal((await create('greedy', 100)).code, 201);
});
