import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBmcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { sampleTree } from '../testing/sample-tree.ts';
import { createScriptedBmc } from '../testing/scripted-bmc.ts';
import { readBoot, readBootOptions, setBootOrder, setBootOverride } from './boot.ts';

const system = '/redfish/v1/Systems/1';
const withBoot = (Boot: JsonObject) => createScriptedBmc({ tree: sampleTree({ system: { Boot } }) });

test('an override is set, verified, and not sent again', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree() });
  const change = await setBootOverride(bmc, { enabled: 'Once', target: 'pxe', mode: 'UEFI' });
  assert.deepEqual([change.wasSent, change.isVerified, change.boot.target], [true, true, 'Pxe']);
  const patch = gate.sent.find(({ method }) => method === 'PATCH');
  assert.deepEqual(patch?.body, {
    Boot: { BootSourceOverrideEnabled: 'Once', BootSourceOverrideTarget: 'Pxe', BootSourceOverrideMode: 'UEFI' },
  });
  assert.deepEqual([patch?.path, patch?.isDisruptive], [system, true]);
  assert.equal((await setBootOverride(bmc, { enabled: 'Once', target: 'Pxe', mode: 'UEFI' })).wasSent, false);
});

test('the mode is sent only where there is one', async () => {
  const { bmc, gate } = withBoot({ BootSourceOverrideEnabled: 'Disabled', BootSourceOverrideTarget: 'None' });
  await setBootOverride(bmc, { enabled: 'Continuous', target: 'Hdd', mode: 'UEFI' });
  const patch = gate.sent.find(({ method }) => method === 'PATCH');
  assert.deepEqual(patch?.body, { Boot: { BootSourceOverrideEnabled: 'Continuous', BootSourceOverrideTarget: 'Hdd' } });
});

test('an override is taken back, and one that is not there is not', async () => {
  const { bmc } = createScriptedBmc({ tree: sampleTree() });
  assert.equal((await setBootOverride(bmc, { enabled: 'Disabled' })).wasSent, false);
  await setBootOverride(bmc, { enabled: 'Continuous', target: 'Cd' });
  const change = await setBootOverride(bmc, { enabled: 'Disabled' });
  assert.deepEqual([change.wasSent, change.isVerified, change.boot.enabled], [true, true, 'Disabled']);
});

test('an HTTP boot carries its address', async () => {
  const { bmc } = createScriptedBmc({ tree: sampleTree() });
  const httpBootUri = 'http://10.0.0.1/boot.efi';
  await setBootOverride(bmc, { enabled: 'Once', target: 'UefiHttp', httpBootUri });
  assert.equal((await readBoot(bmc)).httpBootUri, httpBootUri);
});

test('a target that is not there is told with those that are', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree() });
  await assert.rejects(
    setBootOverride(bmc, { enabled: 'Once', target: 'Tape' }),
    (error) => isBmcError(error, 'unsupported') && /boot from Tape.*None, Pxe, Cd, Hdd, UefiHttp/.test(error.message),
  );
  assert.equal(
    gate.sent.some(({ method }) => method === 'PATCH'),
    false,
  );
});

test('a BMC that takes it and shows something else is not verified', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree() });
  gate.on(`PATCH ${system}`, () => ({ status: 204 }));
  const change = await setBootOverride(bmc, { enabled: 'Once', target: 'Pxe' });
  assert.deepEqual([change.wasSent, change.isVerified], [true, false]);
});

test('a BMC that takes boot settings only at its settings object gets them there', async () => {
  const settings = `${system}/SD`;
  const tree = sampleTree({
    system: { '@Redfish.Settings': { SettingsObject: { '@odata.id': settings } } },
    more: { [settings]: {} },
  });
  const { bmc, gate } = createScriptedBmc({ tree });
  gate.on(`PATCH ${system}`, () => ({ status: 405 }));
  gate.on(`PATCH ${settings}`, (request) => {
    gate.change(system, request.body as JsonObject);
    return {};
  });
  assert.equal((await setBootOverride(bmc, { enabled: 'Once', target: 'Pxe' })).isVerified, true);
});

test('boot options are listed and ordered', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: sampleTree() });
  assert.deepEqual(
    (await readBootOptions(bmc)).map(({ reference, name }) => [reference, name]),
    [
      ['Boot0000', 'Disk'],
      ['Boot0001', 'PXE'],
    ],
  );
  assert.deepEqual(await setBootOrder(bmc, ['Boot0000', 'Boot0001']), { wasSent: false });
  assert.deepEqual(await setBootOrder(bmc, ['Boot0001', 'Boot0000']), { wasSent: true });
  assert.deepEqual((await readBoot(bmc)).order, ['Boot0001', 'Boot0000']);
  assert.equal(gate.sent.find(({ method }) => method === 'PATCH')?.isDisruptive, true);
  await assert.rejects(setBootOrder(bmc, ['Boot0009']), /no Boot0009; there are/);
});
