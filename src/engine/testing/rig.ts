import type { TestContext } from 'node:test';
import { createFakeClock, type FakeClock } from '../../kube/index.ts';
import type { Condition } from '../condition.ts';
import { createEngine, type EngineOptions } from '../create-engine.ts';
import type { Engine } from '../engine.ts';
import type { KindDefinition } from '../kinds.ts';
import type { MachineRecord } from '../machine.ts';
import { type Database, openSqliteDatabase, type Transaction } from '../store/index.ts';
import type { Lease, WorkerIdentity } from '../worker/worker-port.ts';

/** For tests: kinds of every way of sharing. */
export const kindsForTests: readonly KindDefinition[] = [
  kind('firmwareInstall', { sharing: 'exclusive', isDisruptive: true }),
  kind('powerCycleHard', { sharing: 'exclusive', isDisruptive: true }),
  kind('biosControl', { sharing: 'exclusive', isDisruptive: true, deadlineMs: 600_000 }),
  kind('inventoryOOB', { sharing: 'shared', isDisruptive: false }),
  kind('sensorRead', { sharing: 'shared', isDisruptive: false }),
  kind('catalogueLookup', { sharing: 'passive', isDisruptive: false }),
];

/** For tests: a kind with short times. Parameters must not have a member `bad`. */
export function kind(name: string, more: Partial<KindDefinition> = {}): KindDefinition {
  return {
    kind: name,
    sharing: 'exclusive',
    isDisruptive: false,
    leaseMs: 10_000,
    requestDeadlineMs: 5000,
    maxLeases: 3,
    check: (parameters) => ({
      parameters,
      problems: 'bad' in parameters ? ['bad must not be there', 'it is bad'] : [],
    }),
    ...more,
  };
}

/** For tests on real time: the same kind, with a lease that outlasts a machine that stands still for a while. */
export function patient(one: KindDefinition): KindDefinition {
  return { ...one, leaseMs: 600_000 };
}

/** For tests: an engine, the clock that its store goes by, and short ways to use it. */
export interface Rig {
  readonly engine: Engine;
  readonly database: Database;
  readonly clock: FakeClock;
  /** Machines `m0`, `m1`, ... with a BMC each, unless told otherwise. */
  addMachine(id: string, more?: Partial<MachineRecord> & { readonly serial?: string }): Promise<void>;
  /** Creates one condition that must be new. */
  create(target: string, kind: string, more?: { priority?: number; deadlineMs?: number }): Promise<Condition>;
  get(id: string): Promise<Condition>;
  online(id: string, more?: Partial<WorkerIdentity>): Promise<void>;
  /** Leases without waiting. */
  lease(worker: string, max?: number): Promise<readonly Lease[]>;
  /** Leases one that must be there. */
  leaseOne(worker: string): Promise<Lease>;
  /** A second engine on the same store, as another process would have. */
  another(options?: Partial<EngineOptions>): Promise<Engine>;
}

/** For tests: the id of a lease, as reports name it. */
export function held(lease: Lease): { readonly conditionId: string; readonly token: number } {
  return { conditionId: lease.condition.id, token: lease.token };
}

/** For tests: an engine on a database in memory, or on a given one. */
export async function setUpEngine(
  t: Pick<TestContext, 'after'>,
  options: Partial<EngineOptions> & { readonly clock?: FakeClock } = {},
): Promise<Rig> {
  const clock = options.clock ?? createFakeClock();
  const database = options.database ?? (await openSqliteDatabase({ path: ':memory:', clock }));
  const another = async (more: Partial<EngineOptions> = {}): Promise<Engine> => {
    const made = await createEngine({ database, kinds: kindsForTests, ...options, ...more, clock });
    t.after(() => made.close());
    return made;
  };
  const engine = await another();
  t.after(async () => {
    await engine.close();
    if (options.database === undefined) await database.close();
  });
  const allKinds = engine.kinds.map((one) => one.kind);
  const rig: Rig = {
    engine,
    database,
    clock,
    another,
    async addMachine(id, { serial = `serial-${id}`, ...more } = {}) {
      const record = { id, facility: 'fc1', bmcId: `bmc-${id}`, manufacturer: 'Dell', model: 'R750', hold: undefined };
      const outcome = await engine.machines.put({ ...record, ...more }, [{ kind: 'serial', value: serial }]);
      if (outcome !== 'ok') throw new Error(`machine ${id} was not put`);
    },
    async create(target, name, more = {}) {
      const order = { kind: name, parameters: {}, ...more };
      const outcome = await engine.create({ target, client: 'test', orders: [order] });
      const [created] = outcome.outcome === 'created' ? outcome.conditions : [];
      if (created === undefined) throw new Error(`${name} on ${target} was not created: ${outcome.outcome}`);
      return created;
    },
    async get(id) {
      const found = await engine.get(id);
      if (found === undefined) throw new Error(`there is no condition ${id}`);
      return found;
    },
    online: (id, more = {}) => engine.worker.online({ id, kinds: allKinds, facilities: ['fc1'], ...more }),
    lease: (worker, max = 10) => engine.worker.lease(worker, { max, waitMs: 0 }),
    async leaseOne(worker) {
      const [lease] = await rig.lease(worker, 1);
      if (lease === undefined) throw new Error(`there is nothing to lease for ${worker}`);
      return lease;
    },
  };
  return rig;
}

/** For tests: a database that goes by a clock of the test instead of its own. */
export function onFakeTime(database: Database, clock: FakeClock): Database {
  const at = (tx: Transaction): Transaction => ({
    all: (sql, ...values) => tx.all(sql, ...values),
    first: (sql, ...values) => tx.first(sql, ...values),
    run: (sql, ...values) => tx.run(sql, ...values),
    now: clock.now(),
    ...(tx.isolation === undefined ? {} : { isolation: tx.isolation }),
  });
  return {
    dialect: database.dialect,
    read: (work) => database.read((tx) => work(at(tx))),
    write: (work, options) => database.write((tx) => work(at(tx)), options),
    get counts() {
      return database.counts;
    },
    close: () => database.close(),
  };
}
