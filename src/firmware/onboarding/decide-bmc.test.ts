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
  serverNamed: () => undefined,
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

test('what was told of a BMC before a restart holds until it was read again, unless its address or secret changed since', () => {
  const { status } = decideBmc(seen(good()), now);
  assert.equal(status?.state, 'Enabled');
  const restarted = decideBmc(seen(undefined, { bmc: { ...bmc, status } }), now + 60_000);
  assert.deepEqual([restarted.effects.map(({ kind }) => kind), restarted.status], [['read-bmc'], status]);
  const moved = decideBmc(seen(good(), { bmc: { ...bmc, status }, access: 'other' }), now + 60_000);
  assert.equal(moved.status?.state, 'Pending');
});

test('a reading of the future was made by a wrong clock, and is made again', () => {
  const enabled = { bmc: { ...bmc, status: { state: 'Enabled' as const } } };
  const of = (at: number) =>
    decideBmc(seen(good(), { ...enabled, remembered: { at, access: 'a', reading: good(), failures: 0 } }), now);
  assert.deepEqual(
    [of(now + 86_400_000), of(now + 1000)].map(({ effects }) => effects.map(({ kind }) => kind)),
    [['read-bmc'], []],
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

test('two new systems never get one name, and none gets that of a Server that is another machine', () => {
  const gone = { servers: [known('b-system-0', 'u0')] };
  assert.deepEqual(serversIn(decideBmc(seen(good(system('/1', 'u1'), system('/2', 'u2')), gone), now)), [
    'b-system-1 u1',
    'b-system-2 u2',
  ]);
  const named = (server: OwnedServer) => ({
    serverNamed: (name: string) => (name === server.metadata.name ? server : undefined),
  });
  const first = (server: OwnedServer) => serversIn(decideBmc(seen(good(system('/1', 'u1')), named(server)), now));
  const mine = { ...known('b-system-0', 'u1'), spec: { systemUUID: 'u1' } };
  assert.deepEqual(first(mine), ['b-system-0 u1']);
  const { bmcRef: _, ...spec } = known('b-system-0', 'u9').spec;
  assert.deepEqual(first({ ...mine, spec }), ['b-system-1 u1']);
  const protocol = { name: 'Redfish', port: 443 } as const;
  const inline = { protocol, address: '192.0.2.9', bmcSecretRef: { name: 's' } };
  assert.deepEqual(first({ ...mine, spec: { systemUUID: 'u1', bmc: inline } }), ['b-system-1 u1']);
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

const failed: BmcReading = { kind: 'failed', code: 'BmcUnreachable', message: 'no answer', until: undefined };
/** A Server as a good reading left it. */
const taken = (name: string, systemUUID: string, systemURI: string): OwnedServer => {
  const first = decideBmc(
    seen(good({ ...system(systemURI, systemUUID), interfaces: [{ name: '1', mac: 'aa' }] })),
    now,
  );
  const tell = first.effects.find((effect) => effect.kind === 'tell-server') ?? assert.fail('nothing was told');
  const labels = { env: 'prod' };
  return {
    ...known(name, systemUUID),
    metadata: { name, labels, ownerReferences: [{ apiVersion: ironcoreApiVersion, kind: 'BMC', name: 'b', uid: 'u' }] },
    spec: { systemUUID, systemURI, bmcRef: { name: 'b' } },
    status: tell.status,
    ownership: { ...noOwnership, onboardedLabels: new Set(['env']) },
  };
};
const short = (path: string, id: string): SystemReading => ({
  ...system(path, id),
  interfaces: undefined,
  processors: undefined,
});
const told = (decision: ReturnType<typeof decideBmc>) =>
  decision.effects.flatMap((effect) => {
    if (effect.kind !== 'tell-server') return [];
    const ready = effect.status.conditions?.find(({ type }) => type === 'Ready');
    return [[effect.name, ready?.status, ready?.reason, effect.status.state, effect.status.powerState]];
  });

test('a Server whose system is gone says so once a second reading soon after has not found it either', () => {
  const servers = [taken('b-system-0', 'u1', '/1'), taken('b-system-1', 'u2', '/2')];
  const reading = good(short('/1', 'u1'));
  const once = decideBmc(seen(reading, { servers }), now);
  assert.deepEqual([once.effects, once.wake], [[], { after: settings.bmcRetryFromMs }]);
  const remembered = { at: now, access: 'a', reading, failures: 0 };
  const back = { ...remembered, before: [short('/1', 'u1'), short('/2', 'u2')] };
  assert.deepEqual(decideBmc(seen(reading, { servers, remembered: back }), now).effects, []);
  const twice = decideBmc(seen(reading, { servers, remembered: { ...remembered, before: [short('/1', 'u1')] } }), now);
  assert.deepEqual(told(twice), [['b-system-1', 'False', 'SystemNotFound', 'Error', undefined]]);
  assert.deepEqual(twice.wake, { after: settings.bmcIntervalMs });
  // Whoever begins anew knows of no reading before, and yet there is nothing new to tell.
  const [tell] = twice.effects.flatMap((effect) => (effect.kind === 'tell-server' ? [effect.status] : []));
  const gone = [servers[0] ?? assert.fail(), { ...(servers[1] ?? assert.fail()), status: tell ?? {} }];
  const later = decideBmc(seen(reading, { servers: gone }), now);
  assert.deepEqual([later.effects, later.wake], [[], { after: settings.bmcIntervalMs }]);
});

test('Servers behind a BMC that cannot be read say so, but not for one failure, nor where it is left alone', () => {
  const servers = [taken('b-system-0', 'u1', '/1')];
  const once = { at: now, access: 'a', reading: failed, failures: 1 };
  assert.deepEqual(told(decideBmc(seen(failed, { servers, remembered: once }), now)), []);
  const unreachable = decideBmc(seen(failed, { servers }), now);
  assert.deepEqual(told(unreachable), [['b-system-0', 'False', 'BmcUnreachable', 'Error', undefined]]);
  const without = { code: 'SecretNotFound', message: 'there is no BMCSecret b' };
  assert.equal(told(decideBmc(seen(undefined, { servers, obstacle: without }), now))[0]?.[2], 'SecretNotFound');
  const excluded = { code: 'Excluded', message: 'its labels opt it out' };
  assert.deepEqual(told(decideBmc(seen(failed, { servers, obstacle: excluded }), now)), []);
  const reserved = servers.map((each) => ({ ...each, status: { ...each.status, state: 'Reserved' as const } }));
  assert.equal(told(decideBmc(seen(failed, { servers: reserved }), now))[0]?.[3], 'Reserved');
});

test('the ports of a board that was swapped go before the other one has its UUID, and are read soon', () => {
  const servers = [taken('b-system-0', 'u1', '/1')];
  const swapped = decideBmc(seen(good({ ...short('/1', 'u9'), biosVersion: '2.0' }), { servers }), now);
  assert.deepEqual(
    swapped.effects.map(({ kind }) => kind),
    ['tell-server', 'put-server'],
  );
  const [tell] = swapped.effects.flatMap((effect) => (effect.kind === 'tell-server' ? [effect.status] : []));
  assert.ok(tell !== undefined && 'networkInterfaces' in tell && 'processors' in tell);
  assert.deepEqual([tell.networkInterfaces, tell.processors, tell.bios?.version], [undefined, undefined, '2.0']);
  assert.deepEqual(swapped.wake, { after: settings.bmcRetryFromMs });
  const other = [{ ...taken('b-system-0', 'u9', '/1'), status: tell }];
  const later = now + settings.bmcRetryFromMs;
  const again = decideBmc(
    seen(good(short('/1', 'u9')), { servers: other, bmc: { ...bmc, status: { state: 'Enabled' } } }),
    later,
  );
  assert.deepEqual(
    again.effects.flatMap((effect) => (effect.kind === 'read-bmc' ? [effect.isFull] : [])),
    [true],
  );
});

test('a BMC is read in full now and then, each at a time of its own', () => {
  const servers = [taken('b-system-0', 'u1', '/1')];
  const turnsOf = (name: string): number[] =>
    Array.from({ length: 24 }, (_, turn) => turn).filter((turn) => {
      const at = now + turn * settings.bmcIntervalMs;
      const named = { ...bmc, metadata: { ...bmc.metadata, name } };
      const [read] = decideBmc(seen(undefined, { servers, bmc: named }), at).effects;
      return read?.kind === 'read-bmc' && read.isFull;
    });
  const all = Array.from({ length: 50 }, (_, index) => turnsOf(`bmc-${index}`));
  assert.ok(all.every((turns) => turns.length === 1));
  assert.ok(new Set(all.flat()).size > 5);
});
