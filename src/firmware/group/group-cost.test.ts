import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics, type MetricsRegistry } from '../../telemetry/index.ts';
import { createFakeUpdateService } from '../testing/fake-update-service.ts';
import { fw, putFirmware, putGroup, putServer, startApi, startControllers, until } from '../testing/rig.ts';

async function requestsOf(metrics: MetricsRegistry): Promise<number> {
  const lines = (await metrics.expose()).matchAll(/^rest_client_requests_total\{.*\} (\d+)/gm);
  return [...lines].reduce((total, [, count]) => total + Number(count), 0);
}

test('a change of one group costs a few requests for each of its servers, and nothing for those of others', async (t) => {
  const api = await startApi();
  t.after(() => api.close());
  const service = createFakeUpdateService();
  const metrics = createMetrics();
  const names = Array.from({ length: 30 }, (_, index) => `s${index}`);
  for (const [index, name] of names.entries()) {
    service.installed.set(name, [fw('ssd', '1')]);
    await putServer(api, name);
    await putFirmware(api, name, { labels: { group: index < 5 ? 'small' : 'large' } });
  }
  for (const name of ['small', 'large']) await putGroup(api, name, { firmwares: [fw('ssd', '1')] });
  const rig = await startControllers(api, {
    service,
    client: await api.connect(metrics),
    settings: { gatherMs: 1000 },
  });
  t.after(() => rig.stop());
  const finishAll = async (kind: string, count: number): Promise<void> => {
    for (const name of names.slice(0, count))
      await until(api.firmwares, name, ({ status }) => status?.request?.kind === kind);
    for (const each of service.open()) await service.finish(each);
  };
  await finishAll('Scan', names.length);
  await until(api.groups, 'small', ({ status }) => status?.updatesApplied === 5);
  await until(api.groups, 'large', ({ status }) => status?.updatesApplied === 25);
  for (const name of names) await until(api.firmwares, name, ({ status }) => status?.request === undefined);
  const before = await requestsOf(metrics);
  await api.groups.patch({ name: 'small' }, { type: 'merge', body: { spec: { firmwares: [fw('ssd', '2')] } } });
  await finishAll('Update', 5);
  await until(
    api.groups,
    'small',
    ({ metadata, status }) => status?.updatesApplied === 5 && status.observedGeneration === metadata.generation,
  );
  const spent = (await requestsOf(metrics)) - before;
  // For each server: its entries, the request in its status, what the job reported with what that means; the rest are counts.
  assert.ok(spent >= 15 && spent <= 5 * 5, `${spent} requests for 5 servers`);
});
