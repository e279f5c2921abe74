import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ironcoreApiVersion, type ServerFirmware } from '../../api/index.ts';
import type { AdmissionRule } from '../../kube/index.ts';
import type { InventoryMirror } from '../ports.ts';
import { createFakeUpdateService } from '../testing/fake-update-service.ts';
import { refuseCreation } from '../testing/refusal.ts';
import { type ApiRig, conditionIn, fw, putServer, startApi, startControllers, until, uuidOf } from '../testing/rig.ts';

async function setUp(t: TestContext, rules: readonly AdmissionRule[] = [], mirror?: InventoryMirror): Promise<ApiRig> {
  const api = await startApi(rules);
  t.after(() => api.close());
  const controllers = await startControllers(api, { isOnboarding: true, mirror });
  t.after(() => controllers.stop());
  return api;
}

async function setUpWithService(t: TestContext) {
  const api = await startApi();
  t.after(() => api.close());
  const service = createFakeUpdateService();
  const controllers = await startControllers(api, { isOnboarding: true, service });
  t.after(() => controllers.stop());
  return { api, service };
}

test('a ServerFirmware that outlived its Server follows the next Server of that name, and goes with it', async (t) => {
  const api = await setUp(t);
  await putServer(api, 'a', { labels: { env: 'p' } });
  const { metadata } = await until(api.firmwares, 'a', (each) => each.metadata.labels?.env === 'p');
  await api.servers.delete({ name: 'a' }, { propagationPolicy: 'Orphan' });
  await until(api.firmwares, 'a', (each) => (each.metadata.ownerReferences ?? []).length === 0);
  const uuid = '11111111-2222-3333-4444-555555555555';
  const { metadata: next } = await putServer(api, 'a', { labels: { env: 'q' }, uuid });
  const kept = await until(api.firmwares, 'a', (each) => each.metadata.labels?.env === 'q');
  assert.equal(kept.metadata.uid, metadata.uid);
  assert.deepEqual(
    kept.metadata.ownerReferences?.map(({ uid, controller }) => [uid, controller]),
    [[next.uid, true]],
  );
  assert.equal(kept.spec.serverRef.name, 'a');
});

test('a ServerFirmware that somebody made by hand gets labels, and no owner', async (t) => {
  const api = await setUp(t);
  const spec = { serverRef: { name: 'a' } };
  await api.firmwares.create({
    apiVersion: ironcoreApiVersion,
    kind: 'ServerFirmware',
    metadata: { name: 'mine' },
    spec,
  });
  await putServer(api, 'a', { labels: { env: 'p' } });
  const { metadata } = await until(api.firmwares, 'mine', (each) => each.metadata.labels?.env === 'p');
  assert.equal(metadata.ownerReferences, undefined);
});

test('what is refused for good is told at the Server, and the rest is done all the same', async (t) => {
  let isRefused = true;
  const rule = refuseCreation('serverfirmwares', () => (isRefused ? 'not today' : undefined));
  const api = await setUp(t, [rule]);
  await putServer(api, 'a');
  const told = await until(api.servers, 'a', (each) => conditionIn(each, 'OnboardingFailed')?.status === 'True');
  assert.match(conditionIn(told, 'OnboardingFailed')?.message ?? '', /not today/);
  assert.equal((await api.discovered.list()).items.length, 1);
  isRefused = false;
  await api.servers.patch({ name: 'a' }, { type: 'merge', body: { metadata: { labels: { env: 'p' } } } });
  await until(api.firmwares, 'a', (each) => each.metadata.labels?.env === 'p');
  await until(api.servers, 'a', (each) => conditionIn(each, 'OnboardingFailed') === undefined);
});

test('what was installed on another board is forgotten, and the new one is scanned', async (t) => {
  const { api, service } = await setUpWithService(t);
  service.isInstant = true;
  service.installed.set('a', [fw('ssd', '1.0')]);
  await putServer(api, 'a', { uuid: uuidOf('old') });
  const isScanned = (each: ServerFirmware): boolean => conditionIn(each, 'Scanned')?.status === 'True';
  const before = await until(api.firmwares, 'a', isScanned);
  assert.deepEqual([before.status?.systemUUID, before.status?.firmwares?.length], [uuidOf('old'), 1]);
  service.isInstant = false;
  await api.servers.patch({ name: 'a' }, { type: 'merge', body: { spec: { systemUUID: uuidOf('new') } } });
  const swapped = await until(api.firmwares, 'a', (each) => conditionIn(each, 'Scanned')?.reason === 'NeverScanned');
  assert.deepEqual([swapped.status?.systemUUID, swapped.status?.lastScanTime], [uuidOf('new'), undefined]);
  assert.equal(swapped.status?.firmwares, undefined);
  assert.equal(conditionIn(swapped, 'UpToDate')?.status, 'Unknown');
  const asked = await until(api.firmwares, 'a', ({ status }) => status?.request?.kind === 'Scan');
  const job = service.asked.find(({ jobId }) => jobId === asked.status?.request?.jobID) ?? assert.fail('no scan');
  assert.ok(job.kind === 'scan' && job.request.server.systemUUID === uuidOf('new'));
  await service.finish(job);
  await until(api.firmwares, 'a', isScanned);
});

test('a scan of the old board that ends after the swap is not shown, and the new board is scanned', async (t) => {
  const { api, service } = await setUpWithService(t);
  service.installed.set('a', [fw('ssd', '1.0')]);
  await putServer(api, 'a', { uuid: uuidOf('old') });
  const asks = (each: ServerFirmware): boolean =>
    each.status?.request?.kind === 'Scan' && each.status.request.jobID !== 'unsent';
  await until(api.firmwares, 'a', asks);
  const openScan = () => service.open().find(({ kind }) => kind === 'scan') ?? assert.fail('no scan is open');
  const late = openScan();
  await api.servers.patch({ name: 'a' }, { type: 'merge', body: { spec: { systemUUID: uuidOf('new') } } });
  const isNew = ({ status }: ServerFirmware): boolean => status?.systemUUID === uuidOf('new');
  await until(api.firmwares, 'a', (each) => isNew(each) && asks(each) && each.status?.request?.jobID !== late.jobId);
  await service.finish(late);
  const told = await until(api.firmwares, 'a', ({ status }) => status?.report?.conditionID === late.jobId);
  assert.deepEqual([told.status?.firmwares, told.status?.lastScanTime], [undefined, undefined]);
  service.installed.set('a', [fw('ssd', '7.0')]);
  await service.finish(openScan());
  const scanned = await until(api.firmwares, 'a', ({ status }) => status?.lastScanTime !== undefined);
  assert.deepEqual(scanned.status?.firmwares, [fw('ssd', '7.0')]);
});

test('an update that waits for a board that was swapped is taken back, and the new board is scanned', async (t) => {
  const { api, service } = await setUpWithService(t);
  service.installed.set('a', [fw('ssd', '1.0')]);
  await putServer(api, 'a', { uuid: uuidOf('old') });
  const asks = (kind: string) => (each: ServerFirmware) =>
    each.status?.request?.kind === kind && each.status.request.jobID !== 'unsent';
  await until(api.firmwares, 'a', asks('Scan'));
  const spec = { firmwares: [fw('ssd', '2.0')] };
  await api.firmwares.patch({ name: 'a' }, { type: 'merge', body: { spec } });
  await service.finish(service.open()[0] ?? assert.fail('no scan is open'));
  const { status } = await until(api.firmwares, 'a', asks('Update'));
  const withdrawn: { readonly jobId: string; readonly reason: string }[] = [];
  service.withdraw = async (order) => {
    withdrawn.push(order);
    return 'withdrawn';
  };
  await api.servers.patch({ name: 'a' }, { type: 'merge', body: { spec: { systemUUID: uuidOf('new') } } });
  const swapped = await until(
    api.firmwares,
    'a',
    (each) => each.status?.systemUUID === uuidOf('new') && asks('Scan')(each) && each.status.openUpdate === undefined,
  );
  assert.equal(swapped.status?.lastScanTime, undefined);
  assert.deepEqual([...new Set(withdrawn.map(({ jobId }) => jobId))], [status?.request?.jobID]);
  assert.match(withdrawn[0]?.reason ?? '', /another machine/);
});
