import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BMC, ironcoreApiVersion } from '../../api/index.ts';
import type { OwnedServer } from '../fleet/objects.ts';
import type { BmcReading, SystemReading } from '../ports.ts';
import { defaultFirmwareSettings as settings } from '../settings.ts';
import { noOwnership } from '../testing/server-seen.ts';
import { type BmcSeen, decideBmc } from './decide-bmc.ts';

const now = Date.UTC(2030, 0, 1);
const bmc: BMC = {
  apiVersion: ironcoreApiVersion,
  kind: 'BMC',
  metadata: { name: 'b', uid: 'u', labels: { env: 'prod' } },
  spec: { access: { ip: '192.0.2.1' }, bmcSecretRef: { name: 'b' }, protocol: { name: 'Redfish', port: 443 } },
};
const system = (path: string, id: string, fallbackId = `fallback-${id}`): SystemReading => ({
  path,
  id,
  fallbackId,
  manufacturer: 'Dell Inc.',
  model: 'R750',
  sku: undefined,
  serialNumber: 'S1',
  biosVersion: '1.0',
  powerState: 'On',
  memoryMib: 1024,
  interfaces: [],
  processors: [],
});
const board = {
  manufacturer: 'Dell Inc.',
  model: 'iDRAC',
  sku: undefined,
  serialNumber: 'B1',
  firmwareVersion: '7',
  powerState: 'On',
};
const good = (...systems: SystemReading[]): BmcReading => ({ kind: 'read', board, systems, gaps: [] });
const seen = (reading: BmcReading | undefined, more: Partial<BmcSeen> = {}): BmcSeen => ({
  bmc,
  access: 'a',
  obstacle: undefined,
  servers: [],
  remembered:
    reading === undefined ? undefined : { at: now, access: 'a', reading, failures: reading.kind === 'read' ? 0 : 2 },
  takenBy: () => [],
  settings,
  ...more,
});
const serversIn = (decision: ReturnType<typeof decideBmc>): string[] =>
  decision.effects.flatMap((effect) =>
    effect.kind === 'put-server' ? [`${effect.name} ${effect.body.spec.systemUUID}`] : [],
  );
const known = (name: string, systemUUID: string): OwnedServer => ({
  apiVersion: ironcoreApiVersion,
  kind: 'Server',
  metadata: { name },
  spec: { systemUUID, systemURI: '/gone', bmcRef: { name: 'b' } },
  ownership: noOwnership,
});

test('a BMC that was not read is read, one that was is read again after a while, other credentials at once', () => {
  assert.deepEqual(
    decideBmc(seen(undefined), now).effects.map(({ kind }) => kind),
    ['read-bmc'],
  );
  const rested = decideBmc(seen(good()), now);
  assert.deepEqual(
    [rested.effects, rested.wake, rested.status?.state],
    [[], { after: settings.bmcIntervalMs }, 'Enabled'],
  );
  assert.deepEqual(
    decideBmc(seen(good(), { access: 'other' }), now).effects.map(({ kind }) => kind),
    ['read-bmc'],
  );
});

test('a BMC that cannot be read is left alone for longer each time, and at least as long as its gate says', () => {
  const failed = (until: number | undefined): BmcReading => ({
    kind: 'failed',
    code: 'BmcUnreachable',
    message: 'm',
    until,
  });
  const decision = decideBmc(seen(failed(undefined)), now);
  assert.deepEqual(
    [decision.effects, decision.wake, decision.status?.state],
    [[], { after: 2 * settings.bmcRetryFromMs }, 'Error'],
  );
  assert.equal(decision.status?.conditions?.[0]?.reason, 'BmcUnreachable');
  assert.deepEqual(decideBmc(seen(failed(now + 3_600_000)), now).wake, { after: 3_600_000 });
});

test('every system has a Server named after its place, and keeps it when places change', () => {
  assert.deepEqual(serversIn(decideBmc(seen(good(system('/1', 'u1'), system('/2', 'u2'))), now)), [
    'b-system-0 u1',
    'b-system-1 u2',
  ]);
  const servers = [known('b-system-0', 'u1'), known('b-system-1', 'u2')];
  const swapped = decideBmc(seen(good(system('/1', 'u2'), system('/2', 'u1'), system('/3', 'u3')), { servers }), now);
  assert.deepEqual(serversIn(swapped), ['b-system-1 u2', 'b-system-0 u1', 'b-system-2 u3']);
});

test('a UUID that a server behind another BMC has is replaced for good; behind the same BMC it is the same machine', () => {
  const taken = { takenBy: (uuid: string) => (uuid === 'u1' ? ['B2'] : []) };
  assert.deepEqual(serversIn(decideBmc(seen(good(system('/1', 'u1')), taken), now)), ['b-system-0 fallback-u1']);
  assert.deepEqual(serversIn(decideBmc(seen(good(system('/1', 'u1')), { takenBy: () => ['B1'] }), now)), [
    'b-system-0 u1',
  ]);
  const later = seen(good(system('/1', 'u1')), { servers: [known('b-system-0', 'fallback-u1')] });
  assert.deepEqual(serversIn(decideBmc(later, now)), ['b-system-0 fallback-u1']);
});

test('what keeps it from being read is told, and nothing is asked of it', () => {
  const obstacle = { code: 'SecretNotFound', message: 'there is no BMCSecret b' };
  const decision = decideBmc(seen(undefined, { obstacle }), now);
  assert.deepEqual([decision.effects, decision.wake, decision.status?.state], [[], { on: 'change' }, 'Error']);
});
