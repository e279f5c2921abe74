import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommitGate } from './commit-gate.ts';
import { openStore } from './open-store.ts';
import type { Change } from './store.ts';
import {
  create,
  keyOf,
  listed,
  listedNames,
  remove,
  replayed,
  stored,
  temporaryDirectory,
  temporaryStore,
  update,
  widget,
} from './temporary-store.ts';

const a = keyOf('a');
const b = keyOf('b');

test('a new store is empty at revision 1', async (t) => {
  const store = await temporaryStore(t);
  assert.equal(store.revision(), 1);
  assert.deepEqual(listed(store), { items: [], revision: 1, next: undefined, remaining: undefined });
  assert.equal(store.get(a), undefined);
  assert.equal(store.count(a.bucket), 0);
});

test('a created object is read back with its revision inside', async (t) => {
  const store = await temporaryStore(t);
  const object = widget(a, 'x', { app: 'web' });
  const version = await stored(store, { kind: 'create', key: a, object });
  assert.equal(object.metadata.resourceVersion, '2');
  assert.equal(version.revision, 2);
  assert.equal(version.createdRevision, 2);
  assert.equal(version.uid, 'uid-default-a');
  assert.deepEqual(version.labels, { app: 'web' });
  assert.equal(version.json, JSON.stringify(object));
  object.metadata.labels = {};
  assert.deepEqual({ ...version }.labels, { app: 'web' });
  assert.equal(store.get(a), version);
  assert.equal(store.revision(), 2);
});

test('an update keeps uid and creation revision and moves the revision', async (t) => {
  const store = await temporaryStore(t);
  await create(store, a);
  const version = await update(store, a, 'y');
  assert.equal(version.revision, 3);
  assert.equal(version.createdRevision, 2);
  assert.equal(version.uid, 'uid-default-a');
  assert.equal(JSON.parse(version.json).spec.content, 'y');
});

test('a deleted object is gone and its name can be used again', async (t) => {
  const store = await temporaryStore(t);
  await create(store, a);
  const last = await remove(store, a);
  assert.equal(JSON.parse(last.json).metadata.resourceVersion, '3');
  assert.equal(store.get(a), undefined);
  assert.equal(store.count(a.bucket), 0);
  assert.equal((await create(store, a)).createdRevision, 4);
});

test('a write that does not build on the head is refused and told the head', async (t) => {
  const store = await temporaryStore(t);
  assert.deepEqual(store.write({ kind: 'update', key: a, object: widget(a), expect: 1 }), {
    conflict: 'missing',
    head: undefined,
  });
  assert.deepEqual(store.write({ kind: 'delete', key: a, object: widget(a), expect: 1 }), {
    conflict: 'missing',
    head: undefined,
  });
  const head = await create(store, a);
  assert.deepEqual(store.write({ kind: 'create', key: a, object: widget(a) }), { conflict: 'exists', head });
  assert.deepEqual(store.write({ kind: 'update', key: a, object: widget(a), expect: 1 }), { conflict: 'stale', head });
  assert.deepEqual(store.write({ kind: 'delete', key: a, object: widget(a), expect: 99 }), { conflict: 'stale', head });
  assert.equal(store.revision(), 2);
});

test('a refused write leaves the object it was given alone', async (t) => {
  const store = await temporaryStore(t);
  await create(store, a);
  const object = widget(a);
  store.write({ kind: 'create', key: a, object });
  assert.equal(object.metadata.resourceVersion, undefined);
});

test('a pending write is the head at once and readable only when committed', async (t) => {
  const store = await temporaryStore(t);
  const first = create(store, a, 1);
  assert.equal(store.head(a)?.revision, 2);
  assert.equal(store.get(a), undefined);
  assert.equal(store.revision(), 1);
  assert.deepEqual(listedNames(store), []);
  const second = update(store, a, 2);
  const third = remove(store, a);
  assert.equal(store.head(a), undefined);
  const fourth = create(store, a, 4);
  assert.deepEqual(
    (await Promise.all([first, second, third, fourth])).map((version) => version.revision),
    [2, 3, 4, 5],
  );
  assert.equal(store.get(a)?.revision, 5);
});

test('durable waits for the head it is given', async (t) => {
  const store = await temporaryStore(t);
  create(store, a);
  const head = store.head(a);
  assert.ok(head);
  await store.durable(head);
  assert.equal(store.get(a), head);
  await store.durable(head);
});

test('settled waits for the pending writes of its key, a deletion included', async (t) => {
  const store = await temporaryStore(t);
  await store.settled(a);
  const created = create(store, a);
  const removed = remove(store, a);
  void create(store, b);
  assert.equal(store.assigned(), 4);
  assert.equal(store.revision(), 1);
  await store.settled(a);
  assert.ok(store.revision() >= 3);
  assert.equal((await created).revision, 2);
  assert.equal((await removed).revision, 3);
});

test('a key that is deleted while it is created and deleted again can be created once more', async (t) => {
  const store = await temporaryStore(t);
  await create(store, a, 1);
  const gate = new CommitGate(t);
  const removed = remove(store, a);
  await gate.part();
  const again = [create(store, a, 2), remove(store, a)];
  await gate.pass();
  await removed;
  let isSettled = false;
  const settled = store.settled(a).then(() => {
    isSettled = true;
  });
  const last = create(store, a, 3);
  await gate.part();
  assert.equal(isSettled, false, 'two writes of the key are still on their way');
  await gate.pass();
  await Promise.all([...again, settled]);
  assert.equal(store.get(a), undefined);
  assert.equal(store.head(a)?.revision, 6);
  await gate.pass();
  assert.equal(await last, store.get(a));
  assert.deepEqual(listedNames(store), ['default/a@6']);
  assert.equal(store.count(a.bucket), 1);
});

test('lists are in the order of etcd keys, and a namespace lists only its own', async (t) => {
  const store = await temporaryStore(t);
  const keys = [keyOf('x', 'a'), keyOf('x', 'a-b'), keyOf('a', 'a'), keyOf('z', 'a0'), keyOf('m', '')];
  for (const key of keys) await create(store, key);
  assert.deepEqual(listedNames(store), ['/m@6', 'a-b/x@3', 'a/a@4', 'a/x@2', 'a0/z@5']);
  assert.deepEqual(listedNames(store, { namespace: 'a' }), ['a/a@4', 'a/x@2']);
  assert.deepEqual(listedNames(store, { namespace: 'b' }), []);
  assert.deepEqual(
    [...store.scan('example.com/widgets')].map((item) => item.name),
    ['m', 'x', 'a', 'x', 'z'],
  );
  assert.equal(store.count('example.com/widgets'), 5);
  assert.equal(store.count('example.com/gadgets'), 0);
});

test('pages follow each other and say how many remain', async (t) => {
  const store = await temporaryStore(t);
  for (const name of ['a', 'b', 'c', 'd', 'e']) await create(store, keyOf(name));
  const first = listed(store, { limit: 2 });
  assert.deepEqual(first.next, { namespace: 'default', name: 'b' });
  assert.equal(first.remaining, 3);
  const second = listed(store, { limit: 2, after: first.next, revision: first.revision });
  assert.deepEqual(
    second.items.map((item) => item.name),
    ['c', 'd'],
  );
  assert.equal(second.remaining, 1);
  const third = listed(store, { limit: 2, after: second.next, revision: first.revision });
  assert.deepEqual(
    third.items.map((item) => item.name),
    ['e'],
  );
  assert.equal(third.next, undefined);
  assert.equal(third.remaining, undefined);
});

test('later pages show the state of the first page whatever was written since', async (t) => {
  const store = await temporaryStore(t);
  for (const name of ['a', 'b', 'd', 'e']) await create(store, keyOf(name));
  const first = listed(store, { limit: 1 });
  await create(store, keyOf('c'));
  await update(store, keyOf('d'), 'new');
  await remove(store, keyOf('e'));
  await remove(store, b);
  await create(store, b, 'again');
  const second = listed(store, { limit: 2, after: first.next, revision: first.revision });
  assert.deepEqual(
    second.items.map((item) => `${item.name}@${item.revision}`),
    ['b@3', 'd@4'],
  );
  assert.equal(second.revision, first.revision);
  assert.equal(second.remaining, 1);
  const third = listed(store, { limit: 2, after: second.next, revision: first.revision });
  assert.deepEqual(
    third.items.map((item) => `${item.name}@${item.revision}`),
    ['e@5'],
  );
});

test('a filter is applied before the limit, and the number remaining is then unknown', async (t) => {
  const store = await temporaryStore(t);
  for (const name of ['a', 'b', 'c', 'd'])
    await create(store, keyOf(name), 1, { odd: name === 'a' || name === 'c' ? 'yes' : 'no' });
  const page = listed(store, { limit: 1, filter: (item) => item.labels?.odd === 'no' });
  assert.deepEqual(
    page.items.map((item) => item.name),
    ['b'],
  );
  assert.deepEqual(page.next, { namespace: 'default', name: 'b' });
  assert.equal(page.remaining, undefined);
});

test('a continue token of another namespace does not reach outside the namespace listed', async (t) => {
  const store = await temporaryStore(t);
  await create(store, keyOf('x', 'n1'));
  await create(store, keyOf('x', 'n2'));
  assert.deepEqual(listedNames(store, { namespace: 'n2', after: { namespace: 'n1', name: 'a' } }), ['n2/x@3']);
});

test('a revision from the future is an error of the caller', async (t) => {
  const store = await temporaryStore(t);
  assert.throws(() => listed(store, { revision: 2 }), RangeError);
});

test('a subscriber gets history, then every commit, each change once', async (t) => {
  const store = await temporaryStore(t);
  await create(store, a, 1);
  await update(store, a, 2);
  const batches: Change[][] = [];
  const subscription = store.subscribe(a.bucket, 2, (changes) => batches.push([...changes]));
  await Promise.all([create(store, b), remove(store, a), create(store, keyOf('other', '', 'example.com/gadgets'))]);
  assert.deepEqual(
    batches.map((batch) => batch.map((change) => `${change.type} ${change.key.name}@${change.revision}`)),
    [['MODIFIED a@3'], ['ADDED b@4', 'DELETED a@5']],
  );
  const deleted = batches[1]?.[1];
  assert.equal(deleted?.previous?.revision, 3);
  assert.equal(JSON.parse(deleted?.current.json ?? '').metadata.resourceVersion, '5');
  assert.ok(subscription !== 'expired');
  subscription.close();
  await create(store, keyOf('c'));
  assert.equal(batches.length, 2);
});

test('a subscriber from a future revision hears nothing until then', async (t) => {
  const store = await temporaryStore(t);
  const seen: number[][] = [];
  store.subscribe(a.bucket, 3, (changes) => seen.push(changes.map((change) => change.revision)));
  await create(store, a);
  await Promise.all([create(store, b), create(store, keyOf('c'))]);
  assert.deepEqual(seen, [[4]]);
});

test('subscribing and closing inside a callback neither repeats nor skips', async (t) => {
  const store = await temporaryStore(t);
  const inner: number[] = [];
  const outer = store.subscribe(a.bucket, 1, () => {
    if (outer !== 'expired') outer.close();
    store.subscribe(a.bucket, 1, (changes) => inner.push(...changes.map((change) => change.revision)));
  });
  await Promise.all([create(store, a), create(store, b)]);
  await create(store, keyOf('c'));
  assert.deepEqual(inner, [2, 3, 4]);
});

test('a subscriber that throws is reported and goes on with the next change, and the others still hear', async (t) => {
  const errors: unknown[] = [];
  const store = await temporaryStore(t, { onError: (error) => errors.push(error) });
  const broken = new Error('broken');
  const taken: number[] = [];
  store.subscribe(a.bucket, 1, ([change]) => {
    if (change?.revision === 2) throw broken;
    taken.push(change?.revision ?? 0);
  });
  const seen: number[] = [];
  store.subscribe(a.bucket, 1, (changes) => seen.push(...changes.map((change) => change.revision)));
  assert.equal(store.followerFault(), undefined);
  await create(store, a);
  await create(store, b);
  assert.deepEqual(errors, [broken]);
  assert.deepEqual(taken, [3]);
  assert.deepEqual(seen, [2, 3]);
  assert.equal(store.followerFault(), 'a follower of example.com/widgets failed at revision 2: broken');
});

test('a subscriber that wants to know of its loss is closed when it throws, and that is no fault', async (t) => {
  const errors: unknown[] = [];
  const store = await temporaryStore(t, { onError: (error) => errors.push(error) });
  let lost = 0;
  const fail = () => {
    throw new Error('broken');
  };
  store.subscribe(a.bucket, 1, fail, () => {
    lost += 1;
  });
  await create(store, a);
  await create(store, b);
  assert.equal(lost, 1);
  assert.equal(errors.length, 1);
  assert.equal(store.stats().subscribers, 0);
  assert.equal(store.followerFault(), undefined);
});

test('everything is there again after closing and opening', async (t) => {
  const directory = temporaryDirectory(t);
  const before = await openStore({ directory });
  await create(before, a, 'ä€😀', { app: 'web' });
  await create(before, b);
  await update(before, b, { nested: ['\u0000', '\ud800'] });
  await create(before, keyOf('c'));
  await remove(before, keyOf('c'));
  const state = [...before.scan(a.bucket)];
  const history = replayed(before, 1);
  await before.close();
  const after = await openStore({ directory });
  t.after(() => after.close());
  assert.equal(after.revision(), 6);
  assert.deepEqual([...after.scan(a.bucket)], state);
  assert.deepEqual(replayed(after, 1), history);
  assert.deepEqual(replayed(after, 4), history.slice(3));
  assert.equal((await create(after, keyOf('d'))).revision, 7);
  assert.deepEqual(
    replayed(after, 5).map((change) => change.revision),
    [6, 7],
  );
  assert.deepEqual(listedNames(after, { revision: 3 }), ['default/a@2', 'default/b@3']);
});

test('compaction expires old revisions and keeps everything newer', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openStore({ directory });
  await create(store, a);
  await update(store, a, 2);
  await create(store, b);
  await remove(store, b);
  await update(store, a, 3);
  await store.compact(4);
  const check = (opened: typeof store) => {
    assert.equal(opened.oldestRevision(), 4);
    assert.equal(
      opened.subscribe(a.bucket, 3, () => assert.fail('called')),
      'expired',
    );
    assert.equal(opened.list({ bucket: a.bucket, namespace: undefined, revision: 3 }), 'expired');
    assert.deepEqual(listedNames(opened, { revision: 4 }), ['default/a@3', 'default/b@4']);
    assert.deepEqual(
      replayed(opened, 4).map((change) => [change.type, change.previous?.revision]),
      [
        ['DELETED', 4],
        ['MODIFIED', 3],
      ],
    );
  };
  check(store);
  await store.close();
  const again = await openStore({ directory });
  t.after(() => again.close());
  check(again);
});

test('the revision survives compaction of the deletion that made it', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openStore({ directory });
  await create(store, a);
  await remove(store, a);
  await store.compact(store.revision());
  await store.close();
  const again = await openStore({ directory });
  t.after(() => again.close());
  assert.equal(again.revision(), 3);
  assert.equal((await create(again, a)).revision, 4);
});

test('compacting backwards or ahead of the newest revision does no harm', async (t) => {
  const store = await temporaryStore(t);
  await create(store, a);
  await store.compact(1000);
  assert.equal(store.oldestRevision(), 2);
  await store.compact(1);
  assert.equal(store.oldestRevision(), 2);
  assert.deepEqual(listedNames(store), ['default/a@2']);
});

test('a closed store refuses writes, and closing twice is fine', async (t) => {
  const store = await temporaryStore(t);
  const last = create(store, a);
  const closing = store.close();
  const late = store.write({ kind: 'create', key: b, object: widget(b) });
  assert.ok(late instanceof Promise);
  await assert.rejects(late, { name: 'StoreError', code: 'closed' });
  await closing;
  assert.equal((await last).revision, 2);
  await store.close();
});

test('replaying more than the limit from disk is answered as expired', async (t) => {
  const store = await temporaryStore(t, { history: { changes: 1, replayChanges: 2 } });
  for (const name of ['a', 'b', 'c', 'd', 'e']) await create(store, keyOf(name));
  assert.equal(
    store.subscribe(a.bucket, 1, () => assert.fail('called')),
    'expired',
  );
  assert.deepEqual(
    replayed(store, 3).map((change) => change.revision),
    [4, 5, 6],
  );
  assert.equal(store.list({ bucket: a.bucket, namespace: undefined, revision: 2 }), 'expired');
});
