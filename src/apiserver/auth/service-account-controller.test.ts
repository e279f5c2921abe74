import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Agent, request } from 'undici';
import type { JsonObject } from '../../schema/index.ts';
import { type ApiServer, startApiServer } from '../start.ts';

describe('service accounts of a namespace', { timeout: 60_000 }, () => {
  let dataDir: string;
  let server: ApiServer;
  let dispatcher: Agent;

  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'accounts-'));
    server = await startApiServer({ dataDir, port: 0 });
    dispatcher = new Agent({ connect: { ca: server.caPem } });
  });

  after(async () => {
    await dispatcher.close();
    await server.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function call(
    method: 'GET' | 'POST' | 'DELETE' | 'PATCH',
    path: string,
    body?: object,
    token = server.adminToken,
  ): Promise<{ code: number; body: JsonObject }> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = { authorization: `Bearer ${token}`, 'content-type': type };
    const text = body === undefined ? null : JSON.stringify(body);
    const answer = await request(`${server.url}${path}`, { method, dispatcher, headers, body: text });
    return { code: answer.statusCode, body: (await answer.body.json()) as JsonObject };
  }

  async function until(path: string, isWished: (answer: { code: number; body: JsonObject }) => boolean) {
    for (;;) {
      const answer = await call('GET', path);
      if (isWished(answer)) return answer;
    }
  }

  const inside = '/api/v1/namespaces/team';

  test('begin with default and the certificate of the server, and get them back', async () => {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } };
    assert.equal((await call('POST', '/api/v1/namespaces', namespace)).code, 201);
    await until(`${inside}/serviceaccounts/default`, ({ code }) => code === 200);
    const map = `${inside}/configmaps/kube-root-ca.crt`;
    await until(map, ({ code }) => code === 200);
    await call('DELETE', `${inside}/serviceaccounts/default`);
    await until(`${inside}/serviceaccounts/default`, ({ code }) => code === 200);
    await call('PATCH', map, { data: { 'ca.crt': 'nonsense' } });
    await until(map, ({ body }) => (body.data as JsonObject)['ca.crt'] === server.caPem);
  });

  test('fill Secrets that ask for a token, until the account goes', async () => {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } };
    assert.equal((await call('POST', `${inside}/serviceaccounts`, account)).code, 201);
    const annotations = { 'kubernetes.io/service-account.name': 'robot' };
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'robot-token', annotations },
      type: 'kubernetes.io/service-account-token',
    };
    assert.equal((await call('POST', `${inside}/secrets`, secret)).code, 201);
    const filled = await until(`${inside}/secrets/robot-token`, ({ body }) => body.data !== undefined);
    const data = filled.body.data as Record<string, string>;
    const token = Buffer.from(data.token ?? '', 'base64').toString();
    assert.equal(Buffer.from(data['ca.crt'] ?? '', 'base64').toString(), server.caPem);
    assert.equal((await call('GET', '/version', undefined, token)).code, 200);
    await call('DELETE', `${inside}/serviceaccounts/robot`);
    await until(`${inside}/secrets/robot-token`, ({ code }) => code === 404);
    assert.equal((await call('GET', '/version', undefined, token)).code, 401);
  });
});
