import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Database, openPostgresDatabase } from '../../../src/engine/index.ts';
import { systemClock } from '../../../src/kube/index.ts';
import { describeMachineRecords } from '../../../src/provisioners/agent/records/contract/machine-records-contract.ts';
import { handDriven } from '../../../src/provisioners/agent/testing/hand-driven.ts';
import { inventoryOf, startedAgents } from '../../../src/provisioners/agent/testing/started-agents.ts';
import { type RealPostgres, startPostgres } from './real-postgres.ts';

let server: RealPostgres;
let databases = 0;
before(async () => {
  server = await startPostgres({ settings: { fsync: 'off' } });
});
after(() => server?.stop());

const openEmpty = async () => {
  const url = await server.createDatabase(`agents_${++databases}`);
  const again = (): Promise<Database> => openPostgresDatabase({ url, clock: systemClock, poolSize: 8 });
  return { database: await again(), again };
};

describeMachineRecords({ name: 'a real PostgreSQL', open: openEmpty });

test('a machine introduces itself to one process on PostgreSQL and is deployed by another', async (t) => {
  const { database, again } = await openEmpty();
  t.after(() => database.close());
  const second = await again();
  t.after(() => second.close());
  const one = await startedAgents(t, { database });
  const other = await startedAgents(t, { database: second });
  const introduced = await one.introduce(inventoryOf(1));
  assert.equal(introduced.status, 201);
  const { id, token } = introduced.body;
  assert.equal((await other.ask('GET', `/${String(id)}/command`, { token: String(token) })).status, 204);
  const machine = await handDriven(other, 1);
  assert.equal(machine.id, id, 'it is the same machine there');
  await machine.deploy();
  assert.equal((await one.introduce(inventoryOf(1))).status, 409, 'it runs what was deployed on it');
  assert.deepEqual(await machine.provisioner.remove(), { kind: 'done', value: undefined });
  const back = await one.introduce(inventoryOf(1));
  assert.equal(back.status, 201);
  assert.notEqual(back.body.id, id);
});

test('hundreds of machines that introduce themselves at once to two processes on PostgreSQL all get in', async (t) => {
  const { database, again } = await openEmpty();
  t.after(() => database.close());
  const second = await again();
  t.after(() => second.close());
  const both = [await startedAgents(t, { database }), await startedAgents(t, { database: second })];
  const answers = await Promise.all(
    Array.from({ length: 300 }, async (_, number) => both[number % 2]?.introduce(inventoryOf(number))),
  );
  assert.deepEqual([...new Set(answers.map((answer) => answer?.status))], [201]);
  t.diagnostic(`${database.counts.retries + second.counts.retries} transactions were run again`);
});
