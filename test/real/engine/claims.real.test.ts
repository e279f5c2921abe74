import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type Alias,
  createEngine,
  type Engine,
  externalWork,
  openExternalWork,
  openPostgresDatabase,
} from '../../../src/engine/index.ts';
import { kindsForTests, patient } from '../../../src/engine/testing/rig.ts';
import { systemClock } from '../../../src/kube/index.ts';
import { type RealPostgres, startPostgres } from '../postgres/real-postgres.ts';

let postgres: RealPostgres;
let inventory: Engine;
let hosts: Engine;
const closing: (() => Promise<void>)[] = [];

before(async () => {
  postgres = await startPostgres({ settings: { fsync: 'off' } });
  const url = await postgres.createDatabase('claims');
  const open = async (): Promise<Engine> => {
    const database = await openPostgresDatabase({ url, clock: systemClock, poolSize: 8 });
    const kinds = [...kindsForTests.map(patient), externalWork];
    const engine = await createEngine({ database, clock: systemClock, kinds });
    closing.push(
      () => engine.close(),
      () => database.close(),
    );
    return engine;
  };
  [inventory, hosts] = await Promise.all([open(), open()]);
});

after(async () => {
  for (const close of closing) await close();
  await postgres.stop();
});

const machineOf = (id: string) => ({
  ...{ id, facility: 'fc1', bmcId: `bmc-${id}`, manufacturer: 'Dell', model: 'R750' },
  hold: undefined,
});
const install = (id: string) =>
  inventory.create({ target: `server/${id}`, client: 't', orders: [{ kind: 'firmwareInstall', parameters: {} }] });

test('of a machine that becomes known while work on it begins, one of the two always knows of the other', async () => {
  const desk = openExternalWork({ engine: hosts, watcher: 'hosts', clock: systemClock });
  await inventory.worker.online({ id: 'w1', kinds: ['firmwareInstall'], facilities: ['fc1'] });
  for (let round = 0; round < 40; round++) {
    const id = `m${round}`;
    const aliases: readonly Alias[] = [{ kind: 'serial', value: id }];
    const order = { aliases, owner: `BareMetalHost ns/${id}`, what: 'provision' };
    const learn = async () => {
      assert.equal(await inventory.machines.put(machineOf(id), aliases), 'ok');
      await install(id);
      return await inventory.worker.lease('w1', { max: 1, waitMs: 0, target: `server/${id}` });
    };
    const [hold, leases] = await Promise.all([desk.hold(order), learn()]);
    const isAtWork = hold.kind !== 'waits';
    assert.ok(!(isAtWork && leases.length > 0), `round ${round}: both work, ${hold.kind}`);
  }
  await desk.close();
});

test('turns go round on a store that others use too, and what is in use waits', async () => {
  const owner = 'BareMetalHost ns/turns';
  const names: readonly Alias[] = [{ kind: 'serial', value: 'turns' }];
  await inventory.machines.put(machineOf('turns'), names);
  await hosts.claims.put({ owner, names, use: { code: 'HostInUse', message: 'it is provisioned' } });
  const asked = await install('turns');
  assert.ok(asked.outcome === 'created');
  assert.equal(asked.conditions[0]?.reason?.code, 'HostInUse');
  assert.deepEqual(
    (await hosts.claims.due()).filter((turn) => turn.owner === owner),
    [],
  );
  await hosts.claims.put({ owner, names, use: undefined });
  const lease = () => inventory.worker.lease('w1', { max: 1, waitMs: 0, target: 'server/turns' });
  assert.deepEqual(await lease(), []);
  // Two that look at once agree.
  const both = await Promise.all([hosts.claims.due(), inventory.claims.due()]);
  for (const due of both)
    assert.deepEqual(
      due.filter((turn) => turn.owner === owner),
      [{ owner, turn: 'asked' }],
    );
  await hosts.claims.done({ owner, turn: 'asked' });
  const [leased = assert.fail()] = await lease();
  await inventory.worker.report({ conditionId: leased.condition.id, token: leased.token }, { state: 'succeeded' });
  assert.deepEqual(
    (await hosts.claims.due()).filter((turn) => turn.owner === owner),
    [{ owner, turn: 'over' }],
  );
  await hosts.claims.done({ owner, turn: 'over' });
  assert.equal((await hosts.claims.get(owner))?.turn, 'theirs');
  await hosts.claims.remove(owner);
  assert.equal(await hosts.claims.get(owner), undefined);
});
