import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryServer, widgetOf, widgetsAt } from '../http/temporary-server.ts';
import type { KubeObject } from '../object.ts';
import { fitToStorage, maxObjectBytes } from './object-size.ts';

function objectOf(bytes: number, metadata: KubeObject['metadata'] = { name: 'x' }): KubeObject & { data: string } {
  const empty = { apiVersion: 'v1', kind: 'A', metadata, data: '' };
  return { ...empty, data: 'y'.repeat(bytes - JSON.stringify(empty).length) };
}

test('an object of one and a half mebibytes is the largest', () => {
  fitToStorage(objectOf(maxObjectBytes));
  assert.throws(() => fitToStorage(objectOf(maxObjectBytes + 1)), { message: 'etcdserver: request is too large' });
});

test('bytes count, not characters', () => {
  const object = objectOf(maxObjectBytes / 2);
  assert.throws(() => fitToStorage({ ...object, data: object.data.replaceAll('y', '\u20ac') } as KubeObject));
});

test('managed fields go before the object is refused', () => {
  const managedFields = [{ manager: 'm', operation: 'Update' as const, apiVersion: 'v1' }];
  const small = { ...objectOf(1000), metadata: { name: 'x', managedFields } };
  const large = { ...objectOf(maxObjectBytes), metadata: { name: 'x', managedFields } };
  fitToStorage(small);
  fitToStorage(large);
  assert.deepEqual([small.metadata, large.metadata], [{ name: 'x', managedFields }, { name: 'x' }]);
});

test('patches cannot make an object grow without end', async (t) => {
  const server = await temporaryServer(t);
  await server.request('POST', widgetsAt(), widgetOf('x'));
  const grow = (key: string) => server.patch(widgetsAt('x'), { spec: { [key]: 'y'.repeat(700_000) } });
  assert.deepEqual([(await grow('a')).code, (await grow('b')).code], [200, 200]);
  const { code, object } = await grow('c');
  assert.deepEqual([code, object.message], [500, 'etcdserver: request is too large']);
  assert.equal((await server.request('DELETE', widgetsAt('x'))).code, 200);
});
