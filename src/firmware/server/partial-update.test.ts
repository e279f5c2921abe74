import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DiscoveredFirmware, ServerFirmwareStatus } from '../../api/index.ts';
import { conditionOf } from '../conditions.ts';
import { entryKey } from '../fleet/ownership.ts';
import { fw } from '../testing/rig.ts';
import { aFirmware, seenOf } from '../testing/server-seen.ts';
import { decideServer, type ServerDecision } from './decide-server.ts';

const now = Date.UTC(2030, 0, 1);
const minute = 60_000;
const ago = (minutes: number): string => new Date(now - minutes * minute).toISOString().replace('.000', '');

const missing = {
  ...fw('bmc', '9'),
  slots: [],
  reason: 'FirmwareNotFound',
  message:
    'there is no bmc 9 of ACME for model 7x21 in the catalogue: let a discovery find it, or add it to the catalogue',
};

/** A server that wants two versions, of which the update service did not find one so many minutes ago. */
function seenAfter(
  minutes: number,
  more: { nic?: string; status?: ServerFirmwareStatus; discoveredAgo?: number } = {},
) {
  const status: ServerFirmwareStatus = {
    lastScanTime: ago(1),
    firmwares: [fw('nic', more.nic ?? '1'), fw('bmc', '1')],
    resolved: { time: ago(minutes), entries: [missing] },
    ...more.status,
  };
  const firmware = aFirmware({ firmwares: [fw('nic', '2'), fw('bmc', '9')] }, { status });
  if (more.discoveredAgo === undefined) return seenOf(firmware);
  const discovered: DiscoveredFirmware = {
    apiVersion: 'metal.ironcore.dev/v1alpha1',
    kind: 'DiscoveredFirmware',
    metadata: { name: 'm' },
    spec: { manufacturer: 'Lenovo', model: '7x21' },
    status: { lastDiscoveryTime: ago(more.discoveredAgo) },
  };
  return seenOf(firmware, { discovered });
}

const asked = ({ effects }: ServerDecision) =>
  effects.flatMap((each) => (each.kind === 'update' ? each.request.firmwares.map(({ name }) => name) : []));
const condition = ({ status }: ServerDecision, type: string) => conditionOf(status?.conditions, type);

test('a version that is in no catalogue does not keep the others from being installed', () => {
  const decision = decideServer(seenAfter(5), now);
  assert.deepEqual(asked(decision), ['nic']);
  assert.match(
    condition(decision, 'UpToDate')?.message ?? '',
    /bmc \(ACME\) should be 9 .* cannot be: there is no bmc 9/,
  );
});

test('a long message begins with what cannot be installed and counts what it leaves out', () => {
  const names = Array.from({ length: 13 }, (_, at) => `part${at}`);
  const status: ServerFirmwareStatus = {
    lastScanTime: ago(1),
    firmwares: [...names.slice(0, 12).map((name) => fw(name, '1')), fw('bmc', '1')],
    resolved: { time: ago(5), entries: [missing] },
  };
  const firmwares = [...names.map((name) => fw(name, '2')), fw('bmc', '9')];
  const { message = '' } = condition(decideServer(seenOf(aFirmware({ firmwares }, { status })), now), 'UpToDate') ?? {};
  assert.match(message, /^part12 .* no installed part matches .*; bmc .* cannot be: .*; and 4 more\.$/);
});

test('once the rest is installed the server says what is missing, and asks again after ten minutes', () => {
  const decision = decideServer(seenAfter(4, { nic: '2' }), now);
  assert.deepEqual([asked(decision), decision.state], [[], 'Held']);
  for (const type of ['UpToDate', 'Progressing']) {
    const { status, reason } = condition(decision, type) ?? {};
    assert.deepEqual([status, reason], ['False', 'FirmwareNotFound']);
  }
  assert.deepEqual(decision.wake, { after: 6 * minute });
  assert.deepEqual(asked(decideServer(seenAfter(10, { nic: '2' }), now)), ['bmc']);
});

test('what is missing is asked for again as soon as discovery has run', () => {
  assert.deepEqual(asked(decideServer(seenAfter(4, { nic: '2', discoveredAgo: 5 }), now)), []);
  assert.deepEqual(asked(decideServer(seenAfter(4, { nic: '2', discoveredAgo: 3 }), now)), ['bmc']);
});

test('a partial update that ended well is no failed attempt at what is missing', () => {
  const first = decideServer(seenAfter(5), now).status;
  const request = { ...first?.request, kind: 'Update' as const, jobID: 'j1', time: ago(1), report: 1 };
  const report = { conditionID: 'j1', sequence: 1 };
  const { status } = decideServer(seenAfter(4, { nic: '2', status: { request, report } }), now);
  assert.deepEqual([status?.attempts, status?.request], [undefined, undefined]);
});

test('answers to entries that are gone are forgotten', () => {
  const firmware = aFirmware(
    { firmwares: [fw('nic', '2')] },
    { status: { lastScanTime: ago(1), firmwares: [fw('nic', '2')], resolved: { time: ago(1), entries: [missing] } } },
  );
  const { status } = decideServer(seenOf(firmware), now);
  assert.equal(status?.resolved, undefined);
  assert.equal(conditionOf(status?.conditions, 'UpToDate')?.status, 'True');
});

test('an update for a group leaves out the part that the server decides about itself', () => {
  const drive = (slot: string, version: string) => ({ ...fw('drive', version), slot });
  const own = { ...fw('drive', '1'), slot: 'Bay 2' };
  const all = fw('drive', '2');
  const status = { lastScanTime: ago(1), firmwares: [drive('Bay 1', '1'), drive('Bay 2', '1')] };
  const firmware = aFirmware({ firmwares: [own, all] }, { status });
  const ownership = {
    ...firmware.ownership,
    groupEntries: new Set([entryKey(all)]),
    otherEntries: new Set([entryKey(own)]),
    isGroupManaged: true,
  };
  const { effects } = decideServer(seenOf({ ...firmware, ownership }), now);
  const asked = effects.flatMap((each) => (each.kind === 'update' ? each.request.firmwares : []));
  assert.deepEqual(asked, [{ ...all, excludedSlots: ['Bay 2'] }]);
});
