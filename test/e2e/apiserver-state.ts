import assert from 'node:assert/strict';
import type { ApiClient } from './apiserver-client.ts';
import { objectIn } from './apiserver-client.ts';
import { corePath, widget, widgetPath } from './apiserver-fixture.ts';

const watched = [widgetPath(), corePath('configmaps'), corePath('secrets'), '/api/v1/namespaces'];

/** Everything a test may have touched, with the newest version of the store: any write at all changes it. */
export async function stateOf(client: ApiClient): Promise<string> {
  const lists = await Promise.all(watched.map((path) => client.request('GET', path)));
  for (const list of lists) assert.equal(list.code, 200, list.text);
  return lists.map((list) => list.text).join('\n');
}

/** A server that still does its work: creates, reads and deletes an object. */
export async function assertServes(client: ApiClient): Promise<void> {
  const created = await client.request('POST', widgetPath(), { body: widget('still-alive', { size: 1 }) });
  assert.equal(created.code, 201, created.text);
  const read = await client.request('GET', widgetPath('still-alive'));
  assert.equal(objectIn(read).metadata.uid, objectIn(created).metadata.uid);
  const deleted = await client.request('DELETE', widgetPath('still-alive'));
  assert.equal(deleted.code, 200, deleted.text);
}
