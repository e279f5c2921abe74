import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerFirmware } from '../../api/index.ts';
import { createFakeUpdateService } from '../testing/fake-update-service.ts';
import { conditionIn, fw, putFirmware, putServer, startApi, startControllers, until } from '../testing/rig.ts';

for (const code of ['HostInUse', 'ClaimedTwice', 'NoWorker']) {
  test(`an update that waits with ${code} says so until its job reports, whatever else changes`, async (t) => {
    const api = await startApi();
    t.after(() => api.close());
    const service = createFakeUpdateService();
    service.installed.set('foo', [fw('ssd', '1.0')]);
    const rig = await startControllers(api, { service });
    t.after(() => rig.stop());
    const waits = { code, message: 'BareMetalHost metal3/foo is in use (provisioned)' };
    const update = service.update.bind(service);
    service.update = async (request, signal) => ({ ...(await update(request, signal)), waits }) as never;
    await putServer(api, 'foo');
    await putFirmware(api, 'foo', { spec: { firmwares: [fw('ssd', '2.0')] } });
    const open = async (kind: string) => {
      await until(
        api.firmwares,
        'foo',
        ({ status }) => status?.request?.kind === kind && status.request.jobID !== 'unsent',
      );
      const [asked] = service.open();
      return asked ?? assert.fail(`no ${kind} is open`);
    };
    await service.finish(await open('Scan'));
    const isWaiting = (each: ServerFirmware): boolean => conditionIn(each, 'Progressing')?.reason === code;
    const waiting = await until(api.firmwares, 'foo', isWaiting);
    const { status, message } = conditionIn(waiting, 'Progressing') ?? {};
    assert.equal(status, 'False');
    assert.match(message ?? '', /asked for at .* and waits: BareMetalHost metal3\/foo is in use/);
    assert.deepEqual(
      [conditionIn(waiting, 'UpToDate')?.status, conditionIn(waiting, 'UpToDate')?.reason],
      ['False', code],
    );
    await api.firmwares.patch({ name: 'foo' }, { type: 'merge', body: { spec: { scanThreshold: '45m' } } });
    const seen = await until(
      api.firmwares,
      'foo',
      (each) => each.status?.observedGeneration === each.metadata.generation && each.spec.scanThreshold === '45m',
    );
    assert.equal(isWaiting(seen), true);
    await service.finish(await open('Update'));
    const done = await until(api.firmwares, 'foo', (each) => conditionIn(each, 'UpToDate')?.status === 'True');
    assert.equal(conditionIn(done, 'Progressing')?.reason, 'Idle');
  });
}

test('an update whose worker is lost says when it resumes, whatever else changes, until it goes on', async (t) => {
  const api = await startApi();
  t.after(() => api.close());
  const service = createFakeUpdateService();
  service.installed.set('foo', [fw('ssd', '1.0')]);
  const rig = await startControllers(api, { service });
  t.after(() => rig.stop());
  const { reports } = rig.controllers;
  await putServer(api, 'foo');
  await putFirmware(api, 'foo', { spec: { firmwares: [fw('ssd', '2.0')] } });
  const requested =
    (kind: string) =>
    ({ status }: ServerFirmware) =>
      status?.request?.kind === kind && status.request.jobID !== 'unsent';
  await until(api.firmwares, 'foo', requested('Scan'));
  await service.finish(service.open()[0] ?? assert.fail());
  const conditionId = (await until(api.firmwares, 'foo', requested('Update'))).status?.request?.jobID ?? '';
  const wait = { code: 'WorkerLost', message: 'worker lost, resumes at 2030-01-01T00:00:10.000Z: w1 is silent' };
  assert.equal(await reports.wait({ server: 'foo', conditionId: 'of another', wait }), 'stale');
  assert.equal(await reports.wait({ server: 'nobody', conditionId, wait }), 'no-object');
  assert.equal(await reports.wait({ server: 'foo', conditionId, wait }), 'written');
  const isLost = (each: ServerFirmware): boolean => conditionIn(each, 'Progressing')?.reason === 'WorkerLost';
  const lost = await until(api.firmwares, 'foo', isLost);
  const { status, message } = conditionIn(lost, 'Progressing') ?? {};
  assert.equal(status, 'False');
  assert.match(message ?? '', /^The update was asked for at .* and waits: worker lost, resumes at 2030-01-01T00:00:10/);
  await api.firmwares.patch({ name: 'foo' }, { type: 'merge', body: { spec: { scanThreshold: '45m' } } });
  const seen = await until(
    api.firmwares,
    'foo',
    (each) => each.status?.observedGeneration === each.metadata.generation && each.spec.scanThreshold === '45m',
  );
  assert.equal(isLost(seen), true);
  assert.equal(await reports.wait({ server: 'foo', conditionId, wait: undefined }), 'written');
  const resumed = await until(api.firmwares, 'foo', (each) => !isLost(each));
  assert.deepEqual(
    ['Progressing', 'UpToDate'].map((type) => conditionIn(resumed, type)?.reason),
    ['UpdateRequested', 'Updating'],
  );
  assert.equal(await reports.wait({ server: 'foo', conditionId, wait: undefined }), 'stale');
});
