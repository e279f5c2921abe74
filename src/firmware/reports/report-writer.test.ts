import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ironcoreApiVersion } from '../../api/index.ts';
import { type KubeClient, kubeError, systemClock } from '../../kube/index.ts';
import { fw, putFirmware, putServer, startApi } from '../testing/rig.ts';
import { createFirmwareReports } from './report-writer.ts';

test('the newest number of a store is the greatest that any object shows of it', async (t) => {
  const api = await startApi();
  t.after(() => api.close());
  const reports = createFirmwareReports({ client: api.client, clock: systemClock, random: Math.random });
  assert.equal(await reports.newest('a'), 0);
  for (const name of ['s1', 's2']) {
    await putServer(api, name);
    await putFirmware(api, name);
  }
  const scan = { kind: 'Scan', conditionId: 'c', at: 0, installed: [fw('ssd', '1')] } as const;
  await reports.server({ ...scan, server: 's1', store: 'a', sequence: 7 });
  await reports.server({ ...scan, server: 's2', store: 'b', sequence: 9000 });
  assert.deepEqual([await reports.newest('a'), await reports.newest('b')], [7, 9000]);
  // The store is lost and another one goes on.
  assert.equal(await reports.server({ ...scan, server: 's2', store: 'a', sequence: 3 }), 'written');
  assert.equal(await reports.server({ ...scan, server: 's2', store: 'a', sequence: 2 }), 'stale');
  const spec = { manufacturer: 'Lenovo', model: '7x21' };
  const metadata = { name: 'd' };
  await api.discovered.create({ apiVersion: ironcoreApiVersion, kind: 'DiscoveredFirmware', metadata, spec });
  await reports.discovery({ name: 'd', conditionId: 'c', store: 'a', sequence: 12, at: 0, available: [] });
  assert.deepEqual([await reports.newest('a'), await reports.newest('b')], [12, 0]);
});

test('kinds that are not there, or may not be listed, show nothing; what only fails now is told', async () => {
  const newestWith = (error: Error): Promise<number> => {
    const pages = async function* () {
      yield await Promise.reject(error);
    };
    const client = { resource: () => ({ pages }) } as unknown as KubeClient;
    return createFirmwareReports({ client, clock: systemClock, random: Math.random }).newest('a');
  };
  assert.equal(await newestWith(kubeError('Forbidden', 'no')), 0);
  assert.equal(await newestWith(kubeError('NotFound', 'no')), 0);
  await assert.rejects(newestWith(new Error('connection refused')), /refused/);
});

test('a discovery or a scan without a BIOS leaves none of an earlier one behind, a failed one leaves all', async (t) => {
  const api = await startApi();
  t.after(() => api.close());
  const reports = createFirmwareReports({ client: api.client, clock: systemClock, random: Math.random });
  const spec = { manufacturer: 'Lenovo', model: '7x21' };
  const metadata = { name: 'd' };
  await api.discovered.create({ apiVersion: ironcoreApiVersion, kind: 'DiscoveredFirmware', metadata, spec });
  const [bios, nic] = ['bios', 'nic'].map((name) => ({ name, manufacturer: 'Lenovo', versions: ['1', '2'] }));
  assert.ok(bios && nic);
  const found = { name: 'd', conditionId: 'c', store: 'a', at: 0 };
  const statusOf = async () => (await api.discovered.get({ name: 'd' })).status;
  await reports.discovery({ ...found, sequence: 1, available: [bios, nic] });
  const failure = { reason: 'NoCatalogue', message: 'gone' };
  await reports.discovery({ ...found, sequence: 2, failure });
  assert.deepEqual((await statusOf())?.bios, { versions: ['1', '2'] });
  await reports.discovery({ ...found, sequence: 3, available: [nic] });
  assert.deepEqual([(await statusOf())?.bios, (await statusOf())?.firmwares?.length], [undefined, 1]);

  await putServer(api, 's1');
  await putFirmware(api, 's1');
  const scan = { kind: 'Scan', conditionId: 'c', at: 0, server: 's1', store: 'a' } as const;
  await reports.server({ ...scan, sequence: 4, installed: [fw('bios', '1'), fw('ssd', '1')] });
  await reports.server({ ...scan, sequence: 5, installed: [fw('ssd', '1')] });
  const server = (await api.firmwares.get({ name: 's1' })).status;
  assert.deepEqual([server?.bios, server?.firmwares?.length], [undefined, 1]);
});
