import { topic } from '../case.ts';
import type { CaseRun } from '../case-run.ts';
import { configMap, core, widget, widgetCrd, widgets } from '../fixtures.ts';

function rawRequest(t: CaseRun, head: string[], body = ''): string {
  const lines = [...head, 'Host: localhost', `Authorization: Bearer ${t.target.adminToken}`, 'Connection: close'];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Requests that must be refused, and how. */
export const errors = topic('errors', {
  'malformed-json': async (t) => {
    await t.crd(widgetCrd(t));
    const bodies = [
      '',
      '{',
      '{"apiVersion":"v1"',
      'null',
      '[]',
      '"text"',
      '42',
      '{"apiVersion":"v1","kind":"ConfigMap"}}',
      '\u0000',
      '{"a":}',
    ];
    for (const body of bodies) {
      await t.post(core(t, 'configmaps'), body);
      await t.post(widgets(t), body);
    }
  },
  'malformed-yaml': async (t) => {
    await t.crd(widgetCrd(t));
    const headers = { 'content-type': 'application/yaml' };
    for (const body of ['a: b: c', '\tkind: x', '- a\n- b', 'kind: [']) {
      await t.post(core(t, 'configmaps'), body, { headers });
      await t.post(widgets(t), body, { headers });
    }
  },
  bombs: async (t) => {
    await t.crd(widgetCrd(t));
    await t.post(widgets(t), widget(t, 'one'), { quiet: true });
    const copies = Array.from({ length: 40 }, (_, i) => ({
      op: 'copy',
      from: '/spec/template',
      path: `/spec/template/k${i}`,
    }));
    await t.patch(widgets(t, 'one'), 'json', [{ op: 'add', path: '/spec/template', value: { a: 1 } }, ...copies]);
    for (const aliases of [90, 110]) {
      const keys = Array.from({ length: 1000 }, (_, i) => `k${i}: 1`).join(', ');
      const body = `a: &a {${keys}}\nlist: [${'*a, '.repeat(aliases)}]\n`;
      await t.post(widgets(t), body, { headers: { 'content-type': 'application/yaml' } });
    }
    for (const key of ['a', 'b']) {
      const grown = { spec: { template: { [key]: 'x'.repeat(900_000) } } };
      await t.patch(widgets(t, 'one'), 'merge', grown, { show: (answer) => answer.at('message') });
    }
  },
  'wrong-types-in-built-ins': async (t) => {
    const post = (body: unknown) => t.post(core(t, 'configmaps'), body);
    await post({ ...configMap('one'), data: { a: 1 } });
    await post({ ...configMap('one'), data: [] });
    await post({ ...configMap('one'), metadata: [] });
    await post({ ...configMap('one'), metadata: { name: 7 } });
    await post({ ...configMap('one'), metadata: { name: 'one', labels: 'x' } });
    await post({ ...configMap('one'), metadata: { name: 'one', creationTimestamp: 'yesterday' } });
    await post({ ...configMap('one'), immutable: 'yes' });
    await post({ ...configMap('one'), kind: 5 });
  },
  'media-types': async (t) => {
    await t.crd(widgetCrd(t));
    const types = [
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'garbage',
      'application/json; charset=utf-8',
      '',
    ];
    for (const type of types) {
      await t.post(core(t, 'configmaps'), configMap('one'), { headers: { 'content-type': type } });
      await t.post(widgets(t), widget(t, 'one'), { headers: { 'content-type': type } });
    }
  },
  'oversize-body': async (t) => {
    const large = configMap('large', { blob: 'x'.repeat(3 * 1024 * 1024 + 1000) });
    await t.post(core(t, 'configmaps'), large);
    const path = core(t, 'configmaps', 'one');
    await t.post(core(t, 'configmaps'), configMap('one'), { quiet: true });
    await t.patch(path, 'merge', { data: { blob: 'x'.repeat(3 * 1024 * 1024 + 1000) } });
    await t.put(path, large);
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'big' },
      stringData: { x: 'y'.repeat(1024 * 1024 + 1) },
    };
    await t.post(core(t, 'secrets'), secret);
    await t.post(core(t, 'configmaps'), configMap('big', { x: 'y'.repeat(1024 * 1024 + 1) }));
    await t.get(path);
  },
  'oversize-widget': async (t) => {
    await t.crd(widgetCrd(t));
    const blob = 'x'.repeat(3 * 1024 * 1024 + 1000);
    await t.post(widgets(t), widget(t, 'large', { template: { blob } }));
    await t.post(widgets(t), widget(t, 'small'), { quiet: true });
    await t.patch(widgets(t, 'small'), 'merge', { spec: { template: { blob } } });
    const annotations = { a: 'x'.repeat(256 * 1024 + 1) };
    await t.post(widgets(t), widget(t, 'notes', {}, { annotations }));
  },
  'unknown-paths': async (t) => {
    for (const path of [
      '/nothing',
      '/api/v2',
      '/api/v1/gadgets',
      '/apis/nowhere.example.com',
      '/apis/nowhere.example.com/v1',
      '/apis/nowhere.example.com/v1/things',
      '/apis/batch/v9/jobs',
      '/api/v1/namespaces/x/y/z/q',
      '/apis//',
    ]) {
      await t.get(path);
    }
    await t.post('/api/v1/gadgets', {});
    await t.delete('/apis/nowhere.example.com/v1/things/x');
  },
  'wrong-methods': async (t) => {
    await t.put(core(t, 'configmaps'), configMap('one'));
    await t.post(core(t, 'configmaps', 'one'), configMap('one'));
    await t.request('FETCH', core(t, 'configmaps'), undefined);
    await t.request('OPTIONS', core(t, 'configmaps'), undefined);
    await t.request('HEAD', core(t, 'configmaps'), undefined);
    await t.patch(core(t, 'configmaps'), 'merge', {});
    await t.post('/api/v1', {});
    await t.post('/version', {});
    await t.delete('/healthz');
    await t.crd(widgetCrd(t));
    await t.put(widgets(t), widget(t, 'one'));
    await t.request('PUT', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {});
    await t.get('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews');
  },
  'truncated-request': async (t) => {
    const path = core(t, 'configmaps');
    const body = JSON.stringify(configMap('cut'));
    const post = [`POST ${path} HTTP/1.1`, 'Content-Type: application/json'];
    // Whether the real server still answers someone who has hung up is a matter of chance.
    const early = rawRequest(t, [...post, 'Content-Length: 500'], body.slice(0, 20));
    await t.raw('a body that stops early', early, { hangUp: true, isAnswerByChance: true });
    await t.get(core(t, 'configmaps', 'cut'));
    const short = rawRequest(t, [...post, 'Content-Length: 20'], body);
    await t.raw('a body longer than declared', short);
    await t.get(core(t, 'configmaps', 'cut'));
    const chunked = [...post, 'Transfer-Encoding: chunked'];
    await t.raw('a chunk without a size', rawRequest(t, chunked, `zz\r\n${body}\r\n0\r\n\r\n`));
    await t.get(core(t, 'configmaps', 'cut'));
    const whole = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    await t.raw('a body in chunks', rawRequest(t, chunked, whole), { isAnswerByChance: true });
    await t.get(core(t, 'configmaps', 'cut'));
  },
  'broken-http': async (t) => {
    await t.raw('no HTTP at all', 'hello there\r\n\r\n');
    await t.raw('a bad header', 'GET /version HTTP/1.1\r\nHost: x\r\nbroken header line\r\n\r\n');
    await t.raw('no host', 'GET /version HTTP/1.1\r\n\r\n');
  },
  'bad-query-values': async (t) => {
    await t.post(core(t, 'configmaps'), configMap('one'), { quiet: true });
    await t.get(`${core(t, 'configmaps', 'one')}?resourceVersion=abc`);
    await t.get(`${core(t, 'configmaps', 'one')}?unknown=1&also=2`);
    await t.patch(`${core(t, 'configmaps', 'one')}?force=perhaps&fieldManager=x`, 'merge', {});
    await t.post(`${core(t, 'configmaps')}?fieldManager=${'x'.repeat(200)}`, configMap('two'));
    await t.post(`${core(t, 'configmaps')}?fieldManager=%01`, configMap('two'));
    await t.get(`${core(t, 'configmaps')}?labelSelector=%zz`, { show: (answer) => answer.at('kind') });
    await t.delete(`${core(t, 'configmaps', 'one')}?orphanDependents=perhaps`);
  },
  'deeply-nested': async (t) => {
    await t.crd(widgetCrd(t));
    const depth = 11_000;
    const text = `{"apiVersion":"${t.group}/v1","kind":"Widget","metadata":{"name":"deep"},"spec":{"template":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}}`;
    await t.post(widgets(t), text, {
      show: (answer) => [answer.at('reason') ?? null, answer.str('message').slice(0, 200)],
    });
    await t.get('/readyz');
  },
});
