import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { KubeObject } from '../object.ts';
import { type OpenStore, openStore, type StoreOptions } from './open-store.ts';
import type { Change, Key, ListPage, ListQuery, ObjectStore, Stored, Write } from './store.ts';

/** For tests: a new directory that is removed when the test ends. */
export function temporaryDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'object-store-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** For tests: an open store in a new directory; both go when the test ends. */
export async function temporaryStore(t: TestContext, options: Partial<StoreOptions> = {}): Promise<OpenStore> {
  const directory = mkdtempSync(join(tmpdir(), 'object-store-'));
  const store = await openStore({ directory, ...options });
  t.after(async () => {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return store;
}

/** For tests: the key of a widget. */
export function keyOf(name: string, namespace = 'default', bucket = 'example.com/widgets'): Key {
  return { bucket, namespace, name };
}

/** For tests: an object with this key and content. */
export function widget(key: Key, content: unknown = 1, labels?: Record<string, string>): KubeObject {
  const metadata = {
    name: key.name,
    namespace: key.namespace,
    uid: `uid-${key.namespace}-${key.name}`,
    ...(labels && { labels }),
  };
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata, spec: { content } };
}

/** For tests: a write that must be accepted and stored. */
export async function stored(store: ObjectStore, write: Write): Promise<Stored> {
  const result = store.write(write);
  assert.ok(result instanceof Promise, `refused: ${JSON.stringify(result)}`);
  return result;
}

/** For tests: creates an object. */
export function create(
  store: ObjectStore,
  key: Key,
  content?: unknown,
  labels?: Record<string, string>,
): Promise<Stored> {
  return stored(store, { kind: 'create', key, object: widget(key, content, labels) });
}

/** For tests: updates an object on top of its head. */
export function update(store: ObjectStore, key: Key, content: unknown): Promise<Stored> {
  return stored(store, { kind: 'update', key, object: widget(key, content), expect: store.head(key)?.revision ?? 0 });
}

/** For tests: deletes an object on top of its head. */
export function remove(store: ObjectStore, key: Key): Promise<Stored> {
  return stored(store, { kind: 'delete', key, object: widget(key, 'gone'), expect: store.head(key)?.revision ?? 0 });
}

/** For tests: a listing that must not have expired. */
export function listed(store: ObjectStore, query: Partial<ListQuery> = {}): ListPage {
  const page = store.list({ bucket: 'example.com/widgets', namespace: undefined, ...query });
  assert.notEqual(page, 'expired');
  return page as ListPage;
}

/** For tests: `namespace/name@revision` of everything listed. */
export function listedNames(store: ObjectStore, query: Partial<ListQuery> = {}): string[] {
  return listed(store, query).items.map((item) => `${item.namespace}/${item.name}@${item.revision}`);
}

/** For tests: the history of a bucket after a revision, as the store replays it. */
export function replayed(store: ObjectStore, since: number, bucket = 'example.com/widgets'): Change[] {
  const seen: Change[] = [];
  const subscription = store.subscribe(bucket, since, (changes) => seen.push(...changes));
  assert.ok(subscription !== 'expired', `history after ${since} has expired`);
  subscription.close();
  return seen;
}
