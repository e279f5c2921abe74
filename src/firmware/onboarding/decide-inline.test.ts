import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ironcoreApiVersion, type ServerStatus } from '../../api/index.ts';
import type { OwnedServer } from '../fleet/objects.ts';
import type { BmcReading, SystemReading } from '../ports.ts';
import { defaultFirmwareSettings as settings } from '../settings.ts';
import { noOwnership } from '../testing/server-seen.ts';
import { decideInline, type InlineSeen } from './decide-inline.ts';

const now = Date.UTC(2030, 0, 1);
const system: SystemReading = {
  ...{ path: '/1', id: 'u1', fallbackId: undefined, manufacturer: 'Dell Inc.', model: 'R750', sku: undefined },
  ...{ serialNumber: 'S1', biosVersion: '1.0', powerState: 'On', memoryMib: 1024 },
  interfaces: undefined,
  processors: undefined,
};
const failed: BmcReading = { kind: 'failed', code: 'BmcUnreachable', message: 'no answer', until: undefined };

function read(systemUUID: string): BmcReading {
  const none = undefined;
  const board = { manufacturer: none, model: none, sku: none, serialNumber: none, firmwareVersion: none };
  return { kind: 'read', board: { ...board, powerState: none }, systems: [{ ...system, id: systemUUID }], gaps: [] };
}

function seen(reading: BmcReading, status: ServerStatus | undefined, failures = 0): InlineSeen {
  const protocol = { name: 'Redfish', port: 443 } as const;
  const server: OwnedServer = {
    apiVersion: ironcoreApiVersion,
    kind: 'Server',
    metadata: { name: 's' },
    spec: { systemUUID: 'u1', systemURI: '/1', bmc: { address: '192.0.2.1', protocol, bmcSecretRef: { name: 'b' } } },
    ...(status === undefined ? {} : { status }),
    ownership: noOwnership,
  };
  return {
    server,
    access: 'a',
    obstacle: undefined,
    remembered: { at: now, access: 'a', reading, failures },
    settings,
  };
}

const summary = (status: ServerStatus | undefined) => {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return [ready?.status, ready?.reason, status?.state, status?.powerState];
};
const ports = [{ name: '1', macAddress: 'aa:00:00:00:00:01' }];

test('a Server whose system is gone or whose BMC stays away is not available, and has no power state', () => {
  const { status } = decideInline(seen(read('u1'), { networkInterfaces: ports }), now);
  assert.deepEqual(summary(status), ['True', 'Read', 'Available', 'On']);
  const gone = decideInline(seen(read('u2'), status), now);
  assert.deepEqual(summary(gone.status), ['False', 'SystemNotFound', 'Error', undefined]);
  const once = decideInline(seen(failed, status, 1), now);
  assert.deepEqual(summary(once.status), ['False', 'BmcUnreachable', 'Available', 'On']);
  assert.deepEqual(summary(decideInline(seen(failed, status, 2), now).status), [
    'False',
    'BmcUnreachable',
    'Error',
    undefined,
  ]);
});

test('once the UUID of a Server is corrected, the ports that it had are forgotten and read soon', () => {
  const { status: lost } = decideInline(seen(read('u2'), { networkInterfaces: ports }), now);
  const found = decideInline(seen(read('u1'), lost), now);
  assert.deepEqual([found.status?.networkInterfaces, found.wake], [undefined, { after: settings.bmcRetryFromMs }]);
  const later = decideInline(seen(read('u1'), found.status), now + settings.bmcRetryFromMs);
  assert.deepEqual(
    later.effects.map((effect) => effect.kind === 'read-bmc' && effect.isFull),
    [true],
  );
});
