import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleTree } from '../testing/sample-tree.ts';
import { createScriptedBmc } from '../testing/scripted-bmc.ts';
import { machineIdFrom } from './machine-id.ts';
import { findOtherMachine, isSameUuid, type KnownMachine, usableSerial } from './other-machine.ts';

const uuid = '0a1b2c3d-1111-4222-8333-444455556666';
const elsewhere = '99999999-1111-4222-8333-444455556666';
const zero = '00000000-0000-0000-0000-000000000000';
const systemPath = '/redfish/v1/Systems/1';

async function found(known: KnownMachine, options: Parameters<typeof sampleTree>[0] = {}) {
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree(options) });
  return { other: await findOtherMachine(bmc, known), gate };
}

type Case = readonly [what: string, known: KnownMachine, options?: Parameters<typeof sampleTree>[0]];

const same: readonly Case[] = [
  ['the UUID', { uuid, serial: 'SN-1' }],
  ['the UUID, with another serial number, as from an asset list', { uuid, serial: 'ASSET-7' }],
  ['the UUID in capitals', { uuid: uuid.toUpperCase() }],
  ['the UUID with its first fields byte-swapped', { uuid: '3d2c1b0a-1111-2242-8333-444455556666' }],
  ['the serial number, where no UUID is known', { serial: ' sn-1 ' }],
  ['the serial number, where the BMC tells no UUID', { uuid, serial: 'SN-1' }, { system: { UUID: zero } }],
  ['nothing that is known', {}],
  ['a placeholder for a serial number', { serial: 'SN-9' }, { system: { SerialNumber: 'To be filled by O.E.M.' } }],
  ['a serial number where a placeholder is known', { serial: 'Not Specified' }],
  ['no UUID and no serial number', { uuid, serial: 'SN-9' }, { system: { UUID: null, SerialNumber: '' } }],
  ['the number on the label as its SKU', { serial: 'TAG-7' }, { system: { SKU: 'TAG-7' } }],
  [
    'a UUID that another has too, and the BMC that its id is made of',
    { uuid: machineIdFrom({ uuid: undefined, bmcSerial: 'BMC-SN-1', systemPath }) ?? '', serial: 'SN-1' },
  ],
];
for (const [what, known, options] of same) {
  test(`a machine that tells ${what} is taken for the known one`, async () => {
    assert.equal((await found(known, options)).other, undefined);
  });
}

const others: readonly Case[] = [
  ['another UUID', { uuid: elsewhere }],
  ['another UUID and the serial number of the enclosure that both are in', { uuid: elsewhere, serial: 'SN-1' }],
  ['another serial number, where no UUID is known', { serial: 'SN-9' }],
  ['another serial number, and a UUID that all have', { uuid, serial: 'SN-9' }, { system: { UUID: zero } }],
];
for (const [what, known, options] of others) {
  test(`a machine that tells ${what} is another, and both are told`, async () => {
    const { other } = await found(known, options);
    assert.ok(other);
    for (const mark of [known.uuid, known.serial]) if (mark !== undefined) assert.ok(other.known.includes(mark));
    assert.match(other.found, /SN-1/);
  });
}

test('a machine that is the known one costs one read of its system', async () => {
  const { gate } = await found({ uuid, serial: 'SN-1' });
  const reads = gate.lines.filter((line) => !/redfish\/v1\/?(?:Systems)?$/.test(line));
  assert.deepEqual(reads, [`GET ${systemPath}`]);
});

test('serial numbers that boards leave the factory with name no machine', () => {
  const empty = ['', '  ', '0', '0000', '00000000', 'FFFFFFFF', 'xxxxxxxx', '..........', '-', 'N/A', 'None', 'NULL'];
  const words = ['Not Specified', 'Default string', 'To be filled by O.E.M.', 'System Serial Number', 'OEM', 'unknown'];
  const counted = ['123456789', '0123456789', '1234567890', '12345678'];
  for (const text of [undefined, ...empty, ...words, ...counted]) assert.equal(usableSerial(text), undefined, text);
  for (const text of ['7CKXQ53', 'S15317409908263', 'CN7475159D0123', 'MXQ1234567']) {
    assert.equal(usableSerial(` ${text} `), text);
  }
});

test('two UUIDs that are of no use are not the same', () => {
  assert.equal(isSameUuid(zero, zero), false);
  assert.equal(isSameUuid(uuid, uuid), true);
  assert.equal(isSameUuid(uuid, elsewhere), false);
});
