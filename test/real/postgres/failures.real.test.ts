import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { inspect } from 'node:util';
import {
  createFaultInjector,
  migrate,
  openPostgresDatabase,
  type PostgresDatabase,
  type PostgresOptions,
  type RetryNotice,
  readStoreId,
  StoreError,
} from '../../../src/engine/store/index.ts';
import { systemClock } from '../../../src/kube/index.ts';
import { freePortRange } from '../free-ports.ts';
import { startCuttingProxy } from './cutting-proxy.ts';
import { type RealPostgres, startPostgres } from './real-postgres.ts';

const instant = { ...systemClock, after: (_: number, callback: () => void) => systemClock.after(0, callback) };

let server: RealPostgres;
let databases = 0;
before(async () => {
  server = await startPostgres();
});
after(() => server?.stop());

/** A new database with an empty table. */
async function open(t: TestContext, options: Partial<PostgresOptions> = {}): Promise<PostgresDatabase> {
  const url = await server.createDatabase(`failures_${++databases}`);
  const database = await openPostgresDatabase({ url, ...options });
  t.after(() => database.close());
  await database.write((tx) => tx.run('CREATE TABLE item (id TEXT PRIMARY KEY)'));
  return database;
}

function items(database: PostgresDatabase): Promise<unknown[]> {
  return database.read(async (tx) => (await tx.all('SELECT id FROM item ORDER BY id')).map((row) => row.id));
}

function hasCode(code: string): (error: unknown) => boolean {
  return (error) => error instanceof StoreError && error.code === code;
}

test('a connection that the server ends in the middle of a transaction costs one more run', async (t) => {
  const notices: RetryNotice[] = [];
  const database = await open(t, { onRetry: (notice) => void notices.push(notice) });
  let runs = 0;
  await database.write(async (tx) => {
    runs += 1;
    await tx.run('INSERT INTO item VALUES (?)', `run-${runs}`);
    if (runs > 1) return;
    const own = await tx.first('SELECT pg_backend_pid() AS pid');
    await database.read((other) => other.first('SELECT pg_terminate_backend(?)', own?.pid ?? 0));
    await tx.run('INSERT INTO item VALUES (?)', 'never');
  });
  assert.deepEqual(await items(database), ['run-2']);
  assert.deepEqual(
    notices.map(({ why, attempt }) => [why, attempt]),
    [['lost', 1]],
  );
});

test('a connection that the server ends between the last statement and the commit costs one more run', async (t) => {
  const database = await open(t);
  let runs = 0;
  await database.write(async (tx) => {
    runs += 1;
    await tx.run('INSERT INTO item VALUES (?)', `run-${runs}`);
    if (runs > 1) return;
    const own = await tx.first('SELECT pg_backend_pid() AS pid');
    // Waits for the end of that process, so that its last words are there to be read.
    await database.read((other) => other.first('SELECT pg_terminate_backend(?, 60000)', own?.pid ?? 0));
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  });
  assert.deepEqual([await items(database), runs], [['run-2'], 2]);
});

test('a transaction that stands still for too long before its commit is run again', async (t) => {
  const database = await open(t, { stalledMs: 300 });
  let runs = 0;
  await database.write(async (tx) => {
    runs += 1;
    await tx.run('INSERT INTO item VALUES (?)', `run-${runs}`);
    // The whole process stands still, so that what the server says meanwhile is the answer to the commit.
    if (runs === 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
  });
  assert.deepEqual(await items(database), [`run-${runs}`]);
});

test('a commit whose answer is lost is reported as such, and not run again', async (t) => {
  const direct = await open(t);
  const proxy = await startCuttingProxy(server.port);
  t.after(() => proxy.stop());
  const url = new URL(server.url);
  url.port = String(proxy.port);
  url.pathname = `failures_${databases}`;
  const database = await openPostgresDatabase({ url: url.href });
  t.after(() => database.close());
  let runs = 0;
  proxy.cutAnswerTo('COMMIT');
  const write = database.write(async (tx) => {
    runs += 1;
    await tx.run('INSERT INTO item VALUES (?)', `run-${runs}`);
  });
  await assert.rejects(write, hasCode('outcomeUnknown'));
  assert.equal(runs, 1);
  const isStored = async () => (await items(direct)).length === 1;
  while (!(await isStored())) await new Promise(setImmediate);
  await database.write((tx) => tx.run('INSERT INTO item VALUES (?)', 'later'));
  assert.deepEqual(await items(database), ['later', 'run-1']);
});

test('an injected loss of the connection is run again before the commit, and in doubt at it', async (t) => {
  const faults = createFaultInjector();
  const database = await open(t, { faults });
  faults.plan({ point: 'statement', nth: 1, code: 'lost' });
  await database.write((tx) => tx.run('INSERT INTO item VALUES (?)', 'a'));
  assert.deepEqual(await items(database), ['a']);
  faults.plan({ point: 'commit', nth: 1, code: 'lost' });
  const write = database.write((tx) => tx.run('INSERT INTO item VALUES (?)', 'b'));
  await assert.rejects(write, hasCode('outcomeUnknown'));
});

test('a process that hangs in the middle of a transaction lets go of its rows, and its transaction is run again', async (t) => {
  const hung = await open(t, { stalledMs: 300 });
  const other = await openPostgresDatabase({ url: server.url.replace(/[^/]+$/, `failures_${databases}`) });
  t.after(() => other.close());
  await other.write((tx) => tx.run('INSERT INTO item VALUES (?)', 'a'));
  const locked = Promise.withResolvers<void>();
  const woken = Promise.withResolvers<void>();
  let runs = 0;
  const hanging = hung.write(
    async (tx) => {
      runs += 1;
      const row = await tx.first('SELECT id FROM item FOR UPDATE');
      locked.resolve();
      if (row?.id === 'a') await woken.promise;
      await tx.run('UPDATE item SET id = ?', `${row?.id}-${runs}`);
    },
    { isolation: 'row-locks' },
  );
  await locked.promise;
  // Waits for the row, a second at a time, until the server has ended the session of the one that hangs.
  await other.write((tx) => tx.run('UPDATE item SET id = ?', 'b'), { isolation: 'row-locks' });
  woken.resolve();
  await hanging;
  // On a machine that stands still itself for as long, it took more than two runs.
  assert.ok(runs > 1);
  assert.deepEqual(await items(other), [`b-${runs}`]);
});

test('with row locks a statement sees what was committed while it waited, and nobody has to run again', async (t) => {
  const database = await open(t);
  await database.write((tx) => tx.run('INSERT INTO item VALUES (?)', 'x'));
  const append = (text: string) =>
    database.write(
      async (tx) => {
        const row = await tx.first('SELECT id FROM item FOR UPDATE');
        await tx.run('UPDATE item SET id = ?', `${row?.id}${text}`);
      },
      { isolation: 'row-locks' },
    );
  await Promise.all(Array.from({ length: 20 }, () => append('y')));
  assert.deepEqual(await items(database), [`x${'y'.repeat(20)}`]);
  assert.equal(database.counts.retries, 0);
});

test('a server that crashes and comes back is used again, and keeps what it confirmed', async (t) => {
  const database = await open(t);
  const confirmed: string[] = [];
  const until = Promise.withResolvers<void>();
  let isOver = false;
  const work = async (worker: number) => {
    for (let n = 0; !isOver; n++) {
      const id = `${worker}-${n}`;
      const isStored = await database
        .write((tx) => tx.run('INSERT INTO item VALUES (?)', id))
        .then(
          () => true,
          (error: unknown) => {
            // In doubt or cut off too long: neither may be counted, and the next one is tried.
            if (hasCode('outcomeUnknown')(error) || hasCode('unreachable')(error)) return false;
            throw error;
          },
        );
      if (isStored) confirmed.push(id);
      if (confirmed.length === 100) until.resolve();
    }
  };
  const workers = Promise.all([0, 1, 2, 3].map(work));
  await until.promise;
  await server.crashAndRestart();
  const before = confirmed.length;
  while (confirmed.length < before + 50) await new Promise(setImmediate);
  isOver = true;
  await workers;
  const stored = new Set(await items(database));
  assert.deepEqual(
    confirmed.filter((id) => !stored.has(id)),
    [],
  );
});

test('a wrong password is refused at once, and no password is in the error', async () => {
  const url = new URL(server.url);
  const right = url.password;
  url.password = 'hunter2hunter2';
  const error = await openPostgresDatabase({ url: url.href }).catch((e: unknown) => e);
  assert.ok(hasCode('refused')(error), inspect(error));
  const shown = inspect(error, { depth: 20, showHidden: true });
  assert.doesNotMatch(shown, /hunter2/);
  assert.ok(!shown.includes(right));
});

test('a server that is not there is tried some times and then given up, without a password in the error', async () => {
  const notices: RetryNotice[] = [];
  const port = await freePortRange(1);
  const url = `postgres://u:hunter2@127.0.0.1:${port}/db`;
  const opening = openPostgresDatabase({ url, clock: instant, onRetry: (notice) => void notices.push(notice) });
  const error = await opening.catch((e: unknown) => e);
  assert.ok(hasCode('unreachable')(error), inspect(error));
  assert.match(String(error), new RegExp(`127.0.0.1:${port}/db cannot be reached: .*ECONNREFUSED`));
  assert.doesNotMatch(inspect(error, { depth: 20, showHidden: true }), /hunter2/);
  assert.equal(notices.length, 8);
});

test('a database that does not exist is refused by its name', async () => {
  const url = new URL(server.url);
  url.pathname = '/nowhere';
  await assert.rejects(openPostgresDatabase({ url: url.href }), /"nowhere" does not exist/);
});

test('several programs that migrate at once leave one schema and one id', async () => {
  const url = await server.createDatabase('migrated_at_once');
  const steps = [1, 2, 3].map((version) => ({
    version,
    statements: { common: [`CREATE TABLE step_${version} (id TEXT)`, `INSERT INTO step_${version} VALUES ('once')`] },
  }));
  const programs = await Promise.all(Array.from({ length: 4 }, () => openPostgresDatabase({ url, poolSize: 2 })));
  try {
    await Promise.all(programs.map((database) => migrate(database, steps)));
    const ids = await Promise.all(programs.map(readStoreId));
    assert.equal(new Set(ids).size, 1);
    const rows = await programs[0]?.read((tx) => tx.all('SELECT id FROM step_1 UNION ALL SELECT id FROM step_3'));
    assert.equal(rows?.length, 2);
  } finally {
    await Promise.all(programs.map((database) => database.close()));
  }
});

test('a prepared statement survives a change of its table by another program', async (t) => {
  const database = await open(t, { poolSize: 2 });
  await database.write((tx) => tx.run('INSERT INTO item VALUES (?)', 'a'));
  const all = () => database.read((tx) => tx.all('SELECT * FROM item'));
  assert.deepEqual(await all(), [{ id: 'a' }]);
  await database.write((tx) => tx.run('ALTER TABLE item ADD COLUMN note TEXT'));
  assert.deepEqual(await all(), [{ id: 'a', note: null }]);
});

test('reads go on while every connection for writes is taken', async (t) => {
  const database = await open(t, { poolSize: 3 });
  const end = Promise.withResolvers<void>();
  const writes = Array.from({ length: 4 }, (_, n) =>
    database.write(async (tx) => {
      await tx.run('INSERT INTO item VALUES (?)', `w${n}`);
      await end.promise;
    }),
  );
  assert.deepEqual(await items(database), []);
  end.resolve();
  await Promise.all(writes);
  assert.equal((await items(database)).length, 4);
});
