import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { fc } from '#fast-check';
import {
  createEngine,
  type Database,
  isEngineError,
  type KindDefinition,
  migrate,
  openSqliteDatabase,
  StoreError,
} from '../engine/index.ts';
import { systemClock } from '../kube/index.ts';
import { loadCredentialKeys, mayOthersRead } from './credentials/key-file.ts';
import { isInventoryError } from './errors.ts';
import { describeServerservice } from './http/routes.ts';
import { inventoryMigrations, inventorySchema } from './schema.ts';
import { createServerservice } from './serverservice.ts';
import { firstPage } from './sql/select-page.ts';
import { storeJson } from './sql/store-json.ts';

async function openDatabase(t: TestContext): Promise<Database> {
  const database = await openSqliteDatabase({ path: ':memory:', clock: systemClock });
  t.after(() => database.close());
  return database;
}

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'serverservice-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const firmwareInstall: KindDefinition = {
  ...{ kind: 'firmwareInstall', sharing: 'exclusive', isDisruptive: true, leaseMs: 10_000, requestDeadlineMs: 1000 },
  ...{ maxLeases: 3, check: (parameters) => ({ parameters, problems: [] }) },
};

describe('beside the engine, in one database', () => {
  test('a server is a machine that conditions can be asked for, and cannot go while one runs', async (t) => {
    const database = await openDatabase(t);
    const engine = await createEngine({ database, clock: systemClock, kinds: [firmwareInstall] });
    t.after(() => engine.close());
    const service = await createServerservice({ database, machines: engine.machines });
    const { id } = await service.servers.create({
      facility: 'a',
      bmcAddress: '10.0.0.1',
      vendor: 'dell',
      model: 'r750',
    });
    const order = { target: `server/${id}`, orders: [{ kind: 'firmwareInstall', parameters: {} }], client: 'test' };
    assert.equal((await engine.create(order)).outcome, 'created');
    await engine.worker.online({ id: 'w', kinds: ['firmwareInstall'], facilities: ['a'] });
    const leases = await engine.worker.lease('w', { max: 1, waitMs: 0 });
    assert.equal(leases.length, 1);
    await assert.rejects(service.servers.remove(id), (error) => isInventoryError(error, 'busy'));
    assert.equal((await service.servers.get(id)).deletedAt, undefined);
    const other = { facility: 'a', bmcAddress: '10.0.0.1' };
    await assert.rejects(service.servers.create(other), (error) => isInventoryError(error, 'duplicateMachine'));
    assert.equal((await service.servers.list({}, firstPage)).total, 1);
  });

  test('a deleted server is no machine any more', async (t) => {
    const database = await openDatabase(t);
    const engine = await createEngine({ database, clock: systemClock, kinds: [firmwareInstall] });
    t.after(() => engine.close());
    const service = await createServerservice({ database, machines: engine.machines });
    const { id } = await service.servers.create({ facility: 'a' });
    await service.servers.remove(id);
    const order = { target: `server/${id}`, orders: [{ kind: 'firmwareInstall', parameters: {} }], client: 'test' };
    await assert.rejects(engine.create(order), (error) => isEngineError(error, 'unknownMachine'));
    await service.servers.create({ id, facility: 'a' });
    assert.equal((await engine.create(order)).outcome, 'created');
  });
});

describe('the tables of the inventory', () => {
  test('are made step by step, and what an older version wrote stays', async (t) => {
    const database = await openDatabase(t);
    await migrate(database, inventoryMigrations.slice(0, 1), { schema: inventorySchema });
    const id = randomUUID();
    await database.write((tx) =>
      tx.run(
        `INSERT INTO inventory_servers (id, name, facility, vendor, model, serial, bmc_id, bmc_address, macs,
           is_machine_pending, created_at, updated_at) VALUES (?, 'old', 'a', '', '', '', '', '', '[]', 0, 1, 1)`,
        id,
      ),
    );
    const service = await createServerservice({ database });
    assert.equal((await service.servers.getDetails(id)).name, 'old');
    const again = await createServerservice({ database });
    assert.equal((await again.servers.list({}, firstPage)).total, 1);
    assert.equal((await again.credentials.listTypes(firstPage)).total, 1);
  });

  test('have firmware of before with no ids of what it is for', async (t) => {
    const database = await openDatabase(t);
    await migrate(database, inventoryMigrations.slice(0, 6), { schema: inventorySchema });
    const id = randomUUID();
    await database.write((tx) =>
      tx.run(
        `INSERT INTO inventory_firmware (id, component, vendor, filename, version, models, upstream_url, repository_url,
           is_inband, is_oem, created_at, updated_at) VALUES (?, 'bios', 'dell', 'a', '1', '["R640"]', '', '', 0, 0, 1, 1)`,
        id,
      ),
    );
    const { firmware } = await createServerservice({ database });
    const { models, softwareIds } = await firmware.get(id);
    assert.deepEqual([models, softwareIds], [['R640'], []]);
  });

  test('of a newer version are refused', async (t) => {
    const database = await openDatabase(t);
    const newer = [...inventoryMigrations, { version: 999, statements: {} }];
    await migrate(database, newer, { schema: inventorySchema });
    await assert.rejects(
      createServerservice({ database }),
      (error) => error instanceof StoreError && error.code === 'newer',
    );
  });
});

describe('the key file of credentials', () => {
  test('is made for the owner alone and read again', (t) => {
    const file = join(folder(t), 'keys.json');
    const made = loadCredentialKeys(file);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(loadCredentialKeys(file), made);
    assert.equal(made[0].secret.length, 32);
  });

  test('may be a mounted Secret: a file of root that the user reads by its group, and nobody else', () => {
    const user = 65_532;
    assert.equal(mayOthersRead({ mode: 0o100440, uid: 0 }, user), false);
    assert.equal(mayOthersRead({ mode: 0o100644, uid: 0 }, user), true);
    assert.equal(mayOthersRead({ mode: 0o100460, uid: 0 }, user), true);
    assert.equal(mayOthersRead({ mode: 0o100440, uid: user }, user), true);
    assert.equal(mayOthersRead({ mode: 0o100440, uid: 0 }, 0), true);
    assert.equal(mayOthersRead({ mode: 0o100600, uid: user }, user), false);
  });

  test('is refused when others may read it, or when it holds no key; its content is not quoted', (t) => {
    const file = join(folder(t), 'keys.json');
    loadCredentialKeys(file);
    const text = readFileSync(file, 'utf8');
    chmodSync(file, 0o644);
    assert.throws(() => loadCredentialKeys(file), /others may read it; run: chmod 600/);
    chmodSync(file, 0o600);
    for (const broken of [
      '',
      '{}',
      '[]',
      'null',
      '{"keys":[]}',
      '{"keys":[{"id":"x","secret":"y"}]}',
      text.slice(0, -10),
    ]) {
      writeFileSync(file, broken);
      assert.throws(
        () => loadCredentialKeys(file),
        (error) => isInventoryError(error, 'keyFile') && !/secret": "[A-Za-z0-9]/.test(error.message),
      );
    }
  });
});

describe('JSON that is stored', () => {
  test('is the same text for equal values, whatever the order of members, and reads back as it was', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const json = JSON.parse(JSON.stringify(value));
        if (JSON.stringify(json).includes('\\u0000') || !JSON.stringify(json).isWellFormed()) return;
        const text = storeJson(json, 'value');
        assert.deepEqual(JSON.parse(text), json);
        assert.equal(storeJson(JSON.parse(text), 'value'), text);
      }),
    );
    assert.equal(storeJson({ b: 1, a: [{ d: 1, c: 2 }] }, 'value'), '{"a":[{"c":2,"d":1}],"b":1}');
  });

  test('is refused where PostgreSQL could not hold it', () => {
    for (const value of ['\0', { '\0': 1 }, ['\ud800']])
      assert.throws(() => storeJson(value, 'value'), /badValue|contains/);
  });
});

describe('the OpenAPI document', () => {
  test('refers only to what it defines, and names each operation once', () => {
    const document = describeServerservice();
    const text = JSON.stringify(document);
    const { schemas, responses } = document.components as { schemas: object; responses: object };
    const references = new Set(
      [...text.matchAll(/"#\/components\/(schemas|responses)\/(\w+)"/g)].map((one) => `${one[1]}/${one[2]}`),
    );
    const defined = [
      ...Object.keys(schemas).map((name) => `schemas/${name}`),
      ...Object.keys(responses).map((name) => `responses/${name}`),
    ];
    assert.deepEqual(
      [...references].filter((one) => !defined.includes(one)),
      [],
    );
    const operations = [...text.matchAll(/"operationId":"(\w+)"/g)].map((one) => one[1]);
    assert.equal(new Set(operations).size, operations.length);
    assert.ok(operations.length > 45);
  });
});
