import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FirmwareSlot } from '../bmc.ts';
import { isBmcError } from '../errors.ts';
import { createScriptedBmc } from '../testing/scripted-bmc.ts';
import { collectionOf, lenovoTree, type Tree } from './testing/vendor-trees.ts';
import { judge, type SlotChoice, verifyInstalled } from './verify-installed.ts';

const inventory = '/redfish/v1/UpdateService/FirmwareInventory';

const slot = (name: string, version: string, more: Partial<FirmwareSlot> = {}): FirmwareSlot => ({
  slot: name,
  component: 'nic',
  name,
  vendor: undefined,
  model: undefined,
  version,
  pendingVersion: undefined,
  previousVersion: undefined,
  isUpdateable: true,
  softwareId: undefined,
  uri: `${inventory}/${name}`,
  relatedItems: [],
  health: undefined,
  ...more,
});

const nics: SlotChoice = { match: ({ component }) => component === 'nic' };
const about = { vendor: 'dell', gaps: [] } as const;

test('every slot that matches must have the version', () => {
  const kind = (slots: readonly FirmwareSlot[], choice: SlotChoice = nics) =>
    judge(slots, { ...choice, version: '22.1' }, about).kind;
  assert.equal(kind([slot('a', '22.1'), slot('b', '22.1')]), 'installed');
  assert.equal(kind([slot('a', '22.1'), slot('b', '22.0')]), 'other-version');
  assert.equal(kind([slot('a', '22.1'), slot('b', '22.0', { pendingVersion: '22.1' })]), 'staged');
  assert.equal(kind([slot('a', '21', {}), slot('b', '22.0', { pendingVersion: '22.1' })]), 'other-version');
  assert.equal(kind([slot('a', '22.1'), slot('b', '22.0', { isBackup: true })]), 'installed');
  assert.equal(kind([]), 'unreadable');
  assert.equal(kind([slot('a', '22.1')], { slots: ['a', 'b'] }), 'unreadable');
  assert.equal(kind([slot('a', '22.1'), slot('b', '22.0')], { slots: ['a'] }), 'installed');
  assert.equal(kind([slot('a', '')]), 'other-version');
});

test('the message says which slot has what', () => {
  const found = judge([slot('NIC.1', '22.0')], { ...nics, version: '22.1' }, about);
  assert.equal(found.kind === 'other-version' && found.message, 'NIC.1 has 22.0 and not 22.1');
});

const uefi = (Version: string) => ({
  Id: 'UEFI',
  Name: 'Firmware:UEFI',
  Version,
  Updateable: true,
  SoftwareId: 'UEFI-AFE1',
});
const tree: Tree = {
  ...lenovoTree,
  [inventory]: collectionOf(inventory, 'UEFI'),
  [`${inventory}/UEFI`]: { '@odata.id': `${inventory}/UEFI`, ...uefi('2.10') },
};
const order = { match: (each: FirmwareSlot) => each.component === 'bios', version: '2.40', deadlineMs: 600_000 };

test('the version must be seen several times in a row (security.md: attacker-on-bmc-network)', async () => {
  const { bmc, gate } = createScriptedBmc({ tree });
  const versions = ['2.40', '2.10', '2.40', '2.40', '2.40', '2.40'];
  let reads = 0;
  gate.on(`GET ${inventory}/UEFI`, () => ({
    body: { '@odata.id': `${inventory}/UEFI`, ...uefi(versions[reads++] ?? '') },
  }));
  assert.equal((await verifyInstalled(bmc, order)).kind, 'installed');
  assert.equal(reads, 5);
});

test('a list that comes one by one is read once; then only what was asked for', async () => {
  const many = { ...tree, [inventory]: collectionOf(inventory, 'UEFI', 'Other1', 'Other2') };
  const { bmc, gate } = createScriptedBmc({ tree: many });
  const reads: string[] = [];
  for (const id of ['UEFI', 'Other1', 'Other2']) {
    gate.on(`GET ${inventory}/${id}`, () => {
      reads.push(id);
      return { body: { '@odata.id': `${inventory}/${id}`, ...uefi(id === 'UEFI' ? '2.40' : '1'), Id: id } };
    });
  }
  const one = { ...order, match: (each: FirmwareSlot) => each.slot === 'UEFI' };
  const found = await verifyInstalled(bmc, one);
  assert.ok(found.kind === 'installed');
  assert.deepEqual(reads.splice(0), ['UEFI', 'Other1', 'Other2', 'UEFI', 'UEFI']);
  await verifyInstalled(bmc, { ...one, known: found.slots });
  assert.deepEqual(reads.splice(0), ['UEFI', 'UEFI', 'UEFI']);
  // What is known may be somewhere else by now.
  const moved = found.slots.map((each) => ({ ...each, uri: `${inventory}/Gone` }));
  gate.on(`GET ${inventory}/Gone`, () => ({ status: 404 }));
  assert.equal((await verifyInstalled(bmc, { ...one, known: moved })).kind, 'installed');
  assert.equal(reads.length, 5);
});

test('one wrong read before the deadline is not the end; the last one is', async () => {
  const { bmc, clock } = createScriptedBmc({ tree });
  const from = clock.monotonic();
  const found = await verifyInstalled(bmc, order);
  assert.equal(found.kind, 'other-version');
  assert.equal(clock.monotonic() - from, 600_000);
});

test('a staged version is told at the deadline, or at once where that is enough', async () => {
  const pending = `${inventory}/UEFI-Pending`;
  const staged: Tree = {
    ...tree,
    [inventory]: collectionOf(inventory, 'UEFI', 'UEFI-Pending'),
    [pending]: { '@odata.id': pending, ...uefi('2.40'), Id: 'UEFI-Pending' },
  };
  for (const isStagedEnough of [true, false]) {
    const { bmc, clock } = createScriptedBmc({ tree: staged });
    const from = clock.monotonic();
    const found = await verifyInstalled(bmc, { ...order, isStagedEnough });
    assert.equal(found.kind, 'staged');
    assert.match(found.kind === 'staged' ? found.message : '', /needs a reset/);
    assert.equal(clock.monotonic() - from < 600_000, isStagedEnough);
  }
});

test('a BMC that is away is waited for, and one that stays away is unreadable', async () => {
  const { bmc, gate } = createScriptedBmc({ tree });
  gate.change(`${inventory}/UEFI`, { Version: '2.40' });
  let reads = 0;
  gate.on(`GET ${inventory}`, () => (++reads < 4 ? 'unreachable' : { body: tree[inventory] ?? {} }));
  assert.equal((await verifyInstalled(bmc, order)).kind, 'installed');
  gate.on(`GET ${inventory}`, () => 'unreachable');
  const found = await verifyInstalled(bmc, order);
  assert.equal(found.kind, 'unreadable');
});

test('refused credentials are thrown, except after an update of the BMC', async () => {
  const { bmc, gate } = createScriptedBmc({ tree });
  gate.change(`${inventory}/UEFI`, { Version: '2.40' });
  gate.once(`GET ${inventory}`, () => 'credentials');
  await assert.rejects(verifyInstalled(bmc, order), (error) => isBmcError(error, 'credentials'));
  gate.once(`GET ${inventory}`, () => 'credentials');
  assert.equal((await verifyInstalled(bmc, { ...order, isOutageExpected: true })).kind, 'installed');
  assert.equal(gate.outages, 0);
});

test('a good read is confirmed as often as ever when the deadline is over: one alone is not taken for enough', async () => {
  for (const [versions, kind] of [
    [['2.40', '2.40', '2.40', '2.40', '2.40'], 'installed'],
    [['2.40', '2.40', '2.10'], 'other-version'],
  ] as const) {
    const { bmc, gate } = createScriptedBmc({ tree });
    let reads = 0;
    gate.on(`GET ${inventory}/UEFI`, () => ({
      body: { '@odata.id': `${inventory}/UEFI`, ...uefi(versions[reads++] ?? '') },
    }));
    const found = await verifyInstalled(bmc, { ...order, deadlineMs: 1, consecutiveReads: 5 });
    assert.deepEqual([found.kind, reads], [kind, versions.length]);
  }
});
