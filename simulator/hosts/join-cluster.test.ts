import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { test } from 'node:test';
import { createFakeClock, systemClock } from '../../src/kube/index.ts';
import { joinCluster } from './join-cluster.ts';
import { nodeSeedIn } from './node-seed.ts';

const token = 'abcdef.0123456789abcdef';

interface Posted {
  readonly status: string;
  readonly lastHeartbeatTime: string;
  readonly lastTransitionTime: string;
}

function driveFor(server: string) {
  const kubeconfig = [
    'apiVersion: v1',
    'kind: Config',
    `clusters: [{ name: c, cluster: { server: "${server}" } }]`,
    `users: [{ name: u, user: { token: "${token}" } }]`,
  ].join('\n');
  const content = Buffer.from(kubeconfig).toString('base64');
  const file = { path: '/etc/kubernetes/bootstrap-kubelet.conf', encoding: 'b64', content };
  return {
    meta_data: { 'local-hostname': 'worker-1', uuid: 'uid-of-the-host' },
    user_data: `#cloud-config\n${JSON.stringify({ write_files: [file] })}`,
  };
}

test('a deployed system registers a node that carries the uid of its host, posts heartbeats until it stops, and tells its token to nobody else', async (t) => {
  let posted: { conditions: Posted[] } = { conditions: [] };
  const halfway = Promise.withResolvers<void>();
  const asked: { method: string; path: string; token: string; body: Record<string, unknown> }[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const body = method === 'GET' ? {} : ((await json(request)) as Record<string, unknown>);
    asked.push({ method, path: path.split('?')[0] ?? '', token: headers.authorization ?? '', body });
    // It is known from an earlier start.
    const status = method === 'POST' ? 409 : 200;
    response.writeHead(status, { 'content-type': 'application/json' });
    const exists = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'AlreadyExists', code: 409 };
    if (method === 'PATCH' && path.includes('/status')) {
      posted = { conditions: (body.status as { conditions: Posted[] }).conditions };
    }
    const node = { apiVersion: 'v1', kind: 'Node', metadata: {}, status: posted };
    response.end(JSON.stringify(status === 409 ? exists : node));
    if (asked.length === 2 + 4 * 2) halfway.resolve();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const seed = nodeSeedIn(driveFor(url));
  assert.ok(seed !== undefined);
  const notes: string[] = [];
  const note = (event: string, detail: string) => void notes.push(`${event} ${detail}`);
  const clock = createFakeClock();
  const ticking = setInterval(() => clock.advance(10_000), 20);
  t.after(() => clearInterval(ticking));
  const system = new AbortController();
  const joining = joinCluster(seed, { clock, signal: system.signal, note });
  await halfway.promise;
  system.abort();
  await joining;
  assert.deepEqual(notes, ['node.joined name=worker-1']);
  const beat = ['GET /api/v1/nodes/worker-1', 'PATCH /api/v1/nodes/worker-1/status'];
  assert.deepEqual(asked.map(({ method, path }) => `${method} ${path}`).slice(0, 6), [
    'POST /api/v1/nodes',
    'PATCH /api/v1/nodes/worker-1',
    ...beat,
    ...beat,
  ]);
  const beats = asked.filter(({ path }) => path.endsWith('/status')).map(({ body }) => body.status as typeof posted);
  const times = beats.map(({ conditions: [ready] }) => [ready?.status, ready?.lastHeartbeatTime]);
  assert.equal(new Set(times.map(String)).size, times.length, 'every heartbeat is a new one');
  assert.equal(new Set(beats.map(({ conditions: [ready] }) => ready?.lastTransitionTime)).size, 1);
  const labels = { 'kubernetes.io/hostname': 'worker-1', 'metal3.io/uuid': 'uid-of-the-host' };
  assert.deepEqual(asked[0]?.body.metadata, { name: 'worker-1', labels });
  assert.deepEqual(asked[1]?.body, { metadata: { labels } });
  assert.ok(asked.every((each) => each.token === `Bearer ${token}`));
});

test('a system that is sent off the machine does not join', async () => {
  const seed = nodeSeedIn(driveFor('https://192.0.2.1:6443'));
  assert.ok(seed !== undefined);
  const notes: string[] = [];
  const note = (event: string, detail: string) => void notes.push(`${event} ${detail}`);
  await joinCluster(seed, { clock: systemClock, signal: new AbortController().signal, note });
  assert.match(notes.join('\n'), /^node\.not-joined .*stays on loopback/);
  assert.ok(!notes.join().includes(token));
});

test('a config drive that says nothing of a cluster makes no node', () => {
  const { meta_data, user_data } = driveFor('http://127.0.0.1');
  assert.ok(nodeSeedIn({ meta_data, user_data }) !== undefined);
  for (const drive of [{}, { user_data }, { meta_data }, { meta_data, user_data: '#!/bin/sh\n: {[' }]) {
    assert.equal(nodeSeedIn(drive), undefined);
  }
});
