import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import type { ComponentType, FirmwareSlot, Inventory } from '../../bmc/index.ts';
import { createEngine, isEngineError, openSqliteDatabase, requireLease } from '../../engine/index.ts';
import { flasherKinds, type InventoryReport } from '../../flasher/index.ts';
import { createFakeClock } from '../../kube/index.ts';
import { createFixedAuthorizer, createRest } from '../../rest/index.ts';
import { createServerservice } from '../../serverservice/index.ts';
import { createInventoryPort } from '../ports/serverservice-inventory.ts';
import { conditionOrcRoutes } from '../routes/orc-routes.ts';
import { serverA } from '../testing/orc-rig.ts';
import { createRemoteWorkerPort } from '../worker-api/remote-worker-port.ts';
import { draftInventory } from './inventory-draft.ts';

const page = { limit: 1000, page: 1, orderBy: undefined, isDescending: false };

function slot(name: string, component: ComponentType, version: string): FirmwareSlot {
  const unknown = { vendor: undefined, model: undefined, pendingVersion: undefined, previousVersion: undefined };
  const rest = { softwareId: undefined, uri: '', relatedItems: [], health: undefined, isUpdateable: true };
  return { slot: name, component, name, version, ...unknown, ...rest };
}

function inventoryOf(firmware: readonly FirmwareSlot[], more: Partial<Inventory> = {}): Inventory {
  const system = { manufacturer: 'Dell Inc.', model: 'PowerEdge R640' } as Inventory['system'];
  return {
    vendor: 'dell',
    system,
    manager: undefined,
    firmware,
    drives: [],
    ports: [],
    gaps: [],
    ...more,
  } as Inventory;
}

/** Both rooms on one store, and work on one server. */
async function setUp(t: TestContext) {
  const clock = createFakeClock();
  const database = await openSqliteDatabase({ path: ':memory:', clock });
  const engine = await createEngine({
    database,
    clock,
    kinds: flasherKinds({ leaseMs: 60_000, requestDeadlineMs: 1000 }),
  });
  const credentialKeys = [{ id: 'k1', secret: randomBytes(32) }] as const;
  const service = await createServerservice({ database, machines: engine.machines, credentialKeys });
  const port = createInventoryPort(service);
  const bmc = { address: '127.0.0.9', username: 'root', password: 'calvin' };
  await port.enrol({ id: serverA, name: '', facility: 'fc1', vendor: 'Dell', model: '', serial: '', bmc });
  t.after(async () => {
    await engine.close();
    await database.close();
  });
  const lease = async (worker: string) => {
    await engine.worker.online({ id: worker, kinds: ['inventoryOOB'], facilities: ['fc1'] });
    const [given] = await engine.worker.lease(worker, { max: 1, waitMs: 0 });
    assert.ok(given);
    return { conditionId: given.condition.id, token: given.token };
  };
  const orders = [{ kind: 'inventoryOOB', parameters: {} }];
  await engine.create({ target: `server/${serverA}`, client: 'test', orders });
  const report = (held: InventoryReport['lease'], inventory: Inventory): InventoryReport => ({
    target: `server/${serverA}`,
    inventory,
    biosSettings: undefined,
    readAt: clock.now(),
    lease: held,
  });
  const parts = async () => {
    const { records } = await service.components.list({ serverId: serverA }, page);
    return records.map(({ type, serial, slot }) => `${type} ${slot}${serial === '' ? '' : ` ${serial}`}`).toSorted();
  };
  const biosVersion = async () =>
    (await port.installedFirmware(serverA))?.server.slots.find(({ slot: name }) => name === 'BIOS')?.version;
  return { clock, database, engine, service, port, lease, report, parts, biosVersion };
}

test('an inventory is stored while its lease is held, and can be read back', async (t) => {
  const { port, lease, report, biosVersion, parts } = await setUp(t);
  const held = await lease('w1');
  const firmware = [slot('BIOS', 'bios', '2.1'), slot('Enclosure', 'other', '7.1'), slot('Fan', 'other', '1')];
  const ids = { softwareId: '159', otherSoftwareIds: ['160', '161'] };
  firmware[0] = { ...slot('BIOS', 'bios', '2.1'), ...ids };
  const named = firmware.map((one) => (one.slot === 'Enclosure' ? { ...one, name: 'Backplane 1' } : one));
  await port.writeInventory(report(held, inventoryOf(named)));
  assert.equal(await biosVersion(), '2.1');
  assert.deepEqual(await parts(), ['backplane-expander Enclosure', 'bios BIOS', 'other Fan']);
  const { vendor, model, manufacturer, slots = [] } = (await port.installedFirmware(serverA))?.server ?? {};
  const { softwareId, otherSoftwareIds } = slots.find((one) => one.slot === 'BIOS') ?? {};
  assert.deepEqual({ softwareId, otherSoftwareIds }, ids);
  assert.deepEqual([vendor, manufacturer, model], ['dell', 'Dell Inc.', 'PowerEdge R640']);
});

test('a worker that lost its lease and woke again writes nothing over what came after it', async (t) => {
  const { clock, engine, port, lease, report, biosVersion } = await setUp(t);
  const first = await lease('w1');
  clock.advance(61_000);
  await engine.sweep();
  // Nobody has it: also then the lost one must not write.
  const old = report(first, inventoryOf([slot('BIOS', 'bios', '1.0')]));
  await assert.rejects(port.writeInventory(old), (error) => isEngineError(error, 'leaseLost'));
  assert.equal(await biosVersion(), undefined);
  clock.advance(61_000);
  const second = await lease('w2');
  await port.writeInventory(report(second, inventoryOf([slot('BIOS', 'bios', '2.0')])));
  await assert.rejects(port.writeInventory(old), (error) => isEngineError(error, 'leaseLost'));
  assert.equal(await biosVersion(), '2.0');
  await engine.worker.report(second, { state: 'succeeded' });
  await assert.rejects(port.writeInventory(old), (error) => isEngineError(error, 'leaseLost'));
  assert.equal(await biosVersion(), '2.0');
});

test('the lease is asked for in the transaction that writes: losing it in between is losing it', async (t) => {
  const { engine, service, lease, biosVersion, clock } = await setUp(t);
  const held = await lease('w1');
  const draft = draftInventory({
    target: `server/${serverA}`,
    inventory: inventoryOf([slot('BIOS', 'bios', '1.0')]),
    biosSettings: undefined,
    readAt: 0,
    lease: held,
  });
  // The worker checked, then was frozen; by the time its write begins the lease is over.
  await engine.worker.check(held);
  clock.advance(61_000);
  await assert.rejects(service.inventories.write(draft, (tx) => requireLease(tx, held)));
  assert.equal(await biosVersion(), undefined);
});

test('an inventory is stored whole or not at all', async (t) => {
  const { service, port, lease, report, parts, biosVersion } = await setUp(t);
  const held = await lease('w1');
  await port.writeInventory(report(held, inventoryOf([slot('BIOS', 'bios', '2.1')])));
  const broken = service.inventories.write({
    serverId: serverA,
    versionedAttributes: [{ namespace: 'rackwright.inventory_oob', data: { vendor: 'hpe' } }],
    components: [{ type: 'toaster', serial: 'x' }],
  });
  await assert.rejects(broken, /toaster/);
  assert.equal(await biosVersion(), '2.1');
  assert.equal((await port.installedFirmware(serverA))?.server.vendor, 'dell');
  assert.deepEqual(await parts(), ['bios BIOS']);
});

test('parts that are gone go, unless something could not be read; parts of others stay', async (t) => {
  const { service, port, lease, report, parts } = await setUp(t);
  const held = await lease('w1');
  await service.components.put(serverA, [{ type: 'physicalmemory', serial: 'DIMM.1' }]);
  const both = [slot('BIOS', 'bios', '2.1'), slot('Disk.1', 'drive', 'A1'), slot('Disk.1', 'drive', 'A2')];
  await port.writeInventory(report(held, inventoryOf(both)));
  const all = ['bios BIOS', 'drive Disk.1', 'drive Disk.1#2', 'physicalmemory  DIMM.1'];
  assert.deepEqual(await parts(), all);
  const gaps = [{ path: '/redfish/v1/Systems/1/Storage', reason: 'it answered 500' }];
  await port.writeInventory(report(held, inventoryOf([slot('BIOS', 'bios', '2.1')], { gaps })));
  assert.deepEqual(await parts(), all);
  await port.writeInventory(report(held, inventoryOf([slot('BIOS', 'bios', '2.1')])));
  assert.deepEqual(await parts(), ['bios BIOS', 'physicalmemory  DIMM.1']);
});

test('maker and product of a part stay known while they cannot be read, and are forgotten when they are gone', async (t) => {
  const { port, lease, report } = await setUp(t);
  const held = await lease('w1');
  const nic = slot('NIC.1', 'nic', '1.0');
  const identity = async () => {
    const [found] = (await port.installedFirmware(serverA))?.server.slots ?? [];
    return [found?.vendor, found?.model, found?.version];
  };
  await port.writeInventory(report(held, inventoryOf([{ ...nic, vendor: 'Broadcom', model: 'BCM5719' }])));
  const gaps = [{ path: '/redfish/v1/Chassis/1/NetworkAdapters', reason: 'the host has not finished POST' }];
  await port.writeInventory(report(held, inventoryOf([{ ...nic, version: '2.0' }], { gaps })));
  assert.deepEqual(await identity(), ['Broadcom', 'BCM5719', '2.0']);
  await port.writeInventory(report(held, inventoryOf([nic])));
  assert.deepEqual(await identity(), [undefined, undefined, '1.0']);
});

test('the slot of a part is what the BMC calls it, also in an inventory that knew it as the serial alone', async (t) => {
  const { service, port, lease, report } = await setUp(t);
  const held = await lease('w1');
  const slots = async () => (await port.installedFirmware(serverA))?.server.slots.map((each) => each.slot).toSorted();
  await port.writeInventory(report(held, inventoryOf([slot('BIOS', 'bios', '2.1')])));
  const data = { installed: { version: '1' }, component: 'nic' };
  const versionedAttributes = [{ namespace: 'rackwright.firmware', data }];
  await service.components.put(serverA, [
    { type: 'nic', serial: 'NIC.1', versionedAttributes },
    {
      type: 'nic',
      serial: 'SN-2',
      versionedAttributes: [{ namespace: 'rackwright.firmware', data: { ...data, slot: 'NIC.2' } }],
    },
  ]);
  assert.deepEqual(await slots(), ['BIOS', 'NIC.1', 'NIC.2']);
});

test('a worker from afar hands its inventories in under the same rule', async (t) => {
  const { clock, engine, port, lease, report, biosVersion } = await setUp(t);
  const rest = createRest({
    info: { title: 'orc', description: 'Of a test.', version: '1' },
    authorizer: createFixedAuthorizer({ worker: { name: 'worker', scopes: ['update:worker'] } }),
  });
  rest.add(...conditionOrcRoutes({ engine, inventory: port, clock }));
  const { url } = await rest.listen({ host: '127.0.0.1', port: 0 });
  const remote = createRemoteWorkerPort({ url, token: 'worker' });
  t.after(async () => {
    await remote.close();
    await rest.close();
  });
  const held = await lease('w1');
  await remote.inventorySink.write(report(held, inventoryOf([slot('BIOS', 'bios', '2.1')])));
  assert.equal(await biosVersion(), '2.1');
  clock.advance(61_000);
  const late = remote.inventorySink.write(report(held, inventoryOf([slot('BIOS', 'bios', '1.0')])));
  await assert.rejects(late, (error) => isEngineError(error, 'leaseLost'));
  assert.equal(await biosVersion(), '2.1');
  const bad = await fetch(`${url}/api/v1/workers/inventory`, {
    method: 'POST',
    headers: { authorization: 'Bearer worker', 'content-type': 'application/json' },
    body: JSON.stringify({ ...held, inventory: { firmware: 'all' }, readAt: 0 }),
  });
  assert.equal(bad.status, 400);
});

test('parts have the serial numbers that their resources tell, and keep them apart from their places', async (t) => {
  const { service, port, lease, report, parts } = await setUp(t);
  const held = await lease('w1');
  await service.components.put(serverA, [{ type: 'drive', serial: 'S-1', name: 'by somebody else' }]);
  const drives = [
    { ...slot('Disk.1', 'drive', 'A1'), serial: 'S-1' },
    { ...slot('Disk.2', 'drive', 'A1'), serial: 'S-2' },
  ];
  await port.writeInventory(report(held, inventoryOf([slot('BIOS', 'bios', '2.1'), ...drives])));
  assert.deepEqual(await parts(), ['bios BIOS', 'drive Disk.1 S-1', 'drive Disk.2 S-2']);
  // What cannot be read for once stays; what was swapped is told.
  const gaps = [{ path: '/redfish/v1/Systems/1/Storage', reason: 'it answered 500' }];
  await port.writeInventory(report(held, inventoryOf([slot('Disk.2', 'drive', 'A2')], { gaps })));
  assert.deepEqual(await parts(), ['bios BIOS', 'drive Disk.1 S-1', 'drive Disk.2 S-2']);
  const swapped = { ...slot('Disk.2', 'drive', 'A1'), serial: 'S-3' };
  await port.writeInventory(report(held, inventoryOf([swapped])));
  assert.deepEqual(await parts(), ['drive Disk.2 S-3']);
  const slots = (await port.installedFirmware(serverA))?.server.slots.map((one) => [one.slot, one.serial]);
  assert.deepEqual(slots, [['Disk.2', 'S-3']]);
});
