import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { openSqliteDatabase } from '../../src/engine/index.ts';
import { systemClock } from '../../src/kube/index.ts';
import { openHostRecords } from '../../src/provisioners/index.ts';
import { Sealer } from '../../src/serverservice/index.ts';

const secret = 's3cret'.repeat(4);
const url = `https://user:${secret}@images.example/bios.bin?X-Amz-Signature=${secret}`;
const key = { namespace: 'fleet', name: 'h1' };
type HostRecords = Awaited<ReturnType<typeof openHostRecords>>;
const record: NonNullable<Awaited<ReturnType<HostRecords['read']>>> = {
  ...{ id: 'm1', use: 'deployed', image: url },
  links: { [url]: { algorithm: 'sha256', value: 'ab', bytes: 1 } as never },
  service: { what: { settings: {}, updates: [{ component: 'bios', url }] }, conditions: [], ticket: 't' },
};

test('log-ins in the URLs of a host are sealed in the store, also those stored before (security.md: work-log-ins)', async (t) => {
  const database = await openSqliteDatabase({ path: ':memory:', clock: systemClock });
  t.after(() => database.close());
  const stored = async () => JSON.stringify(await database.read((tx) => tx.all('SELECT * FROM redfish_hosts')));
  const [old, current] = ['k1', 'k2'].map((id) => ({ id, secret: randomBytes(32) }));
  assert.ok(old !== undefined && current !== undefined);

  await (await openHostRecords(database)).change(key, () => record);
  assert.ok((await stored()).includes(secret));
  const records = await openHostRecords(database, new Sealer([old]));
  assert.ok(!(await stored()).includes(secret));
  assert.deepEqual(await records.read(key), record);

  await records.change(key, (now) => ({ ...record, ...now, use: 'unused' }));
  assert.ok(!(await stored()).includes(secret));
  await openHostRecords(database, new Sealer([current, old]));
  const last = await openHostRecords(database, new Sealer([current]));
  assert.deepEqual(await last.read(key), { ...record, use: 'unused' });
});
