import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Machine } from '../machine/machine.ts';
import { createAskedMachine } from '../redfish/resources/testing/ask.ts';
import { allPersonalities, availableFirmware, type PersonalityName, personalityOf } from './index.ts';

function machineOf(name: PersonalityName): Machine {
  return createAskedMachine({ personality: personalityOf(name) }).machine;
}

function list(machine: Machine) {
  return machine.personality.listFirmware(machine);
}

for (const personality of allPersonalities) {
  for (const model of personality.models) {
    test(`${personality.name}: ${model} has about 25 slots of all kinds, each with its own name`, () => {
      const slots = personality.firmware(personality.describe({ model, index: 9, random: () => 0.3 }));
      assert.ok(slots.length >= 20 && slots.length <= 36, `${slots.length}`);
      assert.equal(new Set(slots.map(({ slot }) => slot)).size, slots.length);
      for (const component of ['bmc', 'bios', 'cpld', 'nic', 'drive', 'psu', 'storage-controller']) {
        assert.ok(
          slots.some((slot) => slot.component === component),
          component,
        );
      }
      assert.equal(slots.filter(({ component }) => component === 'bmc').length, 1);
      assert.equal(slots.filter(({ component }) => component === 'bios').length, 1);
    });

    test(`${personality.name}: ${model} can go to a newer version of everything that has one, from any seed`, () => {
      const available = availableFirmware(personality, model);
      for (let index = 0; index < 40; index += 1) {
        const slots = personality.firmware(personality.describe({ model, index, random: () => index / 40 }));
        for (const slot of slots.filter(({ isUpdateable }) => isUpdateable)) {
          const line = available.filter(
            ({ softwareId, component }) => softwareId === slot.softwareId && component === slot.component,
          );
          const at = line.findIndex(({ version }) => version === slot.version);
          assert.notEqual(at, -1, `${slot.slot} ${slot.version} is not in the catalogue`);
          assert.ok(line.length === 1 || at < line.length - 1, `${slot.slot} has the newest version already`);
          assert.deepEqual(line.filter(({ isNewest }) => isNewest).length, 1);
          for (const firmware of line) assert.ok(firmware.models.includes(model));
        }
      }
    });
  }

  test(`${personality.name}: at least 25 inventory ids, unique and fit to be parts of a path`, () => {
    const ids = list(machineOf(personality.name)).map(({ id }) => id);
    assert.ok(ids.length >= 25, `${ids.length}`);
    assert.equal(new Set(ids).size, ids.length);
    for (const id of ids) assert.match(id, /^[\w.:~()-]+$/);
  });
}

test('servers of one model are not all at one version', () => {
  for (const personality of allPersonalities) {
    const versions = Array.from({ length: 30 }, (_, index) => {
      const slots = personality.firmware(
        personality.describe({ model: personality.models[0] ?? '', index, random: () => 0 }),
      );
      return slots.find(({ component }) => component === 'bios')?.version;
    });
    assert.ok(new Set(versions).size > 1, personality.name);
  }
});

test('Dell lists everything as Installed and Current, and what can be rolled back to as Previous', () => {
  const machine = machineOf('dell-idrac9');
  const entries = list(machine);
  for (const slot of machine.firmware) {
    const own = entries.filter(({ id }) => id.endsWith(`__${slot.slot}`));
    const states = own.map(({ id }) => id.split('-')[0]);
    assert.deepEqual(
      states,
      slot.previousVersion === undefined ? ['Installed', 'Current'] : ['Installed', 'Current', 'Previous'],
    );
    for (const entry of own)
      assert.equal(entry.id, `${entry.id.split('-')[0]}-${entry.softwareId}-${entry.version}__${slot.slot}`);
  }
  const bios = entries.find(({ id }) => id.startsWith('Installed-159-'));
  assert.match(String(bios?.body?.ReleaseDate), /^20\d\d-\d\d-\d\dT00:00:00Z$/);
  const disk = entries.find(({ id }) => id.includes('Disk.Bay.0'));
  assert.equal(disk?.softwareId, '0');
  assert.equal(disk?.body?.ReleaseDate, '00:00:00Z');
});

test('Dell lists more than a page of entries', () => {
  const { pageSize = 0 } = personalityOf('dell-idrac9').service;
  assert.ok(list(machineOf('dell-idrac9')).length > pageSize);
});

test('HPE numbers its entries, and the redundant ROM shows what ran before', () => {
  for (const name of ['hpe-ilo5', 'hpe-ilo6'] as const) {
    const machine = machineOf(name);
    const entries = list(machine);
    assert.deepEqual(
      entries.map(({ id }) => id),
      entries.map((_, at) => String(at + 1)),
    );
    assert.deepEqual(
      entries.slice(0, 2).map((entry) => entry.name),
      [name === 'hpe-ilo5' ? 'iLO 5' : 'iLO 6', 'System ROM'],
    );
    const rom = machine.firmware.find(({ component }) => component === 'bios');
    assert.ok(rom);
    rom.previousVersion = 'U32 v1.00 (01/01/2020)';
    assert.equal(list(machine).find((entry) => entry.name === 'Redundant System ROM')?.version, rom.previousVersion);
  }
});

test('Lenovo lists a primary and a backup BMC and pending twins that are empty until something is staged', () => {
  const machine = machineOf('lenovo-xcc');
  const ids = list(machine).map(({ id }) => id);
  for (const id of [
    'BMC-Primary',
    'BMC-Backup',
    'BMC-Primary-Pending',
    'UEFI',
    'UEFI-Pending',
    'LXPM',
    'LXPMLinuxDriver',
    'LXPMWindowsDriver',
    'Disk1',
    'Disk8',
    'PSU1',
    'PSU2',
  ]) {
    assert.ok(ids.includes(id), id);
  }
  assert.ok(!ids.includes('Ob_1.Bundle-Pending'));
  const pending = () => list(machine).find(({ id }) => id === 'UEFI-Pending');
  assert.equal(pending()?.body?.Version, null);
  const uefi = machine.firmware.find(({ component }) => component === 'bios');
  const nic = machine.firmware.find(({ component }) => component === 'nic');
  assert.ok(uefi && nic);
  uefi.pendingVersion = 'IVE194D-4.10';
  nic.pendingVersion = '6.00';
  assert.equal(pending()?.version, 'IVE194D-4.10');
  assert.ok(list(machine).some(({ id }) => id === 'Ob_1.Bundle-Pending'));
});

test('Supermicro lists backup, golden and staging images of BMC and BIOS, which cannot be updated', () => {
  const entries = list(machineOf('supermicro-x12'));
  for (const id of ['BMC', 'BIOS', 'CPLD_Motherboard', 'NIC1', 'NVMeController8', 'PowerSupply2', 'BIOS_ME']) {
    assert.ok(
      entries.some((entry) => entry.id === id),
      id,
    );
  }
  for (const id of ['Backup_BMC', 'Golden_BMC', 'Staging_BMC', 'Backup_BIOS', 'Golden_BIOS', 'Staging_BIOS']) {
    assert.equal(entries.find((entry) => entry.id === id)?.isUpdateable, false, id);
  }
});

test('OpenBMC knows images by digests that change with the version, and says by related items what they are', () => {
  const machine = machineOf('openbmc');
  const related = list(machine).map(({ relatedItems }) => relatedItems[0]);
  assert.ok(related.includes('/redfish/v1/Managers/bmc') && related.includes('/redfish/v1/Systems/system/Bios'));
  const before = list(machine).map(({ id }) => id);
  assert.ok(before.every((id) => /^[0-9a-f]{8}$/.test(id)));
  const bmc = machine.firmware.find(({ component }) => component === 'bmc');
  assert.ok(bmc);
  bmc.version = '9.9.9';
  const after = list(machine).map(({ id }) => id);
  assert.equal(after.filter((id) => !before.includes(id)).length, 1);
});
