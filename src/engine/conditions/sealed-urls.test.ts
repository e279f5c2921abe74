import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createFakeClock } from '../../kube/index.ts';
import type { Condition, JsonObject } from '../condition.ts';
import { type Database, openSqliteDatabase } from '../store/index.ts';
import { held, kind, type Rig, setUpEngine } from '../testing/rig.ts';
import type { UrlSealer } from './sealed-urls.ts';

const secret = 's3cret'.repeat(4);
const url = `https://user:${secret}@images.example/bios.bin?X-Amz-Signature=${secret}`;
const plain = 'https://images.example/bios.bin?version=2';
const parameters: JsonObject = { firmwares: [{ URL: url, 10: 'b', 9: 'a' }, { URL: plain }] };

/** No real encryption, but nothing that is sealed is there in clear text; the first key seals. */
function sealerOf(...keys: readonly string[]): UrlSealer {
  return {
    newestMark: `v1.${keys[0]}.`,
    seal: (use, text) => `v1.${keys[0]}.${Buffer.from(`${use}|${text}`).toString('base64url')}`,
    open(use, sealed) {
      const [, key = '', body = ''] = sealed.split('.');
      const text = Buffer.from(body, 'base64url').toString();
      if (!keys.includes(key) || !text.startsWith(`${use}|`)) throw new Error(`it is sealed with key ${key}`);
      return text.slice(use.length + 1);
    },
  };
}

const clock = createFakeClock();
const kinds = [kind('firmwareInstall', { sharing: 'exclusive', isDisruptive: true, isCarriedOn: true, maxLeases: 1 })];

async function createWith({ engine }: Rig, parameters: JsonObject): Promise<Condition> {
  const orders = [{ kind: 'firmwareInstall', parameters }];
  const outcome = await engine.create({ target: 'server/m0', client: 'test', orders });
  const [created] = outcome.outcome === 'created' ? outcome.conditions : [];
  return created ?? assert.fail(outcome.outcome);
}

async function openFile(t: TestContext): Promise<{ folder: string; database: Database }> {
  const folder = mkdtempSync(join(tmpdir(), 'sealed-urls-'));
  const database = await openSqliteDatabase({ path: join(folder, 'engine.db'), clock });
  t.after(async () => {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { folder, database };
}

function assertNoSecretIn(folder: string): void {
  const files = readdirSync(folder);
  assert.ok(files.includes('engine.db-wal'), files.join(' '));
  for (const file of files) assert.ok(!readFileSync(join(folder, file)).includes(secret), file);
}

test('a URL with a log-in is in no file of the store, and its worker has it also after a restart (security.md: work-log-ins)', async (t) => {
  const { folder, database } = await openFile(t);
  const rig = await setUpEngine(t, { clock, database, kinds, sealer: sealerOf('k1') });
  await rig.addMachine('m0');
  const order = { target: 'server/m0', client: 'test', orders: [{ kind: 'firmwareInstall', parameters }] };
  const { id } = await createWith(rig, parameters);
  assert.equal((await rig.engine.create(order)).outcome, 'existing');
  const { lock } = await rig.get(id);
  const changed = await rig.engine.change(id, { lock, parameters: { ...parameters, dry_run: true } });
  assert.equal(changed.current.parameters.dry_run, true);
  assert.equal((await rig.engine.create(order)).outcome, 'conflict');
  assertNoSecretIn(folder);

  const restarted = await rig.another({ sealer: sealerOf('k1') });
  const worker = { id: 'w1', kinds: ['firmwareInstall'], facilities: ['fc1'] };
  await restarted.worker.online(worker);
  const [lease] = await restarted.worker.lease('w1', { max: 1, waitMs: 0 });
  assert.ok(lease);
  assert.deepEqual(lease.condition.parameters, { ...parameters, dry_run: true });
  const progress = { state: 'sending', actions: [{ firmware: { url } }] };
  await restarted.worker.report(held(lease), { progress, isCancelUnsafe: true });
  assert.deepEqual((await restarted.get(id))?.progress, progress);
  await clock.advance(600_000);
  await restarted.sweep();
  assert.equal((await restarted.get(id))?.reason?.code, 'Unrunnable');
  const again = await createWith(rig, { ...parameters, dry_run: true });
  assert.deepEqual(again.progress, progress, 'it goes on with what was left');
  await clock.advance(8 * 24 * 3_600_000);
  await restarted.sweep();
  const rows = await database.read((tx) => tx.all(`SELECT id FROM history WHERE id = ?`, id));
  assert.equal(rows.length, 1);
  assert.deepEqual((await restarted.get(id))?.parameters.firmwares, parameters.firmwares);
  assertNoSecretIn(folder);
});

test('without keys an order with a log-in in a URL is refused, with the setting that gives them', async (t) => {
  const rig = await setUpEngine(t, { clock, kinds });
  await rig.addMachine('m0');
  await assert.rejects(createWith(rig, parameters), /--credential-keys/);
  const { id, lock } = await createWith(rig, { URL: plain });
  await assert.rejects(rig.engine.change(id, { lock, parameters }), /--credential-keys/);
});

test('an order cannot bring a URL that looks sealed', async (t) => {
  const rig = await setUpEngine(t, { clock, kinds, sealer: sealerOf('k1') });
  await rig.addMachine('m0');
  const forged = { URL: `sealed-url:${sealerOf('k1').seal('URL of work', url)}` };
  await assert.rejects(createWith(rig, forged), /sealed-url:/);
});

test('URLs in clear text are sealed at the start, and those of an old key with the new one', async (t) => {
  const rig = await setUpEngine(t, { clock, kinds });
  await rig.addMachine('m0');
  const { id } = await rig.create('server/m0', 'firmwareInstall');
  const [text, record] = [JSON.stringify(parameters), JSON.stringify({ id: 'old', parameters })];
  await rig.database.write(async (tx) => {
    await tx.run('UPDATE conditions SET parameters = ?, progress = ? WHERE id = ?', text, text, id);
    await tx.run(
      `INSERT INTO history (id, unit, target, kind, state, facility, created_at, finalized_at, record)
       VALUES ('old', 'old', 't', 'firmwareInstall', 'failed', '', 1, 1, ?)`,
      record,
    );
  });
  const storedText = async () => {
    const tables = await rig.database.read((tx) =>
      Promise.all([tx.all('SELECT * FROM conditions'), tx.all('SELECT * FROM history')]),
    );
    return JSON.stringify(tables);
  };
  const first = await rig.another({ sealer: sealerOf('k1') });
  assert.ok(!(await storedText()).includes(secret));
  assert.deepEqual((await first.get('old'))?.parameters, parameters);
  await rig.another({ sealer: sealerOf('k2', 'k1') });
  assert.ok(!(await storedText()).includes('v1.k1.'));
  const alone = await rig.another({ sealer: sealerOf('k2') });
  assert.deepEqual((await alone.get(id))?.parameters, parameters);
  assert.deepEqual((await alone.get('old'))?.parameters, parameters);
  const other = await rig.another({ sealer: sealerOf('k3') });
  const kept = JSON.stringify((await other.get(id))?.parameters);
  assert.match(kept, /"sealed-url:v1\.k2\./, 'what cannot be opened stays sealed');
  assert.deepEqual((await alone.get(id))?.parameters, parameters);
});
