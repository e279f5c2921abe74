import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFlasherError } from '../../flasher/index.ts';
import { createServerDirectory, onlySimulated } from './server-directory.ts';

const id = '38947555-7742-3448-3784-823347823834';
const target = `server/${id}`;

function directoryOf(address: string) {
  const login = { username: 'u', password: 'p' };
  const inventory = { serverOf: async () => ({ bmcAddress: address, machine: {} }), bmcLoginOf: async () => login };
  return onlySimulated(createServerDirectory(inventory, { kind: 'system', allowsHttp: true }));
}

test('a rehearsal works on BMCs of this machine', async () => {
  for (const address of ['https://127.0.0.7:8443', 'https://[::1]:8443', 'localhost:8443/redfish/v1/Systems/1']) {
    assert.ok(await directoryOf(address).find(target), address);
  }
});

test('a rehearsal refuses every other: its patience would end while a real server is written', async () => {
  for (const address of ['10.0.0.7', 'https://bmc7.example.com', 'redfish://[fd00::7]/redfish/v1/Systems/1']) {
    await assert.rejects(directoryOf(address).find(target), (error) => isFlasherError(error, 'notSimulated'), address);
  }
});
