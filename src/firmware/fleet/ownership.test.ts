import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ManagedFieldsEntry } from '../../kube/index.ts';
import { fieldManagers } from '../resources.ts';
import { entryKey, readEntryKey, readOwnership } from './ownership.ts';

const groupAnnotation = { group: 'example.com/group' };

function appliedBy(manager: string, keys: readonly object[]): ManagedFieldsEntry {
  const entries = keys.map((key) => [`k:${JSON.stringify(key)}`, { '.': {}, 'f:version': {} }]);
  const fieldsV1 = { 'f:spec': { 'f:firmwares': Object.fromEntries(entries) } };
  return { manager, operation: 'Apply', fieldsType: 'FieldsV1', fieldsV1 } as ManagedFieldsEntry;
}

const whole = { manufacturer: 'Intel', model: 'E810', name: 'nic', slot: '', softwareId: '' };

test('an entry is told apart by everything but its version, and can be read from its key', () => {
  const nic = { name: 'nic', manufacturer: 'Intel' };
  assert.equal(entryKey(nic), entryKey({ ...nic, model: '', softwareId: '', slot: '' }));
  assert.notEqual(entryKey(nic), entryKey({ ...nic, model: 'E810' }));
  assert.notEqual(entryKey({ ...nic, slot: '1' }), entryKey({ ...nic, softwareId: '1' }));
  assert.deepEqual(readEntryKey(entryKey({ ...nic, slot: '1' })), { ...nic, slot: '1' });
  assert.deepEqual(readEntryKey(entryKey(nic)), nic);
});

test('entries that the group applied are its own', () => {
  const { groupEntries } = readOwnership([appliedBy(fieldManagers.group, [whole])], groupAnnotation);
  assert.deepEqual([...groupEntries], [entryKey({ name: 'nic', manufacturer: 'Intel', model: 'E810' })]);
});

test('an entry that was applied when entries had fewer keys is applied again, and a user keeps it', () => {
  const older = { manufacturer: 'Intel', name: 'nic' };
  const managed = [appliedBy(fieldManagers.group, [older]), appliedBy('user', [older])];
  const { groupEntries, otherEntries, isGroupManaged } = readOwnership(managed, groupAnnotation);
  assert.deepEqual([...groupEntries], []);
  assert.deepEqual([...otherEntries], [entryKey(older)]);
  assert.equal(isGroupManaged, true);
});
