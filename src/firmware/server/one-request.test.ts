import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerFirmware } from '../../api/index.ts';
import { createFakeUpdateService } from '../testing/fake-update-service.ts';
import { fw, putFirmware, putServer, startApi, startControllers, until } from '../testing/rig.ts';

const isAsking =
  (kind: string) =>
  ({ status }: ServerFirmware): boolean =>
    status?.request?.kind === kind && status.request.jobID !== 'unsent';

test('what the controller writes beside a request is no reason to ask twice', async (t) => {
  const api = await startApi();
  t.after(() => api.close());
  const asked: string[] = [];
  const service = createFakeUpdateService();
  const { scan, update } = service;
  service.scan = (...call) => {
    asked.push('scan');
    return scan(...call);
  };
  service.update = (...call) => {
    asked.push('update');
    return update(...call);
  };
  service.installed.set('foo', [fw('bios', '1', 'Lenovo'), fw('ssd', '1.0')]);
  // There before the controllers: the first look follows the BIOS and asks for a scan.
  await putServer(api, 'foo', { status: { bios: { version: '0' } } });
  await putFirmware(api, 'foo', { spec: { firmwares: [fw('ssd', '2.0')] } });
  const retry = { metadata: { annotations: { 'metal.ironcore.dev/operation': 'retry' } } };
  await api.firmwares.patch({ name: 'foo' }, { type: 'merge', body: retry });
  const rig = await startControllers(api, { service });
  t.after(() => rig.stop());
  const scanning = await until(api.firmwares, 'foo', isAsking('Scan'));
  assert.deepEqual(
    [scanning.spec.bios?.version, scanning.metadata.annotations?.['metal.ironcore.dev/operation']],
    ['0', undefined],
  );
  assert.deepEqual(asked, ['scan']);
  // The scan saw another BIOS: the look that asks for the update follows it and keeps the object.
  await service.finish(service.open()[0] ?? assert.fail('no scan is open'));
  const updating = await until(api.firmwares, 'foo', isAsking('Update'));
  assert.equal(updating.spec.bios?.version, '1');
  assert.deepEqual(asked, ['scan', 'update']);
});
