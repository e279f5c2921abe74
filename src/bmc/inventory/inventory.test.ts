import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBmcError } from '../errors.ts';
import { collection, resource, sampleTree } from '../testing/sample-tree.ts';
import { createScriptedBmc } from '../testing/scripted-bmc.ts';
import { readFirmware } from './firmware.ts';
import { readInventory } from './inventory.ts';

const expanding = { ProtocolFeaturesSupported: { ExpandQuery: { ExpandAll: true, Levels: true, MaxLevels: 3 } } };
const system = '/redfish/v1/Systems/1';
const firmwareInventory = '/redfish/v1/UpdateService/FirmwareInventory';

test('a machine is read as it is', async () => {
  const { bmc } = createScriptedBmc({ tree: sampleTree() });
  const inventory = await readInventory(bmc);
  assert.equal(inventory.vendor, 'generic');
  assert.deepEqual(inventory.system, {
    path: system,
    uuid: '0a1b2c3d-1111-4222-8333-444455556666',
    manufacturer: 'Contoso',
    model: 'Server 9000',
    serial: 'SN-1',
    sku: 'SKU-1',
    biosVersion: '1.2.3',
    powerState: 'On',
    health: 'OK',
  });
  assert.deepEqual(inventory.manager, {
    path: '/redfish/v1/Managers/1',
    firmwareVersion: '4.5.6',
    model: 'Contoso BMC',
    macs: ['02:00:00:00:00:aa'],
    clockOffsetMs: 5000,
  });
  assert.deepEqual(inventory.processors, [{ id: 'CPU1', model: 'Fast 1', cores: 32, threads: 64, type: 'CPU' }]);
  assert.deepEqual(inventory.memory, [
    { id: 'A1', capacityMib: 32768, speedMhz: 4800, partNumber: 'P-1', serial: 'D-1' },
  ]);
  assert.deepEqual(
    inventory.drives.map(({ id, serial, firmwareVersion }) => [id, serial, firmwareVersion]),
    [
      ['0', 'S-0', 'R1'],
      ['1', 'S-1', 'R1'],
    ],
  );
  assert.deepEqual(
    inventory.firmware.map(({ slot, version }) => [slot, version]),
    [
      ['BIOS', '1.2.3'],
      ['BMC', '4.5.6'],
    ],
  );
  assert.deepEqual(inventory.gaps, []);
});

test('expanding and asking one by one give the same, with fewer requests', async () => {
  const slow = createScriptedBmc({ tree: sampleTree() });
  const fast = createScriptedBmc({ tree: sampleTree({ root: expanding }), canExpand: true });
  assert.deepEqual(await readInventory(fast.bmc), await readInventory(slow.bmc));
  assert.equal(new Set(slow.gate.lines).size, slow.gate.lines.length, 'nothing is asked for twice');
  assert.equal(new Set(fast.gate.lines).size, fast.gate.lines.length, 'nothing is asked for twice');
  assert.equal(fast.gate.sent.length, 13);
  assert.equal(slow.gate.sent.length, 28);
});

test('nothing of an inventory is disruptive', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree() });
  await readInventory(bmc);
  assert.equal(
    gate.sent.every(({ method, isDisruptive }) => method === 'GET' && isDisruptive !== true),
    true,
  );
});

test('whatever part fails, the others are there and the gap says why', async () => {
  const parts = ['Processors', 'Memory', 'Storage', 'EthernetInterfaces'];
  for (const part of parts) {
    for (const code of ['malformed', 'timeout', 'refused', 'busy', 'notFound'] as const) {
      const { bmc, gate } = createScriptedBmc({ tree: sampleTree() });
      gate.on(`GET ${system}/${part}`, () => code);
      const inventory = await readInventory(bmc);
      assert.deepEqual(
        inventory.gaps.map(({ path }) => path),
        [`${system}/${part}`],
        `${part} ${code}`,
      );
      assert.equal(inventory.firmware.length, 2);
      assert.equal(inventory.system.model, 'Server 9000');
    }
  }
});

test('a manager and a chassis that cannot be read are gaps', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree() });
  gate.on('GET /redfish/v1/Managers/1', () => 'malformed');
  gate.on('GET /redfish/v1/Chassis/1', () => 'malformed');
  const inventory = await readInventory(bmc);
  assert.equal(inventory.manager, undefined);
  assert.equal(inventory.processors.length, 1);
  assert.ok(inventory.gaps.some(({ path }) => path === '/redfish/v1/Chassis/1'));
});

test('refused credentials, a lost lease, a changed certificate end the inventory', async () => {
  for (const code of ['credentials', 'leaseLost', 'certificate', 'lockedOut'] as const) {
    const { bmc, gate } = createScriptedBmc({ tree: sampleTree() });
    gate.on(`GET ${system}/Memory/A1`, () => code);
    await assert.rejects(readInventory(bmc), (error) => isBmcError(error, code));
  }
});

test('a BMC that stops to answer in the middle is given up', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree() });
  const stopped = ['Processors', 'Memory', 'Storage', 'EthernetInterfaces'].map((part) => `GET ${system}/${part}`);
  for (const line of stopped) gate.on(line, () => 'unreachable');
  await assert.rejects(readInventory(bmc), (error) => isBmcError(error, 'unreachable'));
});

test('a cancelled inventory ends', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree() });
  const controller = new AbortController();
  gate.once(`GET ${system}/Memory/A1`, () => {
    controller.abort();
    return {};
  });
  await assert.rejects(readInventory(bmc, { signal: controller.signal }), (error) => isBmcError(error, 'cancelled'));
});

test('a drive that hangs in the chassis and under a controller is one drive', async () => {
  const drive = { Model: 'Disk', SerialNumber: 'S-0', CapacityBytes: 1 };
  const chassis = '/redfish/v1/Chassis/1';
  const more = {
    [chassis]: resource(chassis, {
      Drives: { '@odata.id': `${chassis}/Drives` },
      Links: { Drives: [{ '@odata.id': `${system}/Storage/1/Drives/1` }] },
    }),
    ...collection(`${chassis}/Drives`, { 0: drive, Bay9: { Model: 'Disk', SerialNumber: 'S-9' } }),
  };
  for (const canExpand of [false, true]) {
    const root = canExpand ? expanding : {};
    const { bmc } = createScriptedBmc({ tree: sampleTree({ root, more }), canExpand });
    const serials = (await readInventory(bmc)).drives.map(({ serial }) => serial);
    assert.deepEqual(serials.toSorted(), ['S-0', 'S-1', 'S-9']);
  }
});

test('old BMCs have only simple storage', async () => {
  const tree = sampleTree({
    system: { Storage: null, SimpleStorage: { '@odata.id': `${system}/SimpleStorage` } },
    more: collection(`${system}/SimpleStorage`, {
      1: {
        Devices: [
          { Name: 'Disk 0', Model: 'M', CapacityBytes: 5 },
          { Name: 'Disk 1', Status: { State: 'Absent' } },
        ],
      },
    }),
  });
  const chassis = '/redfish/v1/Chassis/1';
  const { bmc } = createScriptedBmc({ tree: { ...tree, [chassis]: resource(chassis, {}) } });
  assert.deepEqual(
    (await readInventory(bmc)).drives.map(({ id, capacityBytes }) => [id, capacityBytes]),
    [['1:Disk 0', 5]],
  );
});

test('what the firmware list lacks is added from system and manager; what it denies is told', async () => {
  const lacking = createScriptedBmc({ tree: sampleTree({ firmware: {} }) });
  const added = (await readInventory(lacking.bmc)).firmware;
  assert.deepEqual(
    added.map(({ component, version, uri }) => [component, version, uri]),
    [
      ['bios', '1.2.3', `${system}/Bios`],
      ['bmc', '4.5.6', '/redfish/v1/Managers/1'],
    ],
  );
  const denying = createScriptedBmc({ tree: sampleTree({ system: { BiosVersion: '9.9' } }) });
  const { gaps, firmware } = await readInventory(denying.bmc);
  assert.equal(firmware.length, 2);
  assert.match(gaps[0]?.reason ?? '', /it says bios 9\.9, the firmware inventory says 1\.2\.3/);
});

test('the spare bank is not asked to have the version that runs', async () => {
  const firmware = {
    1: { Name: 'System ROM', Version: 'U46 v2.10 (05/17/2023)' },
    2: { Name: 'Redundant System ROM', Version: 'U46 v1.80 (05/17/2022)' },
    3: { Name: 'iLO 5', Version: '2.72 Sep 04 2022' },
  };
  const tree = sampleTree({
    root: { Vendor: 'HPE' },
    system: { BiosVersion: 'U46 v1.80 (05/17/2022)' },
    manager: { FirmwareVersion: 'iLO 5 v2.72' },
    firmware,
  });
  const { gaps } = await readInventory(createScriptedBmc({ tree }).bmc);
  assert.equal(gaps.length, 1, 'the BIOS that runs is the redundant one, which is worth telling');
});

test('firmware alone costs one request where the BMC can expand', async () => {
  const { bmc, gate } = createScriptedBmc({
    tree: sampleTree({ root: { ...expanding, Vendor: 'Dell' } }),
    canExpand: true,
  });
  await bmc.root();
  assert.equal((await readFirmware(bmc)).slots.length, 2);
  assert.deepEqual(gate.lines.slice(1), [`GET ${firmwareInventory}?$expand=*($levels=1)`]);
});

test('an update service that keeps its list elsewhere is asked where', async () => {
  const elsewhere = '/redfish/v1/UpdateService/Firmware';
  const tree = sampleTree({
    root: { Vendor: 'Dell' },
    more: {
      ...collection(elsewhere, { X: { Version: '1' } }),
      '/redfish/v1/UpdateService': resource('/redfish/v1/UpdateService', {
        FirmwareInventory: { '@odata.id': elsewhere },
      }),
    },
  });
  const { bmc, gate } = createScriptedBmc({ tree });
  gate.tree.delete(firmwareInventory);
  assert.deepEqual(
    (await readFirmware(bmc)).slots.map(({ slot }) => slot),
    ['X'],
  );
});

test('where there is no firmware list, system and manager tell, and the list that is named is a gap', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree() });
  gate.tree.delete(firmwareInventory);
  const named = await readFirmware(bmc);
  assert.deepEqual(
    named.slots.map(({ slot, version }) => [slot, version]),
    [
      ['BIOS', '1.2.3'],
      ['BMC', '4.5.6'],
    ],
  );
  assert.deepEqual(
    named.gaps.map(({ path }) => path),
    [firmwareInventory],
  );
  assert.deepEqual((await readInventory(bmc)).firmware, named.slots);
  gate.tree.set('/redfish/v1/UpdateService', resource('/redfish/v1/UpdateService', {}));
  assert.deepEqual(await readFirmware(bmc), { slots: named.slots, gaps: [] });
});

test('a firmware list that cannot be read now is not made up from system and manager', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree() });
  gate.on(`GET ${firmwareInventory}`, () => 'busy');
  const { slots, gaps } = await readFirmware(bmc);
  assert.deepEqual([slots, gaps.length], [[], 1]);
});

test('firmware alone is that of a whole inventory where it is cross-checked', async () => {
  const firmware = { BIOS: { Name: 'BIOS', Version: '' } };
  const { bmc } = createScriptedBmc({ tree: sampleTree({ root: { Vendor: 'Dell' }, firmware }) });
  const { slots } = await readFirmware(bmc, { isCrossChecked: true });
  assert.deepEqual(slots, (await readInventory(bmc)).firmware);
  assert.ok(slots.some(({ component, version }) => component === 'bios' && version === '1.2.3'));
});

test('drives of other systems in the same chassis are not this machine’s', async () => {
  const other = '/redfish/v1/Systems/2/Storage/1/Drives/Z9';
  const own = '/redfish/v1/Chassis/1/Drives/Z1';
  const { bmc, gate } = createScriptedBmc({
    tree: sampleTree({
      more: { [other]: resource(other, { CapacityBytes: 1 }), [own]: resource(own, { CapacityBytes: 2 }) },
    }),
  });
  const before = (await readInventory(bmc)).drives.length;
  gate.change('/redfish/v1/Chassis/1', { Links: { Drives: [{ '@odata.id': other }, { '@odata.id': own }] } });
  const { drives } = await readInventory(bmc);
  assert.equal(drives.length, before + 1);
  assert.ok(drives.some(({ id }) => id === 'Z1') && !drives.some(({ id }) => id === 'Z9'));
});

test('on OpenBMC the manager says which image runs', async () => {
  const related = { RelatedItem: [{ '@odata.id': '/redfish/v1/Managers/1' }] };
  const tree = sampleTree({
    manager: { Model: 'OpenBmc', FirmwareVersion: '2.11' },
    firmware: { aa: { Version: '2.12', ...related }, bb: { Version: '2.11', ...related } },
  });
  const { bmc } = createScriptedBmc({ tree });
  const slot = (await readFirmware(bmc)).slots.find(({ component }) => component === 'bmc');
  assert.deepEqual([slot?.version, slot?.previousVersion], ['2.11', '2.12']);
});

test('a BIOS that is listed without a version and added from the system has a name of its own', async () => {
  const firmware = { BIOS: { Name: 'BIOS', Version: '' }, 'BIOS #2': { Name: 'BIOS', Version: '' } };
  const { bmc } = createScriptedBmc({ tree: sampleTree({ firmware }) });
  const names = (await readInventory(bmc)).firmware.map(({ slot }) => slot);
  assert.equal(new Set(names).size, names.length, names.join());
  assert.ok(names.length >= 3);
});
