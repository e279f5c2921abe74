import assert from 'node:assert/strict';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { type TestEvent, temporaryServer, widgetOf, widgetsAt } from '../http/temporary-server.ts';
import { asKubeObject } from '../object.ts';

function shown(events: readonly TestEvent[]): string[] {
  return events.map(({ type, object }) => `${type} ${object.metadata.name ?? ''}@${object.metadata.resourceVersion}`);
}

const labelled = (value: string) => ({ labels: { a: value } });

test('a watch tells every change in order, as it was written', async (t) => {
  const server = await temporaryServer(t);
  const first = await server.request('POST', widgetsAt(), widgetOf('x', { n: 0 }));
  const watch = await server.watch(`${widgetsAt()}?watch=1&resourceVersion=${first.object.metadata.resourceVersion}`);
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) => server.request('POST', widgetsAt(), widgetOf(`w${n}`, { n }))),
  );
  await server.request('DELETE', widgetsAt('w7'));
  const events = await watch.take(101);
  await watch.close();
  const versions = events.map((event) => Number(event.object.metadata.resourceVersion));
  const base = Number(first.object.metadata.resourceVersion);
  assert.deepEqual(
    versions,
    Array.from({ length: 101 }, (_, n) => base + 1 + n),
  );
  const byVersion = new Map(events.map((event) => [event.object.metadata.resourceVersion, event.object]));
  for (const { object } of answers) assert.deepEqual(byVersion.get(object.metadata.resourceVersion), object);
  assert.equal(events.at(-1)?.type, 'DELETED');
});

test('a watch from an old version is told what happened since, then what happens', async (t) => {
  const server = await temporaryServer(t);
  const created = await server.request('POST', widgetsAt(), widgetOf('x'));
  const from = Number(created.object.metadata.resourceVersion);
  await server.patch(widgetsAt('x'), { spec: { n: 1 } });
  await server.request('DELETE', widgetsAt('x'));
  const watch = await server.watch(`${widgetsAt()}?watch=1&resourceVersion=${from}`);
  assert.deepEqual(shown(await watch.take(2)), [`MODIFIED x@${from + 1}`, `DELETED x@${from + 2}`]);
  await server.request('POST', widgetsAt(), widgetOf('y'));
  assert.deepEqual(shown(await watch.take(1)), [`ADDED y@${from + 3}`]);
  await watch.close();
});

test('a watch from a version that is compacted away is told so', async (t) => {
  const server = await temporaryServer(t);
  const created = await server.request('POST', widgetsAt(), widgetOf('x'));
  await server.patch(widgetsAt('x'), { spec: { n: 1 } });
  await server.patch(widgetsAt('x'), { spec: { n: 2 } });
  await server.store.compact(server.store.revision());
  const watch = await server.watch(`${widgetsAt()}?watch=1&resourceVersion=${created.object.metadata.resourceVersion}`);
  const [event, ...rest] = await watch.take(2);
  assert.deepEqual(rest, []);
  assert.equal(event?.type, 'ERROR');
  assert.deepEqual([event?.object.code, event?.object.reason], [410, 'Expired']);
});

test('objects that come into or leave a selection are added and deleted', async (t) => {
  const server = await temporaryServer(t);
  const watch = await server.watch(`${widgetsAt()}?watch=1&labelSelector=a%3D1`);
  await server.request('POST', widgetsAt(), widgetOf('x', {}, labelled('0')));
  await server.patch(widgetsAt('x'), { metadata: labelled('1') });
  await server.patch(widgetsAt('x'), { spec: { resourceVersion: '1' } });
  const left = await server.patch(widgetsAt('x'), { metadata: labelled('2') });
  await server.patch(widgetsAt('x'), { spec: { n: 3 } });
  await server.patch(widgetsAt('x'), { metadata: labelled('1') });
  await server.request('DELETE', widgetsAt('x'));
  const events = await watch.take(5);
  await watch.close();
  assert.deepEqual(
    events.map((event) => event.type),
    ['ADDED', 'MODIFIED', 'DELETED', 'ADDED', 'DELETED'],
  );
  // What left the selection is shown as it was in it, at the version at which it left.
  assert.deepEqual(events[2]?.object.metadata.labels, { a: '1' });
  assert.equal(events[2]?.object.metadata.resourceVersion, left.object.metadata.resourceVersion);
});

test('a field selector and a name select as well', async (t) => {
  const server = await temporaryServer(t);
  const red = await server.watch(`${widgetsAt()}?watch=1&fieldSelector=spec.color%3Dred`);
  const named = await server.watch(`${widgetsAt()}?watch=1&fieldSelector=metadata.name%3Dy`);
  await server.request('POST', widgetsAt(), widgetOf('x', { color: 'red' }));
  await server.request('POST', widgetsAt(), widgetOf('y', { color: 'blue' }));
  await server.patch(widgetsAt('x'), { spec: { color: 'blue' } });
  await server.patch(widgetsAt('y'), { spec: { color: 'red' } });
  const events = shown(await red.take(3)).map((line) => line.split('@')[0]);
  assert.deepEqual(events, ['ADDED x', 'DELETED x', 'ADDED y']);
  assert.deepEqual(
    (await named.take(2)).map(({ object }) => object.metadata.name),
    ['y', 'y'],
  );
  await Promise.all([red.close(), named.close()]);
});

test('initial events come before all others and end with a bookmark that says so', async (t) => {
  const server = await temporaryServer(t);
  await server.request('POST', widgetsAt(), widgetOf('b'));
  await server.request('POST', widgetsAt(), widgetOf('a'));
  const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
  const watch = await server.watch(`${widgetsAt()}?${query}`);
  const version = server.store.revision();
  await server.request('POST', widgetsAt(), widgetOf('c'));
  const events = await watch.take(4);
  await watch.close();
  assert.deepEqual(
    shown(events).map((line) => line.split('@')[0]),
    ['ADDED a', 'ADDED b', 'BOOKMARK ', 'ADDED c'],
  );
  assert.deepEqual(events[2]?.object.metadata, {
    resourceVersion: String(version),
    annotations: { 'k8s.io/initial-events-end': 'true' },
  });
});

test('a watch ends at the time asked for, with a bookmark of the newest version before', async (t) => {
  const server = await temporaryServer(t);
  const { object } = await server.request('POST', widgetsAt(), widgetOf('x'));
  const from = object.metadata.resourceVersion;
  const watch = await server.watch(
    `${widgetsAt('')}?watch=1&allowWatchBookmarks=1&timeoutSeconds=1&resourceVersion=${from}`,
  );
  assert.deepEqual(shown(await watch.take(5)), [`BOOKMARK @${from}`]);
  assert.equal(server.store.stats().subscribers, 0);
});

test('a time-out longer than any timer does not end the watch at once', async (t) => {
  const server = await temporaryServer(t);
  const watch = await server.watch(`${widgetsAt()}?watch=1&timeoutSeconds=9999999`);
  // Two turns of a real timer of one millisecond, which is what an overflowing delay becomes.
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setTimeout(resolve, 2));
  await server.request('POST', widgetsAt(), widgetOf('x'));
  assert.equal((await watch.take(1)).length, 1);
  await watch.close();
});

test('a state larger than any buffer reaches a client that reads', async (t) => {
  const server = await temporaryServer(t);
  const body = 'x'.repeat(900_000);
  const written = Array.from({ length: 24 }, (_, n) => {
    const key = { bucket: 'example.com/widgets', namespace: 'default', name: `w${n}` };
    const object = asKubeObject(widgetOf(key.name, { body }, { namespace: 'default', uid: `u${n}` }));
    return server.store.write({ kind: 'create', key, object });
  });
  await Promise.all(written);
  const state = await server.watch(`${widgetsAt()}?watch=1&resourceVersion=0`);
  assert.equal((await state.take(24)).length, 24);
  const history = await server.watch(`${widgetsAt()}?watch=1&resourceVersion=${server.store.oldestRevision()}`);
  assert.equal((await history.take(24)).length, 24);
  await Promise.all([state.close(), history.close()]);
});

test('a client that does not read is cut off, and others are not kept waiting', async (t) => {
  const server = await temporaryServer(t);
  await server.request('POST', widgetsAt(), widgetOf('x'));
  const stuck = await open(`${server.url}${widgetsAt()}?watch=1`);
  stuck.pause();
  const reading = await server.watch(`${widgetsAt()}?watch=1`);
  await reading.take(1);
  const body = 'x'.repeat(900_000);
  let count = 0;
  while (server.store.stats().subscribers === 2) {
    await server.patch(widgetsAt('x'), { spec: { body, count: ++count } });
    assert.equal((await reading.take(1))[0]?.object.metadata.generation, count + 1);
    assert.ok(count < 200, 'it was let pile up for ever');
  }
  assert.ok(count > 10, 'it was cut off at once');
  stuck.on('error', () => undefined).resume();
  await new Promise((resolve) => stuck.on('close', resolve));
  await reading.close();
});

test('a client that takes nothing for too long is cut off, however little waits for it', async (t) => {
  const server = await temporaryServer(t, { limits: { watch: { stallMs: 100 } } });
  const body = 'x'.repeat(900_000);
  for (let n = 0; n < 10; n++) await server.request('POST', widgetsAt(), widgetOf(`w${n}`, { body }));
  const stuck = await open(`${server.url}${widgetsAt()}?watch=1`);
  stuck.pause();
  const reading = await server.watch(`${widgetsAt()}?watch=1&resourceVersion=${server.store.revision()}`);
  while (server.store.stats().subscribers > 1) await new Promise(setImmediate);
  const last = await server.request('POST', widgetsAt(), widgetOf('last'));
  assert.deepEqual(shown(await reading.take(1)), [`ADDED last@${last.object.metadata.resourceVersion}`]);
  assert.match(await server.metrics.registry.metrics(), /watches_cut_off_total\{reason="stalled"\} 1/);
  stuck.destroy();
  await reading.close();
});

test('history that nobody reads is bounded: who asks for more is told to list', async (t) => {
  const server = await temporaryServer(t, { limits: { watch: { historyBytes: 24 << 20 } } });
  const body = 'x'.repeat(900_000);
  const first = await server.request('POST', widgetsAt(), widgetOf('x', { body }));
  for (let n = 0; n < 24; n++) await server.patch(widgetsAt('x'), { spec: { n } });
  const path = `${widgetsAt()}?watch=1&resourceVersion=${first.object.metadata.resourceVersion}`;
  const stuck = await open(server.url + path);
  stuck.pause();
  assert.ok(server.core.watches.historyBytes > 10 << 20, 'the history does not wait for its client');
  const refused = await server.watch(path);
  const [event, ...rest] = await refused.take(2);
  assert.deepEqual([event?.type, event?.object.code, rest], ['ERROR', 410, []]);
  stuck.destroy();
  while (server.core.watches.historyBytes > 0) await new Promise(setImmediate);
  const again = await server.watch(path);
  assert.equal((await again.take(24)).length, 24);
  await again.close();
  while (server.core.watches.historyBytes > 0) await new Promise(setImmediate);
});

test('a watch ends on the server when its client goes away', { timeout: 60_000 }, async (t) => {
  const server = await temporaryServer(t);
  const watches = await Promise.all(Array.from({ length: 20 }, () => open(`${server.url}${widgetsAt()}?watch=1`)));
  assert.equal(server.store.stats().subscribers, 20);
  for (const watch of watches) watch.destroy();
  while (server.store.stats().subscribers > 0) await new Promise(setImmediate);
  assert.deepEqual(server.faults, []);
});

function open(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    httpRequest(url, { agent: false }, (response) => resolve(response.on('error', () => undefined)))
      .on('error', reject)
      .end();
  });
}
