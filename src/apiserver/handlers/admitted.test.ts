import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openAdmission } from '../admission/admission.ts';
import { temporaryServer } from '../http/temporary-server.ts';
import type { ObjectMeta } from '../object.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' } };

/** Admission that changes the metadata of config maps. */
function changing(metadata: ObjectMeta) {
  return {
    ...openAdmission,
    isIdle: () => false,
    mutate: async ({ object }: { object: typeof configMap | undefined }) =>
      object?.kind !== 'ConfigMap' ? object : { ...object, metadata: { ...object.metadata, ...metadata } },
  } as typeof openAdmission;
}

test('admission cannot put an object into another namespace than the request names', async (t) => {
  const { request } = await temporaryServer(t, { core: { admission: changing({ namespace: 'kube-system' }) } });
  const answer = await request('POST', configMaps, configMap);
  assert.equal(answer.code, 400);
  assert.match(answer.text, /does not match the namespace sent on the request/);
  assert.equal((await request('GET', '/api/v1/namespaces/kube-system/configmaps/one')).code, 404);
});

test('admission cannot give a new object a version', async (t) => {
  const { request } = await temporaryServer(t, { core: { admission: changing({ resourceVersion: '77' }) } });
  const answer = await request('POST', configMaps, configMap);
  assert.deepEqual([answer.code, (await request('GET', `${configMaps}/one`)).code], [500, 404]);
});

test('a pod that goes at once is seen marked before it is seen gone', async (t) => {
  const { request, watch } = await temporaryServer(t);
  const pods = '/api/v1/namespaces/default/pods';
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'a', image: 'b' }] },
  };
  const made = await request('POST', pods, pod);
  const stream = await watch(`${pods}?watch=true&resourceVersion=${made.object.metadata.resourceVersion}`);
  await request('DELETE', `${pods}/p?gracePeriodSeconds=0`);
  const events = await stream.take(2);
  const isMarked = events.map(({ object }) => object.metadata.deletionTimestamp !== undefined);
  assert.deepEqual(
    [events.map(({ type }) => type), isMarked],
    [
      ['MODIFIED', 'DELETED'],
      [true, true],
    ],
  );
  await stream.close();
});

test('the body of a delete speaks alone: what the query says besides is not heard', async (t) => {
  const { request } = await temporaryServer(t);
  await request('POST', configMaps, configMap);
  await request('DELETE', `${configMaps}/one?dryRun=All`, { kind: 'DeleteOptions', apiVersion: 'v1' });
  assert.equal((await request('GET', `${configMaps}/one`)).code, 404);
});

test('a new object in place of one that is being deleted is told so', async (t) => {
  const { request } = await temporaryServer(t);
  const held = { ...configMap, metadata: { name: 'one', finalizers: ['example.com/x'] } };
  await request('POST', configMaps, held);
  await request('DELETE', `${configMaps}/one`);
  assert.match((await request('POST', configMaps, configMap)).text, /"object is being deleted: configmaps/);
});
