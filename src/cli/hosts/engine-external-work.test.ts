import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { addressPairs } from '../../bmc/index.ts';
import { type Alias, createEngine, externalWork, openSqliteDatabase } from '../../engine/index.ts';
import { createFakeClock } from '../../kube/index.ts';
import type { HostIdentity } from '../../provisioners/index.ts';
import { openEngineExternalWork } from './engine-external-work.ts';

const install = {
  kind: 'firmwareInstall',
  sharing: 'exclusive',
  isDisruptive: true,
  leaseMs: 1000,
  requestDeadlineMs: 1000,
  maxLeases: 1,
  check: () => ({ parameters: {}, problems: [] }),
} as const;

async function setUp(t: TestContext) {
  const clock = createFakeClock();
  const database = await openSqliteDatabase({ path: ':memory:', clock });
  const engine = await createEngine({ database, kinds: [install, externalWork], clock });
  const work = openEngineExternalWork({ engine, clock });
  t.after(async () => {
    await work.close();
    await engine.close();
    await database.close();
  });
  return { engine, work };
}

const hostAt = (address: string, bootMacAddress?: string): HostIdentity => ({
  namespace: 'metal3',
  name: 'h1',
  bmc: { address, isCertificateUnchecked: false },
  bootMacAddress,
  isPowerOffDisabled: false,
});

const system = '/redfish/v1/Systems/1';
const spellings: readonly (readonly [host: string, inventory: string])[] = [
  [`redfish://10.0.0.7${system}`, 'https://10.0.0.7'],
  [`redfish://10.0.0.7${system}`, 'https://10.0.0.7/'],
  [`redfish://10.0.0.7${system}`, `https://10.0.0.7:443${system}`],
  [`redfish://10.0.0.7${system}`, `https://10.0.0.7${system}/`],
  [`redfish-virtualmedia+http://BMC7.example:8000${system}`, `http://bmc7.example:8000${system}`],
  [`idrac-redfish+https://10.0.0.7:8443${system}`, '10.0.0.7:8443'],
  [`redfish://[2001:db8::7]${system}`, `https://[2001:db8::7]:443${system}`],
  ['ipmi://10.0.0.7:6230', '10.0.0.7:6230'],
  // One BMC speaks both, each at its usual port.
  ['ipmi://10.0.0.7', 'https://10.0.0.7'],
  ['10.0.0.7', `https://10.0.0.7${system}`],
  ['redfish://10.0.0.7', `https://10.0.0.7${system}`],
];

const strangers: readonly (readonly [host: string, inventory: string])[] = [
  ['ipmi://10.0.0.7:6230', 'https://10.0.0.7'],
  ['ipmi://10.0.0.7', 'https://10.0.0.7:8443'],
  [`redfish://10.0.0.7:8443${system}`, 'https://10.0.0.7'],
];

for (const [address, inventory] of strangers) {
  test(`a host at ${address} is not the machine that the inventory has at ${inventory}`, async (t) => {
    const { engine, work } = await setUp(t);
    await work.claims.claim(hostAt(address), { use: 'provisioned' });
    const record = { id: 'm', facility: 'f', bmcId: 'b', manufacturer: 'A', model: 'B', hold: undefined };
    await engine.machines.put(record, [{ kind: 'bmc-address', value: inventory }]);
    const orders = [{ kind: install.kind, parameters: {} }];
    const asked = await engine.create({ target: 'server/m', client: 't', orders });
    assert.equal(asked.outcome === 'created' && asked.conditions[0]?.reason, undefined);
  });
}

for (const [one, other, relation] of addressPairs) {
  test(`a host at ${one} and a server at ${other}: ${relation}`, async (t) => {
    const { engine, work } = await setUp(t);
    const address = /^[a-z][a-z0-9+-]*:(\/\/|\d+\.)/i.test(one.trim()) ? one.trim() : `redfish://${one.trim()}`;
    const asHost = address.replace(/^https:/i, 'redfish:').replace(/^http:/i, 'redfish+http:');
    await work.claims.claim(hostAt(asHost), { use: 'provisioned' });
    const record = { id: 'm', facility: 'f', bmcId: 'b', manufacturer: 'A', model: 'B', hold: undefined };
    await engine.machines.put(record, [{ kind: 'bmc-address', value: other }]);
    const orders = [{ kind: install.kind, parameters: {} }];
    const asked = await engine.create({ target: 'server/m', client: 't', orders });
    const code = asked.outcome === 'created' ? asked.conditions[0]?.reason?.code : undefined;
    assert.equal(code, relation === 'same' || relation === 'overlap' ? 'HostInUse' : undefined);
  });
}

for (const [address, inventory] of spellings) {
  test(`a host at ${address} is the machine that the inventory has at ${inventory}`, async (t) => {
    const { engine, work } = await setUp(t);
    await work.claims.claim(hostAt(address), { use: 'provisioned' });
    const record = { id: 'm', facility: 'f', bmcId: 'b', manufacturer: 'A', model: 'B', hold: undefined };
    await engine.machines.put(record, [{ kind: 'bmc-address', value: inventory }]);
    const asked = await engine.create({
      target: 'server/m',
      client: 't',
      orders: [{ kind: install.kind, parameters: {} }],
    });
    assert.ok(asked.outcome === 'created');
    const [{ reason } = assert.fail()] = asked.conditions;
    assert.equal(reason?.code, 'HostInUse');
    assert.match(
      reason?.message ?? '',
      /^BareMetalHost metal3\/h1 is in use \(provisioned\); .*HostUpdatePolicy \(onReboot\), and reboot it$/,
    );
    assert.deepEqual(await work.hold(hostAt(address), 'power'), { kind: 'held' });
  });
}

const marks = { macs: ['52:54:00:aa:00:07', '52:54:00:aa:00:08'], serialNumber: 'SN0007' };
const names: readonly Alias[] = [
  { kind: 'mac', value: '52:54:00:AA:00:08' },
  { kind: 'serial', value: 'SN0007' },
];
for (const alias of names) {
  test(`a host that came by itself is the machine that the inventory knows by its ${alias.kind}`, async (t) => {
    const { engine, work } = await setUp(t);
    const host: HostIdentity = { namespace: 'metal3', name: 'h1', marks, isPowerOffDisabled: false };
    await work.claims.claim(host, { use: 'provisioned' });
    const record = { id: 'm', facility: 'f', bmcId: 'b', manufacturer: 'A', model: 'B', hold: undefined };
    await engine.machines.put(record, [alias]);
    const orders = [{ kind: install.kind, parameters: {} }];
    const asked = await engine.create({ target: 'server/m', client: 't', orders });
    assert.ok(asked.outcome === 'created');
    assert.equal(asked.conditions[0]?.reason?.code, 'HostInUse');
    assert.deepEqual(await work.hold(host, 'provision'), { kind: 'held' });
  });
}

/** A host of which nothing but the BMC address was written, and what the inventory has of the same machine. */
const machineId = '4c4c4544-0042-3510-8052-b4c04f4d3732';
const hardware = { macs: ['b0:7b:25:00:00:07', 'b0:7b:25:00:00:08'], serialNumber: 'SN0007' };
const byName = hostAt(`redfish://bmc7.example${system}`);
const known: readonly (readonly [by: string, host: HostIdentity, id: string, names: readonly Alias[]])[] = [
  ['id', { ...byName, id: machineId }, machineId, []],
  ['MACs', { ...byName, hardware }, 'm', [{ kind: 'mac', value: 'B0:7B:25:00:00:08' }]],
  ['serial number', { ...byName, hardware }, 'm', [{ kind: 'serial', value: 'SN0007' }]],
];
for (const [by, host, id, aliases] of known) {
  test(`a host is the machine that the inventory has at another address, by its ${by}`, async (t) => {
    const { engine, work } = await setUp(t);
    await work.claims.claim(host, { use: undefined });
    const record = { id, facility: 'f', bmcId: 'b', manufacturer: 'A', model: 'B', hold: undefined };
    await engine.machines.put(record, [{ kind: 'bmc-address', value: 'https://10.0.0.7' }, ...aliases]);
    assert.deepEqual(await work.hold(host, 'power'), { kind: 'held' });
    const orders = [{ kind: install.kind, parameters: {} }];
    const created = await engine.create({ target: `server/${id}`, client: 't', orders });
    assert.ok(created.outcome === 'created');
    await engine.worker.online({ id: 'w', kinds: [install.kind], facilities: ['f'] });
    assert.deepEqual(await engine.worker.lease('w', { max: 1, waitMs: 0 }), []);
    await work.claims.claim(host, { use: 'provisioned' });
    const [{ reason } = assert.fail()] = (await engine.list({ kind: install.kind })).conditions;
    assert.equal(reason?.code, 'HostInUse');
  });
}

test('a host waits for a flash of its machine that the inventory has at another address', async (t) => {
  const { engine, work } = await setUp(t);
  const record = { id: machineId, facility: 'f', bmcId: 'b', manufacturer: 'A', model: 'B', hold: undefined };
  await engine.machines.put(record, [{ kind: 'bmc-address', value: 'https://10.0.0.7' }]);
  await engine.create({ target: `server/${machineId}`, client: 't', orders: [{ kind: install.kind, parameters: {} }] });
  await engine.worker.online({ id: 'w', kinds: [install.kind], facilities: ['f'] });
  const [lease = assert.fail()] = await engine.worker.lease('w', { max: 1, waitMs: 0 });
  const host = { ...byName, id: machineId };
  await work.claims.claim(host, { use: undefined });
  const hold = await work.hold(host, 'power');
  assert.ok(hold.kind === 'refused');
  assert.match(hold.message, new RegExp(`firmwareInstall ${lease.condition.id} is at work on the machine`));
});

const apart: readonly (readonly [what: string, host: HostIdentity, id: string, names: readonly Alias[]])[] = [
  [
    'a system behind the same BMC that has the same serial number, MACs and UUID',
    { ...hostAt(`redfish://10.0.0.7${system}`), id: machineId, hardware },
    machineId,
    [
      { kind: 'bmc-address', value: 'https://10.0.0.7/redfish/v1/Systems/2' },
      { kind: 'serial', value: 'SN0007' },
      { kind: 'mac', value: 'b0:7b:25:00:00:07' },
    ],
  ],
  [
    'another server of a chassis whose serial number both tell',
    { ...byName, hardware },
    'm',
    [
      { kind: 'serial', value: 'SN0007' },
      { kind: 'mac', value: 'b0:7b:25:00:00:99' },
    ],
  ],
  [
    'one that has the same address inside for its BMC',
    { ...byName, hardware: { macs: ['be:3a:f2:b6:05:9f'] } },
    'm',
    [{ kind: 'mac', value: 'be:3a:f2:b6:05:9f' }],
  ],
  [
    'one that nobody gave a serial number, either',
    { ...byName, hardware: { macs: [], serialNumber: 'To be filled by O.E.M.' } },
    'm',
    [{ kind: 'serial', value: 'To be filled by O.E.M.' }],
  ],
  [
    'one whose id was only noted of it',
    { ...byName, id: machineId, isIdNoted: true },
    machineId,
    [{ kind: 'bmc-address', value: 'https://10.0.0.7' }],
  ],
];
for (const [what, host, id, aliases] of apart) {
  test(`a host is told apart from ${what}`, async (t) => {
    const { engine, work } = await setUp(t);
    await work.claims.claim(host, { use: 'provisioned' });
    const record = { id, facility: 'f', bmcId: 'b', manufacturer: 'A', model: 'B', hold: undefined };
    await engine.machines.put(record, aliases);
    const orders = [{ kind: install.kind, parameters: {} }];
    const asked = await engine.create({ target: `server/${id}`, client: 't', orders });
    assert.equal(asked.outcome === 'created' && asked.conditions[0]?.reason, undefined);
    assert.deepEqual(await work.hold(host, 'power'), { kind: 'held' });
    assert.deepEqual((await engine.list({ kind: externalWork.kind })).conditions, []);
  });
}

test('a host that has moved to another machine claims that, and not the one of its last inspection', async (t) => {
  const { engine, work } = await setUp(t);
  const record = { facility: 'f', manufacturer: 'A', model: 'B', hold: undefined };
  await engine.machines.put({ ...record, id: 'old', bmcId: 'b1' }, [{ kind: 'serial', value: 'SN0007' }]);
  await engine.machines.put({ ...record, id: machineId, bmcId: 'b2' }, []);
  const orders = [{ kind: install.kind, parameters: {} }];
  for (const id of ['old', machineId]) await engine.create({ target: `server/${id}`, client: 't', orders });
  const inUse = async () => {
    const { conditions } = await engine.list({ kind: install.kind });
    return conditions.flatMap(({ target, reason }) => (reason?.code === 'HostInUse' ? [target] : []));
  };
  await work.claims.claim({ ...byName, hardware }, { use: 'provisioned' });
  assert.deepEqual(await inUse(), ['server/old']);
  await work.claims.claim({ ...byName, hardware, id: machineId }, { use: 'provisioned' });
  assert.deepEqual(await inUse(), [`server/${machineId}`]);
});

test('a host is told apart from another system behind its BMC', async (t) => {
  const { engine, work } = await setUp(t);
  await work.claims.claim(hostAt(`redfish://10.0.0.7${system}`), { use: 'provisioned' });
  const record = { id: 'm', facility: 'f', bmcId: 'b', manufacturer: 'A', model: 'B', hold: undefined };
  await engine.machines.put(record, [{ kind: 'bmc-address', value: 'https://10.0.0.7:443/redfish/v1/Systems/2' }]);
  const orders = [{ kind: install.kind, parameters: {} }];
  const asked = await engine.create({ target: 'server/m', client: 't', orders });
  assert.equal(asked.outcome === 'created' && asked.conditions[0]?.reason, undefined);
});

test('of two hosts behind one BMC neither is disturbed where the inventory does not say which it means', async (t) => {
  const { engine, work } = await setUp(t);
  await work.claims.claim(hostAt(`redfish://10.0.0.7${system}`), { use: undefined });
  const second = { ...hostAt('redfish://10.0.0.7/redfish/v1/Systems/2'), name: 'h2' };
  await work.claims.claim(second, { use: 'provisioned' });
  const record = { id: 'm', facility: 'f', bmcId: 'b', manufacturer: 'A', model: 'B', hold: undefined };
  await engine.machines.put(record, [{ kind: 'bmc-address', value: 'https://10.0.0.7' }]);
  const orders = [{ kind: install.kind, parameters: {} }];
  const asked = await engine.create({ target: 'server/m', client: 't', orders });
  assert.ok(asked.outcome === 'created');
  assert.equal(asked.conditions[0]?.reason?.code, 'ClaimedTwice');
  assert.deepEqual(await work.claims.turns(), []);
  await engine.machines.put(record, [{ kind: 'bmc-address', value: `https://10.0.0.7:443${system}` }]);
  assert.deepEqual(await work.claims.turns(), [{ host: { namespace: 'metal3', name: 'h1' }, kind: 'make-way' }]);
});

test('all who hold, wait or claim are told by name, others than hosts are not, and who is gone is forgotten', async (t) => {
  const { engine, work } = await setUp(t);
  const host = hostAt(`redfish://10.0.0.7${system}`, '00:00:5e:00:53:07');
  await work.claims.claim(host, { use: undefined });
  await engine.claims.put({ owner: 'a vendor tool', names: [], use: undefined });
  assert.deepEqual(await work.claims.owners(), [{ namespace: 'metal3', name: 'h1' }]);
  assert.deepEqual(await work.owners(), []);
  await work.hold(host, 'power');
  assert.deepEqual(await work.owners(), [{ namespace: 'metal3', name: 'h1' }]);
  assert.equal(await work.claims.isOurs(host), true);
  await work.claims.unclaim(host);
  assert.deepEqual([await work.owners(), await work.claims.owners()], [[], []]);
});

test('hosts that have made way are told until they take their machine back', async (t) => {
  const { engine, work } = await setUp(t);
  await work.claims.claim(hostAt(`redfish://10.0.0.7${system}`), { use: undefined });
  const record = { id: 'm', facility: 'f', bmcId: 'b', manufacturer: 'A', model: 'B', hold: undefined };
  await engine.machines.put(record, [{ kind: 'bmc-address', value: 'https://10.0.0.7' }]);
  await engine.create({ target: 'server/m', client: 't', orders: [{ kind: install.kind, parameters: {} }] });
  const [turn = assert.fail()] = await work.claims.turns();
  assert.deepEqual(await work.claims.waiting(), []);
  await work.claims.done(turn);
  assert.deepEqual(await work.claims.waiting(), [{ namespace: 'metal3', name: 'h1' }]);
});

test('whoever listens hears of claims, since a host that is free again may be wanted', async (t) => {
  const { work } = await setUp(t);
  let heard = 0;
  const leave = work.claims.onChange(() => {
    heard += 1;
  });
  await work.claims.claim(hostAt(`redfish://10.0.0.7${system}`), { use: undefined });
  assert.equal(heard, 1);
  leave();
  await work.claims.claim(hostAt(`redfish://10.0.0.8${system}`), { use: undefined });
  assert.equal(heard, 1);
});
