import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DiscoveredFirmware, ServerFirmwareStatus } from '../../api/index.ts';
import { conditionOf } from '../conditions.ts';
import { fw } from '../testing/rig.ts';
import { aFirmware, seenOf } from '../testing/server-seen.ts';
import { decideServer, type ServerDecision } from './decide-server.ts';

const now = Date.UTC(2030, 0, 1);
const status: ServerFirmwareStatus = {
  lastScanTime: '2029-12-31T23:59:00Z',
  bios: { version: '1.0' },
  firmwares: [fw('nic', '1.0', 'Intel'), fw('ssd', '2.0', 'Acme')],
};

function discovered(bios: readonly string[], nic: readonly string[]): DiscoveredFirmware {
  return {
    apiVersion: 'metal.ironcore.dev/v1alpha1',
    kind: 'DiscoveredFirmware',
    metadata: { name: 'sr530' },
    spec: { manufacturer: 'Lenovo', model: '7x21' },
    status: {
      lastDiscoveryTime: '2029-12-31T00:00:00Z',
      bios: { versions: [...bios] },
      firmwares: [{ name: 'nic', manufacturer: 'Intel', versions: [...nic] }],
    },
  };
}

const upToDate = ({ status: decided }: ServerDecision) => conditionOf(decided?.conditions, 'UpToDate');

test('a server for which no version is declared is not up to date, and says how many newer versions there are', () => {
  const seen = seenOf(aFirmware({}, { status }), { discovered: discovered(['1.0', '1.1', '1.2'], ['1.0', '2.0']) });
  const decision = decideServer(seen, now);
  const condition = upToDate(decision);
  assert.deepEqual([condition?.status, condition?.reason, decision.state], ['Unknown', 'NoTarget', 'NoTarget']);
  assert.equal(
    condition?.message,
    'No firmware version is declared for this server. 2 newer versions are available: bios 1.2 (has 1.0), nic 2.0 (has 1.0).',
  );
});

test('a version that is for several equal parts is counted once', () => {
  const [bay1, bay2] = [
    { ...fw('nic', '1.0', 'Intel'), slot: 'NIC.1' },
    { ...fw('nic', '0.9', 'Intel'), slot: 'NIC.2' },
  ];
  const equal = { ...status, firmwares: [bay1, bay2] };
  const seen = seenOf(aFirmware({}, { status: equal }), {
    discovered: discovered(['1.0', '1.1'], ['0.9', '1.0', '2.0']),
  });
  assert.match(
    upToDate(decideServer(seen, now))?.message ?? '',
    /2 newer versions are available: bios 1\.1 \(has 1\.0\), nic 2\.0 \(2 parts have 1\.0, 0\.9\)\.$/,
  );
});

test('a server without a declared version that has the newest of everything says that nothing newer is known', () => {
  const seen = seenOf(aFirmware({}, { status }), { discovered: discovered(['1.0'], ['0.9', '1.0']) });
  assert.match(upToDate(decideServer(seen, now))?.message ?? '', /No newer version is known to be available\.$/);
});

test('a BIOS that only follows the server declares nothing', () => {
  const firmware = aFirmware({ bios: { version: '1.0' } }, { status, ownership: { isBiosTaken: false } });
  assert.equal(upToDate(decideServer(seenOf(firmware), now))?.reason, 'NoTarget');
});

test('a server that gains its first entry leaves NoTarget, and returns to it when the entry is taken out', () => {
  const before = decideServer(seenOf(aFirmware({}, { status })), now);
  const declared = aFirmware({ firmwares: [fw('nic', '1.0', 'Intel')] }, { status: before.status ?? {} });
  const during = decideServer(seenOf(declared), now);
  assert.deepEqual([upToDate(during)?.status, during.state], ['True', 'Idle']);
  const after = decideServer(seenOf(aFirmware({}, { status: during.status ?? {} })), now);
  assert.deepEqual([upToDate(after)?.reason, after.state], ['NoTarget', 'NoTarget']);
});
