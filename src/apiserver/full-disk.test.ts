import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Agent, request } from 'undici';
import { createClient, KubeError, smallDisk } from '../kube/index.ts';
import { startApiServer } from './start.ts';

test('a full disk is named in answers, in /readyz and in the log, deletes and leases work, and room ends it', async (t) => {
  const disk = smallDisk(t, 40);
  if (disk === undefined) return;
  const told: string[] = [];
  const room = Promise.withResolvers<void>();
  const dataDir = disk.directory;
  const server = await startApiServer({
    ...{ dataDir, port: 0 },
    onFault(fault) {
      told.push(String(fault));
      if (/has room again/.test(String(fault))) room.resolve();
    },
  });
  t.after(() => server.close());
  const client = await createClient({ kubeconfigText: server.kubeconfig });
  t.after(() => client.close());
  const maps = '/api/v1/namespaces/default/configmaps';
  const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
  const data = { text: 'x'.repeat(100_000) };
  const createMap = (name: string) =>
    client.request({ method: 'POST', path: maps, body: { metadata: { name }, data } });
  const dispatcher = new Agent({ connect: { ca: server.caPem } });
  t.after(() => dispatcher.close());
  const health = async (path: string) => (await request(`${server.url}${path}`, { dispatcher })).body.text();
  await createMap('first');
  disk.fill();
  let refusal: unknown;
  for (let n = 0; refusal === undefined; n++) {
    await createMap(`m${n}`).catch((error) => {
      refusal = error;
    });
  }
  assert.ok(refusal instanceof KubeError, String(refusal));
  const fault = `the disk of ${dataDir} is full`;
  assert.deepEqual([refusal.code, refusal.retry], [507, 'transient']);
  assert.equal(refusal.reason, 'DiskFull');
  assert.ok(refusal.message.includes(fault));
  assert.ok((await health('/readyz')).includes(`[-]disk failed: ${fault}`));
  assert.ok(told.some((line) => line.includes(fault)));
  assert.equal(await health('/livez'), 'ok');
  await client.request({ method: 'POST', path: leases, body: { metadata: { name: 'holder' } } });
  await client.request({ method: 'DELETE', path: `${maps}/first` });
  disk.free();
  await room.promise;
  await createMap('second');
  assert.equal(await health('/readyz'), 'ok');
});
