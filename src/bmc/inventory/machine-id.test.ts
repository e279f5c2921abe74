import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleTree } from '../testing/sample-tree.ts';
import { createScriptedBmc } from '../testing/scripted-bmc.ts';
import { machineIdFrom, machineIdOf, usableUuid, uuidFromName } from './machine-id.ts';

test('a UUID is brought into its usual form; those that many machines share are none', () => {
  assert.equal(usableUuid('4C4C4544-0043-3510-8052-B4C04F564232'), '4c4c4544-0043-3510-8052-b4c04f564232');
  assert.equal(usableUuid('{4C4C454400433510 8052B4C04F564232}'), '4c4c4544-0043-3510-8052-b4c04f564232');
  const shared = [
    undefined,
    '',
    'unknown',
    '00000000-0000-0000-0000-000000000000',
    'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
    '00000000-0000-0000-0000-000000000001',
    'fefefefe-fefe-fefe-fefe-fefefefefefe',
    '03000200-0400-0500-0006-000700080009',
    '12345678-1234-5678-90AB-CDDEEFAABBCC',
    '4c4c4544-0043-3510-8052',
  ];
  for (const uuid of shared) assert.equal(usableUuid(uuid), undefined, uuid);
});

test('a name-based UUID is as everybody else makes it', () => {
  // The example of RFC 9562, appendix A.4.
  assert.equal(
    uuidFromName('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'www.example.com'),
    '2ed6657d-e927-568b-95e1-2665a8aea6a2',
  );
});

test('without a UUID of its own a machine goes by BMC serial number and system path', () => {
  const known = { uuid: '00000000-0000-0000-0000-000000000000', bmcSerial: 'B1', systemPath: '/redfish/v1/Systems/1/' };
  const id = machineIdFrom(known);
  assert.match(id ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(machineIdFrom({ ...known, systemPath: '/redfish/v1/Systems/1' }), id);
  assert.notEqual(machineIdFrom({ ...known, systemPath: '/redfish/v1/Systems/2' }), id);
  assert.notEqual(machineIdFrom({ ...known, bmcSerial: 'B2' }), id);
  assert.equal(machineIdFrom({ ...known, bmcSerial: undefined }), undefined);
});

test('the System UUID is the id of a machine, and the manager is not asked then', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree() });
  assert.equal(await machineIdOf(bmc), '0a1b2c3d-1111-4222-8333-444455556666');
  assert.equal(
    gate.lines.some((line) => line.includes('Managers')),
    false,
  );
});

test('a zero or taken UUID is replaced by one from the BMC serial number', async () => {
  const systemPath = '/redfish/v1/Systems/1';
  const made = machineIdFrom({ uuid: undefined, bmcSerial: 'BMC-SN-1', systemPath });
  const zero = createScriptedBmc({ tree: sampleTree({ system: { UUID: '00000000-0000-0000-0000-000000000000' } }) });
  assert.equal(await machineIdOf(zero.bmc), made);
  const taken = createScriptedBmc({ tree: sampleTree() });
  assert.equal(await machineIdOf(taken.bmc, { isUuidTaken: true }), made);
});

test('what stands for the serial number: UUIDs of the BMC, then the serial number of the system', async () => {
  const system = { UUID: null };
  const idWith = async (options: Parameters<typeof sampleTree>[0]) =>
    machineIdOf(createScriptedBmc({ tree: sampleTree({ system, ...options }) }).bmc);
  const from = (bmcSerial: string) =>
    machineIdFrom({ uuid: undefined, bmcSerial, systemPath: '/redfish/v1/Systems/1' });
  assert.equal(await idWith({ manager: { SerialNumber: 'N/A' } }), from('9c7e3b1a-1111-4222-8333-444455556666'));
  assert.equal(await idWith({ manager: { SerialNumber: null }, root: { UUID: null } }), from('SN-1'));
  const none = { system: { ...system, SerialNumber: '' }, manager: { SerialNumber: null }, root: { UUID: null } };
  await assert.rejects(idWith(none), /cannot be told from other machines/);
});
