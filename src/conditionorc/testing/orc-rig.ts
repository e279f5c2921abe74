import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import {
  createEngine,
  type Database,
  type Engine,
  type EngineOptions,
  type JsonObject,
  type MachineRecord,
  openSqliteDatabase,
} from '../../engine/index.ts';
import { createFakeClock, type FakeClock } from '../../kube/index.ts';
import { createFixedAuthorizer, createRest } from '../../rest/index.ts';
import { Sealer } from '../../serverservice/index.ts';
import type { ConditionRecord } from '../records/condition-record.ts';
import { conditionOrcRoutes, type OrcRouteOptions } from '../routes/orc-routes.ts';
import { openOrcStore } from '../store/orc-store.ts';
import { createFakeInventory, type FakeInventory } from './fake-inventory.ts';
import { kindsForTests } from './kinds.ts';

/** For tests: an answer, its body read. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: JsonObject;
  /** `record` of the body. */
  readonly record: ConditionRecord;
  /** `records.conditions` of the body. */
  readonly conditions: readonly ConditionRecord[];
}

/** For tests: conditionOrc on a free port, and the engine behind it. */
export interface OrcRig {
  readonly engine: Engine;
  readonly database: Database;
  readonly clock: FakeClock;
  readonly inventory: FakeInventory;
  readonly url: string;
  /** Sends a request as somebody who may do anything, or with another token. */
  call(method: string, path: string, body?: unknown, token?: string): Promise<Answered>;
  /** A machine with a BMC of its own in facility fc1. */
  addMachine(id: string, more?: Partial<MachineRecord>): Promise<void>;
  /** Adds a machine and asks the engine for work on it; gives the id of the condition. */
  order(machine: string, kind: string): Promise<string>;
}

/** For tests: ids of servers. */
export const serverA = '0a000000-0000-4000-8000-00000000000a';
export const serverB = '0b000000-0000-4000-8000-00000000000b';
/** For tests: ids of a firmware set and its images. */
export const setA = '5e000000-0000-4000-8000-00000000000a';
export const imageA = '1f000000-0000-4000-8000-00000000000a';
export const imageB = '1f000000-0000-4000-8000-00000000000b';

const tokens = {
  all: {
    name: 'dustin',
    scopes: ['read', 'write', 'update:worker', 'read:server:credentials', 'write:server:credentials'],
  },
  writer: { name: 'writer', scopes: ['read', 'write', 'update'] },
  reader: { name: 'reader', scopes: ['read'] },
  conditions: { name: 'conditions', scopes: ['create:condition', 'read:condition'] },
  orders: { name: 'orders', scopes: ['read', 'create:condition', 'update:condition'] },
  worker: { name: 'worker', scopes: ['update:worker'] },
};

/** For tests: starts conditionOrc on a database in memory, or on a given one. */
export async function startOrc(
  t: Pick<TestContext, 'after'>,
  options: Partial<EngineOptions> = {},
  more: Pick<OrcRouteOptions, 'probe' | 'plane' | 'areAgentsPromised'> = {},
): Promise<OrcRig> {
  const clock = createFakeClock();
  const database = options.database ?? (await openSqliteDatabase({ path: ':memory:', clock }));
  const sealer = new Sealer([{ id: 'k1', secret: randomBytes(32) }]);
  const engine = await createEngine({ database, clock, kinds: kindsForTests, sealer, ...options });
  const inventory = createFakeInventory(engine.machines);
  const rest = createRest({
    info: { title: 'conditionOrc', description: 'Of a test.', version: '1' },
    authorizer: createFixedAuthorizer(tokens),
  });
  const store = await openOrcStore(database);
  rest.add(...conditionOrcRoutes({ engine, inventory, store, clock: options.clock ?? clock, ...more }));
  const { url } = await rest.listen({ host: '127.0.0.1', port: 0 });
  t.after(async () => {
    await engine.close();
    await rest.close();
    if (options.database === undefined) await database.close();
  });
  const rig: OrcRig = {
    engine,
    database,
    clock,
    inventory,
    url,
    call: (method, path, body, token = 'all') => send(`${url}/api/v1${path}`, { method, body, token }),
    async addMachine(id, more = {}) {
      const machine = { id, facility: 'fc1', bmcId: `bmc-${id}`, manufacturer: 'Dell', model: 'R750', hold: undefined };
      const outcome = await engine.machines.put({ ...machine, ...more }, [{ kind: 'serial', value: `serial-${id}` }]);
      if (outcome !== 'ok') throw new Error(`machine ${id} was not put`);
    },
    async order(machine, kind) {
      await rig.addMachine(machine);
      const orders = [{ kind, parameters: {} }];
      const outcome = await engine.create({ target: `server/${machine}`, client: 'test', orders });
      const [created] = outcome.outcome === 'created' ? outcome.conditions : [];
      if (created === undefined) throw new Error(`${kind} on ${machine} was not created: ${outcome.outcome}`);
      return created.id;
    },
  };
  return rig;
}

async function send(url: string, request: { method: string; body: unknown; token: string }): Promise<Answered> {
  const { method, body, token } = request;
  const response = await fetch(url, {
    method,
    headers: {
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const parsed = (await response.json()) as JsonObject;
  const records = parsed.records as unknown as { conditions?: readonly ConditionRecord[] } | undefined;
  return {
    status: response.status,
    headers: response.headers,
    body: parsed,
    record: parsed.record as unknown as ConditionRecord,
    conditions: records?.conditions ?? [],
  };
}
