import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ManagedFieldsEntry } from '../../kube/index.ts';
import { silentLogger } from '../../telemetry/index.ts';
import { fw, startApi } from '../testing/rig.ts';
import { rekeyEntries, rekeyManagedFields } from './rekey-entries.ts';

const base = { apiVersion: 'metal.ironcore.dev/v1alpha1', kind: 'ServerFirmwareGroup' } as const;
const spec = { manufacturer: 'Dell Inc.', model: 'R750', serverSelector: { matchLabels: { env: 'prod' } } };
const name = { name: 'g' };

/** As an older version would have written it. */
function withOlderKeys(managedFields: readonly ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  const text = JSON.stringify(managedFields)
    .replaceAll('\\"model\\":\\"\\",', '')
    .replaceAll(',\\"slot\\":\\"\\",\\"softwareId\\":\\"\\"', '');
  return JSON.parse(text) as ManagedFieldsEntry[];
}

test('an entry that an older version wrote goes when whoever applied it takes it out', async (t) => {
  const api = await startApi();
  t.after(() => api.close());
  const apply = (firmwares: readonly object[]) =>
    api.groups.apply({ ...base, metadata: name, spec: { ...spec, firmwares } } as never, { fieldManager: 'git' });
  const written = await apply([fw('psu', '1'), fw('nic', '1')]);
  const now = written.metadata.managedFields ?? [];
  const older = withOlderKeys(now);
  assert.notDeepEqual(older, now);
  const operations = [{ op: 'replace', path: '/metadata/managedFields', value: older }] as const;
  await api.groups.patch(name, { type: 'json', operations });
  await rekeyEntries(api.client, { logger: silentLogger, signal: new AbortController().signal });
  assert.deepEqual((await api.groups.get(name)).metadata.managedFields?.[0]?.fieldsV1, now[0]?.fieldsV1);
  const { spec: left } = await apply([fw('nic', '2')]);
  assert.deepEqual(
    left.firmwares?.map((entry) => [entry.name, entry.version]),
    [['nic', '2']],
  );
});

test('owners who are known by the keys of today are left as they are', () => {
  const keys = { manufacturer: 'Intel', model: '', name: 'nic', slot: '', softwareId: '' };
  const fieldsV1 = { 'f:spec': { 'f:firmwares': { [`k:${JSON.stringify(keys)}`]: { 'f:version': {} } } } };
  assert.equal(rekeyManagedFields([{ manager: 'm', operation: 'Apply', fieldsV1 } as ManagedFieldsEntry]), undefined);
  assert.equal(rekeyManagedFields([{ manager: 'm', operation: 'Update' } as ManagedFieldsEntry]), undefined);
});
