import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import { createEngine, type Database, type Engine, type JsonObject, openSqliteDatabase } from '../../engine/index.ts';
import { flasherKinds } from '../../flasher/index.ts';
import { systemClock } from '../../kube/index.ts';
import { createFixedAuthorizer, createRest } from '../../rest/index.ts';
import { createServerservice, type Serverservice, serverserviceRoutes } from '../../serverservice/index.ts';
import {
  conditionOrcRoutes,
  createConditionView,
  createInventoryPort,
  firmwareValidation,
  type InventoryPort,
  joinRoutes,
  openOrcStore,
} from '../index.ts';

/** For tests: both services and what they share. */
export interface BothServices {
  readonly engine: Engine;
  readonly database: Database;
  readonly service: Serverservice;
  readonly inventory: InventoryPort;
  call(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: JsonObject }>;
}

/** For tests: both services on one store and one port, with the kinds of the flasher. */
export async function startBoth(t: Pick<TestContext, 'after'>): Promise<BothServices> {
  const database = await openSqliteDatabase({ path: ':memory:', clock: systemClock });
  const engine = await createEngine({ database, clock: systemClock, kinds: [...flasherKinds(), firmwareValidation] });
  const service = await createServerservice({
    database,
    machines: engine.machines,
    conditions: createConditionView(engine),
    credentialKeys: [{ id: 'k1', secret: randomBytes(32) }],
  });
  const inventory = createInventoryPort(service);
  const rest = createRest({
    info: { title: 'both', description: 'Of a test.', version: '1' },
    authorizer: createFixedAuthorizer({
      all: { name: 'dustin', scopes: ['read', 'write', 'read:server:credentials', 'write:server:credentials'] },
    }),
  });
  rest.add(
    ...joinRoutes(
      conditionOrcRoutes({ engine, inventory, store: await openOrcStore(database) }),
      serverserviceRoutes(service),
    ),
  );
  const { url } = await rest.listen({ host: '127.0.0.1', port: 0 });
  t.after(async () => {
    await engine.close();
    await rest.close();
    await database.close();
  });
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = {
      authorization: 'Bearer all',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await fetch(`${url}/api/v1${path}`, init);
    return { status: response.status, body: (await response.json()) as JsonObject };
  };
  return { engine, database, service, inventory, call };
}
