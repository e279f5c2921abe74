import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import type { Database } from '../../engine/index.ts';
import { createFixedAuthorizer, createRest, ErrorAnswer, type Route, Validators } from '../../rest/index.ts';
import type { ConditionAttribute } from '../attributes/condition-view.ts';
import type { CredentialKey } from '../credentials/sealer.ts';
import { serverserviceInfo, serverserviceRoutes } from '../http/routes.ts';
import { createServerservice, type Serverservice, type ServerserviceOptions } from '../serverservice.ts';
import { createFakeMachines, type FakeMachines } from './fake-machines.ts';

/** For tests: what is answered. */
export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of many forms, each checked against its schema.
  readonly body: any;
  readonly headers: Headers;
}

/** For tests: an inventory behind its REST API. */
export interface Rig {
  readonly service: Serverservice;
  readonly database: Database;
  readonly machines: FakeMachines;
  readonly conditions: Map<string, ConditionAttribute[]>;
  readonly routes: readonly Route[];
  readonly url: string;
  /** Asks, as somebody who may do everything unless told otherwise, and holds the answer against the declaration. */
  call(
    method: string,
    path: string,
    more?: { readonly body?: unknown; readonly token?: string | undefined },
  ): Promise<Reply>;
}

/** For tests: tokens by what they are good for. */
export const tokens = {
  all: { name: 'all', scopes: ['read', 'write', 'read:server:credentials', 'write:server:credentials'] },
  reader: { name: 'reader', scopes: ['read'] },
  writer: { name: 'writer', scopes: ['read', 'write'] },
  none: { name: 'none', scopes: [] },
};

/** For tests: a key of credentials. */
export function newKey(): CredentialKey {
  return { id: randomBytes(8).toString('hex'), secret: randomBytes(32) };
}

/** For tests: opens an inventory in a database. */
export async function openRig(
  t: Pick<TestContext, 'after'>,
  database: Database,
  options: Partial<ServerserviceOptions> = {},
): Promise<Rig> {
  const machines = createFakeMachines();
  const conditions = new Map<string, ConditionAttribute[]>();
  const service = await createServerservice({
    database,
    machines,
    conditions: { list: async (id) => conditions.get(id) ?? [] },
    credentialKeys: [newKey()],
    ...options,
  });
  const routes = serverserviceRoutes(service);
  const rest = createRest({ info: serverserviceInfo, authorizer: createFixedAuthorizer(tokens) });
  rest.add(...routes);
  const { url } = await rest.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => rest.close());
  const check = createChecker(routes);
  return {
    ...{ service, database, machines, conditions, routes, url },
    async call(method, path, { body, token = 'all' } = {}) {
      const answer = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: {
          ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const reply: Reply = { status: answer.status, body: await answer.json(), headers: answer.headers };
      check(method, `/api/v1${path}`, reply);
      return reply;
    },
  };
}

const usual = [400, 401, 403, 408, 413, 415, 431, 503];

/** Holds every answer against what its route declares, so that no answer is undocumented. */
function createChecker(routes: readonly Route[]): (method: string, path: string, reply: Reply) => void {
  const validators = new Validators();
  const isRefusal = validators.compileValue(ErrorAnswer);
  const checks = routes.map((route) => ({
    route,
    pattern: new RegExp(`^${route.path.replaceAll(/:\w+/g, '[^/]+')}$`),
    bodies: new Map(
      Object.entries(route.answers).map(([status, schema]) => [Number(status), validators.compileValue(schema)]),
    ),
  }));
  // Words come before parameters, as in the router.
  checks.sort((a, b) => (a.route.path.match(/:/g)?.length ?? 0) - (b.route.path.match(/:/g)?.length ?? 0));
  return (method, path, reply) => {
    const bare = path.split('?', 1)[0] ?? '';
    const found = checks.find(({ route, pattern }) => route.method === method && pattern.test(bare));
    if (found === undefined) return;
    const body = found.bodies.get(reply.status);
    const problems = body === undefined ? isRefusal(reply.body) : body(reply.body);
    assert.deepEqual(problems, [], `${method} ${path} answered ${reply.status} ${JSON.stringify(reply.body)}`);
    if (body !== undefined) return;
    const isDeclared = usual.includes(reply.status) || found.route.refusals?.[reply.status] !== undefined;
    assert.ok(
      isDeclared,
      `${method} ${path} answers ${reply.status}, which is not declared: ${JSON.stringify(reply.body)}`,
    );
  };
}
