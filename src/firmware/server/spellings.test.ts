import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerFirmwareGroup } from '../../api/index.ts';
import { decideMember } from '../group/decide-member.ts';
import { fw } from '../testing/rig.ts';
import { aFirmware, aServer, seenOf } from '../testing/server-seen.ts';
import { decideServer } from './decide-server.ts';
import { desiredHash } from './desired.ts';

const now = Date.UTC(2030, 0, 1);
const scanned = (...firmwares: ReturnType<typeof fw>[]) => ({ lastScanTime: '2029-12-31T23:59:00Z', firmwares });
const reasonOf = ({ status }: ReturnType<typeof decideServer>, type: string): string | undefined =>
  status?.conditions?.find((each) => each.type === type)?.reason;

test('what is wanted as ssd and reported as drive, of a maker in another spelling, is one thing', () => {
  const wanted = [fw('ssd', '2.0', 'ACME Corp.'), fw('Network_Adapter', '1.0', 'Intel(R) Corp.')];
  const firmware = aFirmware(
    { firmwares: wanted },
    { status: scanned(fw('drive', '2.0', 'Acme'), fw('nic', '1.0', 'Intel')) },
  );
  const decision = decideServer(seenOf(firmware), now);
  assert.deepEqual(decision.effects, []);
  assert.equal(reasonOf(decision, 'UpToDate'), 'AsWanted');
});

test('a difference is asked for in the words of whoever wants it', () => {
  const firmware = aFirmware({ firmwares: [fw('SSD', '2.0')] }, { status: scanned(fw('drive', '1.0')) });
  const [effect] = decideServer(seenOf(firmware), now).effects;
  assert.deepEqual(effect?.kind === 'update' && effect.request.firmwares, [fw('SSD', '2.0')]);
});

test('another spelling is no other list: what failed stays counted, what is under way goes on', () => {
  assert.equal(
    desiredHash([fw('ssd', '1'), fw('nic', '2')]),
    desiredHash([fw('nic', '2'), fw('Disk', '1', 'acme inc.')]),
  );
  assert.notEqual(desiredHash([fw('ssd', '1')]), desiredHash([fw('ssd', '2')]));
});

test('entries that mean one firmware and want different versions are not installed in turns: that is told, and the rest goes on', () => {
  const both = [fw('ssd', '1.0'), fw('drive', '2.0')];
  const status = scanned(fw('drive', '1.0'), fw('nic', '1.0'));
  const held = decideServer(seenOf(aFirmware({ firmwares: both }, { status })), now);
  assert.deepEqual(held.effects, []);
  assert.deepEqual(
    [reasonOf(held, 'UpToDate'), reasonOf(held, 'Progressing')],
    ['ContradictoryEntries', 'ContradictoryEntries'],
  );
  const upToDate = held.status?.conditions?.find(({ type }) => type === 'UpToDate');
  assert.match(
    upToDate?.message ?? '',
    /ssd \(ACME\) should be 1\.0, and another entry .*drive \(ACME\) should be 2\.0/,
  );
  const more = decideServer(seenOf(aFirmware({ firmwares: [...both, fw('nic', '2.0')] }, { status })), now);
  const [effect] = more.effects;
  assert.deepEqual(effect?.kind === 'update' && effect.request.firmwares, [fw('nic', '2.0')]);
  const same = [fw('ssd', '1.0'), fw('drive', '1.0')];
  assert.equal(reasonOf(decideServer(seenOf(aFirmware({ firmwares: same }, { status })), now), 'UpToDate'), 'AsWanted');
});

test('the BIOS that somebody wants by spec.bios and by an entry is one firmware too', () => {
  const firmware = aFirmware(
    { bios: { version: '2.0' }, firmwares: [fw('uefi', '3.0', 'LENOVO')] },
    { status: { ...scanned(), bios: { version: '2.0' } } },
  );
  assert.equal(reasonOf(decideServer(seenOf(firmware), now), 'UpToDate'), 'ContradictoryEntries');
});

test('an entry of the server wins over that of its group in any spelling', () => {
  const firmware = aFirmware({ firmwares: [fw('ssd', '1.5')] });
  const group: ServerFirmwareGroup = {
    apiVersion: 'metal.ironcore.dev/v1alpha1',
    kind: 'ServerFirmwareGroup',
    metadata: { name: 'g' },
    spec: {
      manufacturer: 'Lenovo',
      model: '7x21',
      serverSelector: { matchLabels: {} },
      firmwares: [fw('drive', '2.0', 'Acme Inc.')],
    },
  };
  const mark = {
    ...firmware,
    metadata: { ...firmware.metadata, annotations: { 'metal.ironcore.dev/firmware-group': 'g' } },
  };
  assert.deepEqual(decideMember({ firmware: mark, server: aServer(), groups: [group] }).effects, []);
});
