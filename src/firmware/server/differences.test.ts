import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DiscoveredFirmware, Firmware, PartFirmware, ServerFirmwareStatus } from '../../api/index.ts';
import { compareVersions } from '../compare-versions.ts';
import { aFirmware } from '../testing/server-seen.ts';
import { type Difference, differencesOf, isInstallable } from './differences.ts';

const serverManufacturer = 'Dell Inc.';
const broadcom = (version: string, slot = 'NIC.1'): PartFirmware => ({
  ...{ name: 'nic', manufacturer: 'Broadcom', model: 'Adv. Dual 25Gb', softwareId: '110217', slot, version },
});
const mellanox = (version: string, slot = 'NIC.2'): PartFirmware => ({
  ...{ name: 'nic', manufacturer: 'Mellanox', model: 'ConnectX-6 Lx', softwareId: '110222', slot, version },
});
const both = [broadcom('22.31'), mellanox('26.36')];

const discovered: DiscoveredFirmware = {
  apiVersion: 'metal.ironcore.dev/v1alpha1',
  kind: 'DiscoveredFirmware',
  metadata: { name: 'r750' },
  spec: { manufacturer: serverManufacturer, model: 'PowerEdge R750' },
  status: {
    firmwares: [
      { name: 'nic', manufacturer: 'Dell Inc.', softwareIds: ['110217'], versions: ['22.31', '22.71'] },
      { name: 'nic', manufacturer: 'Dell Inc.', softwareIds: ['110222'], versions: ['26.36', '26.39'] },
    ],
  },
};

const nic = (version: string, more: Partial<Firmware> = {}): Firmware => ({
  ...{ name: 'nic', manufacturer: 'Dell Inc.', version },
  ...more,
});

function differences(
  entries: readonly Firmware[],
  installed: readonly PartFirmware[],
  more: { resolved?: ServerFirmwareStatus['resolved']; isUnlisted?: boolean; group?: readonly Firmware[] } = {},
): readonly Difference[] {
  const { resolved, isUnlisted = false, group = [] } = more;
  const status = { firmwares: [...installed], ...(resolved === undefined ? {} : { resolved }) };
  const firmware = aFirmware({ firmwares: [...entries] }, { status });
  const owned = aFirmware({ firmwares: [...group] }, { group: 'g' });
  return differencesOf({
    firmware: {
      ...firmware,
      spec: { ...firmware.spec, firmwares: [...entries, ...group] },
      ownership: { ...firmware.ownership, groupEntries: owned.ownership.groupEntries },
    },
    serverManufacturer,
    discovered: isUnlisted ? undefined : discovered,
    compare: compareVersions,
  });
}

const told = (found: readonly Difference[]) =>
  found.map(({ version, relation, parts }) => [version, relation, parts.map(({ slot }) => slot)]);

test('an entry with the maker of the server means the parts for which the version is published', () => {
  assert.deepEqual(told(differences([nic('22.71')], both)), [['22.71', 'newer', ['NIC.1']]]);
  assert.deepEqual(told(differences([nic('22.71')], [broadcom('22.71'), mellanox('26.36')])), []);
});

test('entries for two products of one class do not contradict each other', () => {
  const entries = [nic('22.71', { manufacturer: 'Broadcom' }), nic('26.39', { manufacturer: 'NVIDIA' })];
  assert.deepEqual(told(differences(entries, both)), [
    ['22.71', 'newer', ['NIC.1']],
    ['26.39', 'newer', ['NIC.2']],
  ]);
});

test('entries that want different versions of one part contradict each other', () => {
  const entries = [nic('22.71'), nic('22.31', { slot: 'NIC.1' })];
  assert.deepEqual(
    told(differences(entries, [broadcom('22.31'), broadcom('22.31', 'NIC.3')])).map(([, what]) => what),
    ['contradictory', 'contradictory'],
  );
});

test('an entry of the server wins over one of its group on the parts that both mean', () => {
  const group = [nic('22.71')];
  const found = differences([nic('22.31', { slot: 'NIC.1' })], [broadcom('22.31'), broadcom('22.31', 'NIC.3')], {
    group,
  });
  assert.deepEqual(told(found), [['22.71', 'newer', ['NIC.3']]]);
  assert.deepEqual(
    found.map(({ excludedSlots }) => excludedSlots),
    [['NIC.1']],
    'an update of the group must not write to what the server decides for itself',
  );
  assert.deepEqual(told(differences([nic('22.31', { slot: 'NIC.1' })], [broadcom('22.31')], { group })), []);
});

for (const [what, entry, slots] of [
  ['a model', { model: 'connectx-6 lx' }, ['NIC.2']],
  ['a software id', { softwareId: '110222' }, ['NIC.2']],
  ['a slot', { slot: 'NIC.2' }, ['NIC.2']],
  ['the maker of the part', { manufacturer: 'Mellanox Technologies' }, ['NIC.2']],
] as const) {
  test(`an entry is narrowed by ${what}`, () => {
    assert.deepEqual(told(differences([nic('26.39', entry)], both)), [['26.39', 'newer', slots]]);
  });
}

test('an entry names a product as discovery lists it', () => {
  const product = { name: 'nic', manufacturer: 'Dell Inc.', model: 'Nvidia ConnectX-6 Lx Family' };
  const firmwares = [{ ...product, softwareIds: ['110222'], versions: ['26.36', '26.39'] }];
  const listed = { ...discovered, status: { firmwares } };
  const find = (entry: Firmware, installed: readonly PartFirmware[]) =>
    told(
      differencesOf({
        firmware: aFirmware({ firmwares: [entry] }, { status: { firmwares: [...installed] } }),
        ...{ serverManufacturer, discovered: listed, compare: compareVersions },
      }),
    );
  const entry = { ...product, version: '26.39' };
  assert.deepEqual(find(entry, both), [['26.39', 'newer', ['NIC.2']]]);
  assert.deepEqual(find(entry, [broadcom('22.31'), mellanox('26.39')]), []);
  assert.deepEqual(find({ ...entry, version: '26.10' }, both), [['26.10', 'older', ['NIC.2']]]);
});

test('an entry that no installed part matches is refused and says what there is', () => {
  const [found] = differences([nic('1.0', { manufacturer: 'Intel' })], both);
  assert.deepEqual([found?.relation, found?.others.length], ['missing', 2]);
});

test('a version that is not listed counts for all parts until the update service has answered', () => {
  const installed = [broadcom('22.31'), mellanox('26.36')];
  const unlisted = { isUnlisted: true };
  assert.deepEqual(told(differences([nic('22.21')], installed, unlisted)), [['22.21', 'older', ['NIC.1', 'NIC.2']]]);
  const entry = { name: 'nic', manufacturer: 'Dell Inc.', version: '22.21', slots: ['NIC.1'] };
  const resolved = { time: '2030-01-01T00:00:00Z', entries: [entry] };
  assert.deepEqual(told(differences([nic('22.21')], installed, { ...unlisted, resolved })), [
    ['22.21', 'older', ['NIC.1']],
  ]);
  const done = [broadcom('22.21'), mellanox('26.36')];
  assert.deepEqual(told(differences([nic('22.21')], done, { ...unlisted, resolved })), []);
});

const unlistedOf = (entry: Firmware, slots: string[], reason?: string) => ({
  ...entry,
  slots,
  ...(reason === undefined ? {} : { reason, message: 'no' }),
});
const answered = (...entries: ReturnType<typeof unlistedOf>[]) => ({ time: '2030-01-01T00:00:00Z', entries });

test('an entry that may turn out to be for other parts contradicts nothing before the update service has answered', () => {
  const [listed, unlisted] = [nic('22.71', { manufacturer: 'Broadcom' }), nic('26.10')];
  assert.deepEqual(told(differences([unlisted, listed], both)), [
    ['26.10', 'newer', ['NIC.1', 'NIC.2']],
    ['22.71', 'newer', ['NIC.1']],
  ]);
  const older = [nic('26.10'), nic('22.10', { manufacturer: 'Broadcom' })];
  assert.ok(differences(older, both).every(isInstallable), 'neither is listed: both are asked for');
  const resolved = answered(unlistedOf(nic('26.10'), ['NIC.2']));
  assert.deepEqual(told(differences(older, both, { resolved })), [
    ['26.10', 'older', ['NIC.2']],
    ['22.10', 'older', ['NIC.1']],
  ]);
});

test('a version that is in no catalogue contradicts nothing, and takes no part away from a group', () => {
  const gone = nic('99');
  const resolved = answered(unlistedOf(gone, [], 'FirmwareNotFound'));
  const listed = nic('22.71', { manufacturer: 'Broadcom' });
  const found = differences([gone, listed], both, { resolved });
  assert.deepEqual(
    found.map(({ version, relation, unavailable }) => [version, relation === 'contradictory', unavailable?.code]),
    [
      ['99', false, 'FirmwareNotFound'],
      ['22.71', false, undefined],
    ],
  );
  const ofGroup = differences([gone], both, { resolved, group: [listed] }).filter(({ isFromGroup }) => isFromGroup);
  assert.deepEqual(told(ofGroup), [['22.71', 'newer', ['NIC.1']]]);
});

test('what a server pins by the maker or slot of the part stays its own, also where the version is not available', () => {
  const pinned = nic('99', { manufacturer: 'Broadcom' });
  const resolved = answered(unlistedOf(pinned, [], 'FirmwareNotFound'));
  const found = differences([pinned], both, { resolved, group: [nic('22.71')] });
  assert.deepEqual(
    found.map(({ version }) => version),
    ['99'],
  );
});

test('entries of which the update service found that they mean one part contradict each other', () => {
  const entries = [nic('22.10'), nic('22.20', { manufacturer: 'Broadcom' })];
  const resolved = answered(
    unlistedOf(nic('22.10'), ['NIC.1'], 'ContradictoryEntries'),
    unlistedOf(nic('22.20', { manufacturer: 'Broadcom' }), ['NIC.1'], 'ContradictoryEntries'),
  );
  const relations = differences(entries, both, { resolved }).map(({ relation }) => relation);
  assert.deepEqual(relations, ['contradictory', 'contradictory']);
});
