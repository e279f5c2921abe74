import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type SmallDisk, smallDisk } from '../../kube/index.ts';
import { type OpenStore, openStore } from './open-store.ts';
import { create, keyOf, remove, stored, update, widget } from './temporary-store.ts';

const page = 'x'.repeat(50_000);
const lease = keyOf('holder', 'kube-system', 'coordination.k8s.io/leases');

interface FullDisk {
  readonly store: OpenStore;
  readonly disk: SmallDisk;
  readonly told: unknown[];
  /** Resolves when the store says that there is room again. */
  readonly recovered: Promise<void>;
}

/** A store with objects on a disk that was filled and that the store has found full. */
async function fullDisk(t: TestContext): Promise<FullDisk | undefined> {
  const disk = smallDisk(t, 12);
  if (disk === undefined) return undefined;
  const told: unknown[] = [];
  const room = Promise.withResolvers<void>();
  const onError = (fault: unknown): void => {
    told.push(fault);
    if (/has room again/.test(String(fault))) room.resolve();
  };
  const { directory } = disk;
  const options = { reserveBytes: 2 << 20, checkpointBytes: 100_000, fullDiskPollMs: 20, onError };
  const store = await openStore({ directory, ...options });
  t.after(() => store.close());
  await create(store, lease);
  for (let n = 0; n < 20; n++) await create(store, keyOf(`o${n}`), page);
  disk.fill();
  for (let n = 0; store.diskFault() === undefined; n++) {
    await create(store, keyOf(`more${n}`), page).catch((error) => assert.equal(error.code, 'disk-full'));
  }
  return { store, disk, told, recovered: room.promise };
}

test('a full disk refuses what needs room and says which disk, and nothing that was stored is lost', async (t) => {
  const full = await fullDisk(t);
  if (full === undefined) return;
  const { store, disk, told } = full;
  const fault = `the disk of ${disk.directory} is full; only deletions and leases are stored until there is room`;
  assert.equal(store.diskFault(), fault);
  assert.ok(told.includes(fault));
  await assert.rejects(create(store, keyOf('late')), { code: 'disk-full', retry: 'transient', message: fault });
  await assert.rejects(update(store, keyOf('o1'), 2), { code: 'disk-full' });
  assert.equal(store.head(keyOf('late')), undefined);
  assert.equal(store.fault(), undefined, 'the writer lives');
});

test('on a full disk deletions and leases are stored, for many checkpoints', async (t) => {
  const full = await fullDisk(t);
  if (full === undefined) return;
  const { store } = full;
  for (let n = 0; n < 200; n++) await update(store, lease, `${page}${n}`).then(() => store.compact(store.revision()));
  for (let n = 0; n < 19; n++) await remove(store, keyOf(`o${n}`));
  const last = keyOf('o19');
  const object = widget(last);
  object.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
  await stored(store, { kind: 'update', key: last, object, expect: store.head(last)?.revision ?? 0 });
  assert.notEqual(store.diskFault(), undefined);
  assert.equal(store.fault(), undefined);
});

test('once there is room every write is stored again, without a restart, and the reserve is back', async (t) => {
  const full = await fullDisk(t);
  if (full === undefined) return;
  const { store, disk, recovered } = full;
  disk.free();
  await recovered;
  assert.equal(store.diskFault(), undefined);
  await create(store, keyOf('late'), page);
  assert.equal(statSync(join(disk.directory, 'disk-reserve')).size, 2 << 20);
});

test('a store starts on a full disk with the room of its reserve', async (t) => {
  const disk = smallDisk(t, 8);
  if (disk === undefined) return;
  const { directory } = disk;
  const first = await openStore({ directory, reserveBytes: 1 << 20 });
  await create(first, lease, page);
  await first.close();
  disk.fill();
  const again = await openStore({ directory, reserveBytes: 1 << 20, onError: () => undefined });
  t.after(() => again.close());
  await update(again, lease, 2);
});
