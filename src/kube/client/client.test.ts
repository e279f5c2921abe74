import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { createMetrics } from '../../telemetry/index.ts';
import { systemClock } from '../clock.ts';
import { isAborted, isConflict, isNotFound, isTimeout, KubeError } from '../errors.ts';
import { createFakeClock } from '../fake-clock.ts';
import type { AnyKubeObject } from '../object.ts';
import { answerJson, answerStatus, FakeApi, type FakeHandler, type FakeRequest, widgets } from '../testing/fake-api.ts';
import { type ClientOptions, createClient, type KubeClient } from './client.ts';
import { addFinalizer, removeFinalizer } from './finalizers.ts';
import { retryOnConflict } from './retry-on-conflict.ts';

async function setUp(t: TestContext, options: ClientOptions = {}): Promise<{ api: FakeApi; client: KubeClient }> {
  const api = await FakeApi.start();
  const client = await createClient({ server: api.url, token: 'abc' }, options);
  t.after(async () => {
    await client.close();
    await api.stop();
  });
  return { api, client };
}

function echo(api: FakeApi): () => FakeRequest {
  api.handler = (request) => {
    answerJson(request, 200, { kind: 'Widget', metadata: { name: 'w' } });
    return true;
  };
  return () => {
    const last = api.requests.at(-1);
    assert.ok(last);
    return last;
  };
}

function status(code: number, reason: string, headers: Record<string, string> = {}): FakeHandler {
  return (request) => {
    answerStatus(request, code, reason, headers);
    return true;
  };
}

const key = { namespace: 'ns', name: 'w' };
const widget: AnyKubeObject = { metadata: { ...key } };
const path = '/apis/example.com/v1/namespaces/ns/widgets';

describe('a client', () => {
  test('addresses each verb as the API wants it', async (t) => {
    const { api, client } = await setUp(t, { fieldManager: 'tester' });
    const last = echo(api);
    const w = client.resource<AnyKubeObject>(widgets);
    const said = () => `${last().method} ${last().path}?${last().query}`;
    await w.get(key);
    assert.equal(said(), `GET ${path}/w?`);
    assert.equal(last().headers.authorization, 'Bearer abc');
    await w.create(widget, { isDryRun: true, fieldValidation: 'Strict' });
    assert.equal(said(), `POST ${path}?dryRun=All&fieldManager=tester&fieldValidation=Strict`);
    assert.deepEqual(JSON.parse(last().body), { apiVersion: 'example.com/v1', kind: 'Widget', metadata: key });
    await w.replace(widget, { fieldManager: 'other' });
    assert.equal(said(), `PUT ${path}/w?fieldManager=other`);
    await w.status.replace(widget);
    assert.equal(said(), `PUT ${path}/w/status?fieldManager=tester`);
    await w.scale.get(key);
    assert.equal(said(), `GET ${path}/w/scale?`);
    await w.subresource('eviction').create(key, { a: 1 });
    assert.equal(said(), `POST ${path}/w/eviction?fieldManager=tester`);
    await w.deleteCollection({ namespace: 'ns', labelSelector: 'a=b' });
    assert.equal(said(), `DELETE ${path}?labelSelector=a%3Db`);
  });

  test('sends each kind of patch with its media type', async (t) => {
    const { api, client } = await setUp(t);
    const last = echo(api);
    const w = client.resource<AnyKubeObject>(widgets);
    await w.patch(key, { type: 'json', operations: [{ op: 'remove', path: '/a' }] });
    assert.equal(last().headers['content-type'], 'application/json-patch+json');
    assert.equal(last().body, '[{"op":"remove","path":"/a"}]');
    await w.patch(key, { type: 'merge', body: { a: null } });
    assert.equal(last().headers['content-type'], 'application/merge-patch+json');
    await w.status.patch(key, { type: 'strategic', body: {} });
    assert.equal(last().headers['content-type'], 'application/strategic-merge-patch+json');
    await w.apply(widget, { fieldManager: 'me', isForced: true });
    assert.equal(last().headers['content-type'], 'application/apply-patch+yaml');
    assert.equal(`${last().query}`, 'fieldManager=me&force=true');
  });

  test('sends preconditions and propagation with a deletion', async (t) => {
    const { api, client } = await setUp(t);
    const last = echo(api);
    const preconditions = { uid: 'u', resourceVersion: '7' };
    await client
      .resource(widgets)
      .delete(key, { preconditions, propagationPolicy: 'Orphan', gracePeriodSeconds: 0, isDryRun: true });
    assert.deepEqual(JSON.parse(last().body), {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions,
      propagationPolicy: 'Orphan',
      gracePeriodSeconds: 0,
      dryRun: ['All'],
    });
  });

  test('refuses to address an object without its name or namespace', async (t) => {
    const { client } = await setUp(t);
    await assert.rejects(async () => client.resource(widgets).get({ name: 'w' }), /a namespace is needed/);
    await assert.rejects(async () => client.resource(widgets).get({ namespace: 'a', name: '' }), /a name is needed/);
    await assert.rejects(async () => client.resource(widgets).get({ namespace: 'a', name: '..' }), /a name is needed/);
    await assert.rejects(async () => client.resource(widgets).replace({}), /no name/);
  });

  test('cannot be led to another path by a name', async (t) => {
    const { api, client } = await setUp(t);
    const last = echo(api);
    await client.resource(widgets).get({ namespace: 'ns', name: '../../secrets?x=1' });
    assert.equal(last().path, `${path}/..%2F..%2Fsecrets%3Fx%3D1`);
  });

  test('turns a Status into a KubeError with its predicates', async (t) => {
    const { api, client } = await setUp(t);
    api.once.push(status(404, 'NotFound'), status(409, 'Conflict'));
    await assert.rejects(client.resource(widgets).get(key), (error) => isNotFound(error) && error.code === 404);
    await assert.rejects(
      client.resource(widgets).replace(widget),
      (error) => isConflict(error) && error.retry === 'transient',
    );
  });

  test('describes an answer that is no Status, or no JSON', async (t) => {
    const { api, client } = await setUp(t);
    api.once.push(({ response }) => {
      response.writeHead(404).end('404 page not found');
      return true;
    });
    await assert.rejects(client.resource(widgets).get(key), /answered 404: 404 page not found/);
    api.once.push(({ response }) => {
      response.writeHead(200).end('{"kind":');
      return true;
    });
    await assert.rejects(
      client.resource(widgets).get(key),
      (error) => error instanceof KubeError && error.reason === 'MalformedAnswer',
    );
  });

  test('passes warnings on', async (t) => {
    const warnings: string[] = [];
    const { api, client } = await setUp(t, { onWarning: (text) => warnings.push(text) });
    api.once.push((request) => {
      answerJson(request, 200, {}, { warning: '299 - "old \\"kind\\"", 299 - "second"' });
      return true;
    });
    await client.resource(widgets).get(key);
    assert.deepEqual(warnings, ['old "kind"', 'second']);
  });

  test('asks for credentials again when they are refused, once', async (t) => {
    const api = await FakeApi.start();
    let made = 0;
    const client = await createClient({ server: api.url, token: () => `t${++made}` });
    t.after(async () => {
      await client.close();
      await api.stop();
    });
    const last = echo(api);
    api.once.push(status(401, 'Unauthorized'));
    await client.resource(widgets).get(key);
    assert.equal(last().headers.authorization, 'Bearer t2');
    api.handler = status(401, 'Unauthorized');
    await assert.rejects(client.resource(widgets).get(key), /Unauthorized/);
    assert.equal(api.requests.length, 4);
  });
});

describe('a client in trouble', () => {
  test('waits as long as the server asks on 429 and 503, then repeats even a write', async (t) => {
    const clock = createFakeClock();
    const { api, client } = await setUp(t, { clock, random: () => 0, timeoutMs: 60_000 });
    const last = echo(api);
    api.once.push(
      status(429, 'TooManyRequests', { 'retry-after': '3' }),
      status(503, 'ServiceUnavailable', { 'retry-after': '2' }),
    );
    const waits: number[] = [];
    const answered = client.resource(widgets).create(widget);
    for (let i = 0; i < 2; i++) {
      await untilSleeping(clock, 60_000);
      waits.push(clock.nextInMs() ?? -1);
      clock.advanceToNext();
    }
    await answered;
    assert.deepEqual(waits, [3000, 2000]);
    assert.equal(api.requests.length, 3);
    assert.equal(last().method, 'POST');
  });

  test('does not wait longer than its own time-out', async (t) => {
    const { api, client } = await setUp(t, { timeoutMs: 5000 });
    api.handler = status(429, 'TooManyRequests', { 'retry-after': '60' });
    await assert.rejects(
      client.resource(widgets).get(key),
      (error) => error instanceof KubeError && error.retryAfterMs === 60_000,
    );
    assert.equal(api.requests.length, 1);
  });

  test('does not repeat a write that failed without being asked to', async (t) => {
    const { api, client } = await setUp(t);
    api.handler = status(500, 'InternalError');
    await assert.rejects(client.resource(widgets).create(widget), /InternalError/);
    api.handler = ({ socket }) => {
      socket.destroy();
      return true;
    };
    await assert.rejects(
      client.resource(widgets).create(widget),
      (error) => error instanceof KubeError && error.reason === 'ConnectionFailed',
    );
    assert.equal(api.requests.length, 2);
  });

  test('gives up a request that is not answered in time, and one whose caller gives up', async (t) => {
    const clock = createFakeClock();
    const { api, client } = await setUp(t, { clock, timeoutMs: 1000 });
    const arrived = new Promise<void>((resolve) => {
      api.handler = () => {
        resolve();
        return true;
      };
    });
    const answer = client.resource(widgets).get(key);
    await arrived;
    clock.advance(1000);
    await assert.rejects(answer, (error) => isTimeout(error) && /within 1000 ms/.test(error.message));
    const caller = new AbortController();
    const second = client.resource(widgets).get(key, { signal: caller.signal });
    caller.abort();
    await assert.rejects(second, isAborted);
    await assert.rejects(client.resource(widgets).get(key, { signal: AbortSignal.abort() }), isAborted);
  });

  test('says which server cannot be reached', async () => {
    const client = await createClient({ server: 'http://127.0.0.1:1' });
    await assert.rejects(client.resource(widgets).get(key), /GET .*widgets\/w failed: .*ECONNREFUSED/);
    await client.close();
  });

  test('counts what it asks for', async (t) => {
    const metrics = createMetrics();
    const { api, client } = await setUp(t, { metrics });
    api.once.push(status(404, 'NotFound'));
    await assert.rejects(client.resource(widgets).get(key));
    assert.match(await metrics.expose(), /rest_client_requests_total\{code="404",method="GET",host="[^"]+"\} 1/);
  });

  test('starts a listing over when its pages expire', async (t) => {
    const { api, client } = await setUp(t);
    for (let i = 0; i < 5; i++) api.put(`w${i}`);
    api.once.push(() => false, status(410, 'Expired'));
    const { items } = await client.resource(widgets).list({ namespace: 'default', pageSize: 2 });
    assert.equal(items.length, 5);
  });
});

/** Waits until the only timer besides the request's own limit is the pause before the next try. */
async function untilSleeping(clock: ReturnType<typeof createFakeClock>, limitMs: number): Promise<void> {
  while ((clock.nextInMs() ?? limitMs) >= limitMs - 5000) await new Promise<void>((resolve) => setImmediate(resolve));
}

describe('a kubeconfig', () => {
  test('gives server, namespace and token, by file and by text; a missing context is explained', async (t) => {
    const api = await FakeApi.start();
    const folder = await mkdtemp(join(tmpdir(), 'rackwright-'));
    t.after(async () => {
      await api.stop();
      await rm(folder, { recursive: true });
    });
    const last = echo(api);
    const text = JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster: { server: api.url } }],
      users: [{ name: 'u', user: { token: 'sesame' } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'lab' } }],
      'current-context': 'x',
    });
    const file = join(folder, 'kubeconfig');
    await writeFile(file, text);
    for (const spec of [{ kubeconfig: file }, { kubeconfigText: text }]) {
      const client = await createClient(spec);
      assert.equal(client.namespace, 'lab');
      await client.resource(widgets).get(key);
      assert.equal(last().headers.authorization, 'Bearer sesame');
      await client.close();
    }
    await assert.rejects(createClient({ kubeconfigText: text, context: 'y' }), /no cluster for its context "y"/);
    await assert.rejects(createClient({ kubeconfig: join(folder, 'absent') }), /cannot read the kubeconfig/);
  });

  test('reads a token from the file it names, next to the kubeconfig', async (t) => {
    const api = await FakeApi.start();
    const folder = await mkdtemp(join(tmpdir(), 'rackwright-'));
    t.after(async () => {
      await api.stop();
      await rm(folder, { recursive: true });
    });
    const last = echo(api);
    const file = join(folder, 'kubeconfig');
    await writeFile(join(folder, 'token'), 'from-file');
    await writeFile(
      file,
      `clusters: [{name: c, cluster: {server: "${api.url}"}}]
users: [{name: u, user: {tokenFile: token}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`,
    );
    const client = await createClient({ kubeconfig: file });
    await client.resource(widgets).get(key);
    assert.equal(last().headers.authorization, 'Bearer from-file');
    await client.close();
  });

  test('runs a credentials plug-in', async (t) => {
    const api = await FakeApi.start();
    t.after(() => api.stop());
    const last = echo(api);
    const credential = {
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      status: { token: 'from-plugin' },
    };
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: process.execPath,
      args: ['-e', `console.log(${JSON.stringify(JSON.stringify(credential))})`],
    };
    const client = await createClient({
      kubeconfigText: JSON.stringify({
        clusters: [{ name: 'c', cluster: { server: api.url } }],
        users: [{ name: 'u', user: { exec } }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      }),
    });
    await client.resource(widgets).get(key);
    assert.equal(last().headers.authorization, 'Bearer from-plugin');
    await client.close();
  });
});

describe('write helpers', () => {
  const retry = { clock: systemClock, random: Math.random };

  test('a conflicting write is tried again, other errors are not', async (t) => {
    const { api, client } = await setUp(t);
    api.once.push(status(409, 'Conflict'), status(409, 'Conflict'));
    echo(api);
    await retryOnConflict(retry, () => client.resource(widgets).replace(widget));
    assert.equal(api.requests.length, 3);
    api.once.push(status(409, 'AlreadyExists'));
    await assert.rejects(
      retryOnConflict(retry, () => client.resource(widgets).create(widget)),
      /AlreadyExists/,
    );
    api.handler = status(409, 'Conflict');
    await assert.rejects(
      retryOnConflict({ ...retry, attempts: 2 }, () => client.resource(widgets).replace(widget)),
      isConflict,
    );
    assert.equal(api.requests.length, 6);
  });

  test('a finalizer is added to the newest list, and only where it is missing', async (t) => {
    const { api, client } = await setUp(t);
    const w = client.resource<AnyKubeObject>(widgets);
    const old = { metadata: { ...key, resourceVersion: '1', finalizers: [] } };
    const newest = { metadata: { ...key, resourceVersion: '2', finalizers: ['other'] } };
    api.once.push(status(409, 'Conflict'), (request) => {
      answerJson(request, 200, newest);
      return true;
    });
    const last = echo(api);
    await addFinalizer(w, old, 'mine', retry);
    assert.deepEqual(JSON.parse(last().body), { metadata: { resourceVersion: '2', finalizers: ['other', 'mine'] } });
    const before = api.requests.length;
    await addFinalizer(w, { metadata: { ...key, finalizers: ['mine'] } }, 'mine', retry);
    await addFinalizer(w, { metadata: { ...key, deletionTimestamp: 'x' } }, 'mine', retry);
    assert.equal(api.requests.length, before);
  });

  test('a finalizer is taken off an object, gone or not', async (t) => {
    const { api, client } = await setUp(t);
    const w = client.resource<AnyKubeObject>(widgets);
    const object = { metadata: { ...key, finalizers: ['a', 'mine'] } };
    const last = echo(api);
    await removeFinalizer(w, object, 'mine', retry);
    assert.deepEqual(JSON.parse(last().body).metadata.finalizers, ['a']);
    api.handler = status(404, 'NotFound');
    assert.equal(await removeFinalizer(w, object, 'mine', retry), object);
  });
});
