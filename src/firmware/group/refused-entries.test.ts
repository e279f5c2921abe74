import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../../kube/index.ts';
import { fw, putFirmware, putGroup, putServer, startApi, startControllers, until } from '../testing/rig.ts';

type Event = KubeObject & { reason?: string; message?: string; involvedObject?: { name?: string } };

const eventsRef = { group: '', version: 'v1', resource: 'events', namespaced: true, kind: 'Event' };

test('a server that refuses the entries of its group says so in an event, and others get theirs', async (t) => {
  const api = await startApi();
  t.after(() => api.close());
  const rig = await startControllers(api);
  t.after(() => rig.stop());
  const many = (count: number, name: string) =>
    Array.from({ length: count }, (_, index) => fw(name, '1', `Maker ${index}`));
  for (const [name, own] of Object.entries({ full: many(200, 'nic'), free: [] })) {
    await putServer(api, name);
    await putFirmware(api, name, { labels: { group: 'g' }, spec: { firmwares: own } });
  }
  const refused = (async () => {
    const events = api.client.resource<Event>(eventsRef);
    for await (const { type, object } of events.watch({ namespace: 'default', signal: AbortSignal.timeout(120_000) })) {
      if (type !== 'BOOKMARK' && object.reason === 'GroupEntriesRefused') return object;
    }
    return assert.fail('no event came');
  })();
  await putGroup(api, 'g', { firmwares: many(100, 'ssd') });
  await until(api.firmwares, 'free', ({ spec }) => spec.firmwares?.length === 100);
  const { involvedObject, message } = await refused;
  assert.equal(involvedObject?.name, 'full');
  assert.match(message ?? '', /The group g could not write its entries: .*256/);
});
