import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditedRequest } from '../telemetry/index.ts';
import { restResources } from './access/resources.ts';
import { defineRoute, type RouteMethod } from './route.ts';
import { AnyObject, Struct, Text } from './shapes.ts';
import { startedRest } from './testing/started-rest.ts';

const secret = 'hunter2-hunter2';

interface Access {
  readonly verb: 'get' | 'create' | 'update';
  readonly resource?: (typeof restResources)['serverAttributes' | 'credentials'];
  readonly path?: string;
}

function route(method: RouteMethod, { verb, resource = restResources.serverAttributes, path }: Access) {
  return defineRoute({
    method,
    path: path ?? '/servers/:name/credentials',
    operation: `${verb}Thing${path?.length ?? ''}`,
    summary: 'A thing.',
    tag: 'things',
    access: { verb, resource },
    params: Struct({ name: Text('Which.') }),
    query: Struct({ x: Text('Anything.') }),
    ...(method === 'PUT' ? { body: AnyObject('Anything.') } : {}),
    answers: { 200: AnyObject('It.') },
    handle: () => ({ status: 200, body: { secret } }),
  });
}

test('what changes something and what nobody may do is recorded with who did it, and no body or query is (security.md: audit-log)', async (t) => {
  const recorded: AuditedRequest[] = [];
  const audit = {
    record: (request: AuditedRequest) => void recorded.push(request),
    fault: () => undefined,
    lost: () => 0,
    close: async () => undefined,
  };
  const { rest, url } = await startedRest(t, [route('GET', { verb: 'get' }), route('PUT', { verb: 'update' })], {
    audit,
  });
  const call = (method: string, token: string) =>
    fetch(`${url}/servers/a/credentials?x=${secret}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'x-request-id': 'id-1' },
      ...(method === 'PUT' ? { body: JSON.stringify({ secret }) } : {}),
    }).then((answer) => answer.text());
  await call('GET', 'reader');
  await call('PUT', 'writer');
  await call('GET', 'nobody');
  await call('PUT', `stranger-${secret}`);
  await rest.close();
  const seen = recorded.map(({ verb, user, code }) => `${verb} by ${user?.username ?? 'somebody'}: ${code}`);
  assert.deepEqual(seen, ['update by writer: 200', 'get by nobody: 403', 'update by somebody: 401']);
  const [{ id, path, object, sourceIp } = {} as Partial<AuditedRequest>] = recorded;
  assert.deepEqual(
    { id, path, object, sourceIp },
    {
      id: 'id-1',
      path: '/servers/a/credentials',
      object: { apiGroup: 'rackwright.io', resource: 'servers', subresource: 'attributes', name: 'a' },
      sourceIp: '127.0.0.1',
    },
  );
  assert.ok(!JSON.stringify(recorded).includes(secret));
});

test('a read of credentials is recorded although it changes nothing (security.md: audit-log)', async (t) => {
  const recorded: AuditedRequest[] = [];
  const audit = {
    record: (request: AuditedRequest) => void recorded.push(request),
    fault: () => undefined,
    lost: () => 0,
    close: async () => undefined,
  };
  const path = '/logins/:name';
  const secrets = route('GET', { verb: 'get', resource: restResources.credentials, path });
  const { rest, url } = await startedRest(t, [secrets, route('GET', { verb: 'get' })], { audit });
  const read = async (path: string, token: string): Promise<unknown> =>
    (await fetch(`${url}${path}?x=1`, { headers: { authorization: `Bearer ${token}` } })).text();
  await read('/logins/a', 'opener');
  await read('/servers/a/credentials', 'reader');
  await rest.close();
  const seen = recorded.map(({ verb, object, code }) => [
    verb,
    object?.resource,
    object?.subresource,
    object?.name,
    code,
  ]);
  assert.deepEqual(seen, [['get', 'servers', 'credentials', 'a', 200]]);
  assert.ok(!JSON.stringify(recorded).includes(secret));
});
