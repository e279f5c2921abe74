import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEngine, type Database, type Engine, externalWork } from '../../engine/index.ts';
import { systemClock } from '../../kube/index.ts';
import { type Logger, silentLogger } from '../../telemetry/index.ts';
import { createServerservice, type Serverservice } from '../serverservice.ts';
import { firstPage } from '../sql/select-page.ts';

const path = '/redfish/v1/Systems/1';
const idOf = (name: string): string => `0000000${name}-0000-4000-8000-000000000000`;
/** What older versions took as machines of their own. */
const old: Readonly<Record<string, string>> = {
  a: 'https://10.0.0.7:443',
  b: '10.0.0.7',
  c: `redfish+https://10.0.0.7${path}`,
  d: 'https://10.0.0.7/redfish/v1/Systems/2',
  e: 'https://bmc7.example./',
  f: 'no address',
};

interface Store {
  readonly engine: Engine;
  readonly service: Serverservice;
}

async function openStore(database: Database, logger: Logger = silentLogger): Promise<Store> {
  const engine = await createEngine({ database, clock: systemClock, kinds: [externalWork], logger });
  return { engine, service: await createServerservice({ database, machines: engine.machines, logger }) };
}

/** Servers as an older version stored them: each a machine with its address as it was written, and a lock of its own. */
async function writeOld(database: Database): Promise<void> {
  const { engine, service } = await openStore(database);
  for (const [name, address] of Object.entries(old)) {
    const id = idOf(name);
    await service.servers.create({ id, facility: 'fc1', bmcAddress: `https://${name}.example` });
    await database.write(async (tx) => {
      const row = 'UPDATE inventory_servers SET bmc_address = ?, bmc = NULL, bmc_system = NULL WHERE id = ?';
      await tx.run(row, address, id);
      // Names were kept in small letters, with the path.
      await tx.run('UPDATE aliases SET value = ?, bmc = NULL WHERE machine_id = ?', address.toLowerCase(), id);
    });
  }
  await engine.close();
}

/** Stores of versions that kept addresses as they were written. */
export function tryOldAddresses(open: (t: { after(close: () => Promise<void>): void }) => Promise<Database>): void {
  test('addresses that were stored as they were written get one spelling, and nothing is lost', async (t) => {
    const database = await open(t);
    await writeOld(database);
    const warned: string[] = [];
    const logger = {
      ...silentLogger,
      warn: (message: string, fields?: object) => warned.push(`${message} ${JSON.stringify(fields)}`),
    };
    const { engine, service } = await openStore(database, logger as Logger);
    t.after(() => engine.close());
    const { records, total } = await service.servers.list({}, { ...firstPage, limit: 100 });
    assert.equal(total, 6);
    assert.deepEqual(Object.fromEntries(records.map(({ id, bmcAddress }) => [id.at(7), bmcAddress])), {
      a: 'https://10.0.0.7',
      b: 'https://10.0.0.7',
      c: `https://10.0.0.7${path}`,
      d: 'https://10.0.0.7/redfish/v1/Systems/2',
      e: 'https://bmc7.example',
      f: 'no address',
    });
    const locks = await Promise.all(
      'abcdef'.split('').map(async (name) => (await engine.machines.get(idOf(name)))?.bmcId),
    );
    assert.equal(new Set(locks.slice(0, 4)).size, 1, `one lock for one BMC: ${locks.join(', ')}`);
    assert.equal(new Set(locks).size, 3);
    const problems = Object.fromEntries(records.map(({ id, machineProblem }) => [id.at(7), machineProblem ?? '']));
    // Which system a and b mean is what c and d say.
    for (const name of ['a', 'b'])
      assert.match(problems[name] ?? '', /DuplicateMachine: .* is that of machine 0000000/);
    for (const name of ['c', 'd', 'e']) assert.equal(problems[name], '');
    assert.match(problems.f ?? '', /bmc_address: .*spaces .*write it as https/);
    const listed = await service.servers.list({ isWithProblem: true }, firstPage);
    assert.deepEqual(listed.records.map(({ id }) => id.at(7)).sort(), ['a', 'b', 'f']);
    for (const text of [/two machines have one BMC address/, /share one lock from now on/, /a server is no machine/])
      assert.ok(
        warned.some((line) => text.test(line)),
        `${text}: ${warned.join('\n')}`,
      );
  });

  test('a duplicate is a machine again when the others go, and stays with their lock until then', async (t) => {
    const database = await open(t);
    await writeOld(database);
    const { engine, service } = await openStore(database);
    t.after(() => engine.close());
    const problemOf = async (name: string) => (await service.servers.get(idOf(name))).machineProblem;
    await service.servers.update(idOf('a'), { name: 'renamed' });
    assert.match((await problemOf('a')) ?? '', /DuplicateMachine/);
    for (const name of ['b', 'c', 'd']) await service.servers.remove(idOf(name));
    assert.equal(await problemOf('a'), undefined);
    assert.equal((await engine.machines.findByAlias({ kind: 'bmc-address', value: '10.0.0.7' }))?.id, idOf('a'));
    await service.servers.update(idOf('f'), { bmcAddress: '10.0.0.9' });
    assert.equal(await problemOf('f'), undefined);
  });

  test('opened again, nothing changes any more', async (t) => {
    const database = await open(t);
    await writeOld(database);
    const first = await openStore(database);
    await first.service.servers.reconcile();
    const before = (await first.service.servers.list({}, { ...firstPage, limit: 100 })).records;
    await first.engine.close();
    const { engine, service } = await openStore(database);
    t.after(() => engine.close());
    assert.deepEqual((await service.servers.list({}, { ...firstPage, limit: 100 })).records, before);
  });
}
