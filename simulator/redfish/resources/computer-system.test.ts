import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainPersonality } from '../../personalities/testing/plain-personality.ts';
import { createAskedMachine } from './testing/ask.ts';
import { messageIds } from './testing/messages.ts';

const system = '/redfish/v1/Systems/system';
const reset = `${system}/Actions/ComputerSystem.Reset`;

test('a system says who it is, what it runs and how it can be reset', async () => {
  const { get, machine } = createAskedMachine();
  const bios = machine.firmware.find(({ component }) => component === 'bios');
  assert.ok(bios);
  bios.version = '2.0';
  const body = await get(system);
  assert.equal(body.UUID, machine.hardware.uuid);
  assert.equal(body.SerialNumber, 'S1');
  assert.equal(body.BiosVersion, '2.0');
  assert.equal(body.PowerState, 'On');
  assert.deepEqual(body.BootProgress, { LastState: 'OSRunning' });
  assert.equal((body.MemorySummary as { TotalSystemMemoryGiB: number }).TotalSystemMemoryGiB, 64);
  assert.deepEqual(await allowedResets(get), plainPersonality.service.resetTypes);
});

async function allowedResets(get: (path: string) => Promise<object>): Promise<unknown> {
  const info = (await get(`${system}/ResetActionInfo`)) as { Parameters: { AllowableValues: string[] }[] };
  return info.Parameters[0]?.AllowableValues;
}

test('reset types stand beside the action where the vendor has no ActionInfo', async () => {
  const personality = {
    ...plainPersonality,
    service: { ...plainPersonality.service, hasResetActionInfo: false, hasBootProgress: false },
  };
  const { get } = createAskedMachine({ personality });
  const body = await get(system);
  const action = (body.Actions as Record<string, Record<string, unknown>>)['#ComputerSystem.Reset'];
  assert.deepEqual(action?.['ResetType@Redfish.AllowableValues'], plainPersonality.service.resetTypes);
  assert.equal(action?.['@Redfish.ActionInfo'], undefined);
  assert.equal(body.BootProgress, undefined);
});

test('a forced off goes through PoweringOff or Off, and On brings the host back', async () => {
  const { ask, get, clock } = createAskedMachine();
  assert.equal((await ask('POST', reset, { body: { ResetType: 'ForceOff' } })).status, 204);
  await clock.advance(60_000);
  assert.equal((await get(system)).PowerState, 'Off');
  assert.equal((await ask('POST', reset, { body: { ResetType: 'On' } })).status, 204);
  await clock.advance(300_000);
  assert.equal((await get(system)).PowerState, 'On');
});

test('a reset without type, with a strange type or in the wrong state is refused with a reason', async () => {
  const { ask } = createAskedMachine({ isPoweredOn: false });
  const bare = await ask('POST', reset);
  assert.equal(bare.status, 400);
  assert.deepEqual(messageIds(bare), ['Base.1.8.ActionParameterMissing']);
  for (const ResetType of ['FullPowerCycle', 'on', 7]) {
    const strange = await ask('POST', reset, { body: { ResetType } });
    assert.equal(strange.status, 400);
    assert.deepEqual(messageIds(strange), ['Base.1.8.ActionParameterValueNotInList']);
  }
  const wrong = await ask('POST', reset, { body: { ResetType: 'GracefulShutdown' } });
  assert.equal(wrong.status, 409);
  assert.deepEqual(messageIds(wrong), ['Base.1.8.OperationFailed']);
});

test('a host that goes off just now cannot be turned on, and the word for that says to ask again', async () => {
  const { ask } = createAskedMachine();
  assert.equal((await ask('POST', reset, { body: { ResetType: 'ForceOff' } })).status, 204);
  const early = await ask('POST', reset, { body: { ResetType: 'On' } });
  assert.deepEqual([early.status, ...messageIds(early)], [409, 'Base.1.8.ActionParameterValueConflict']);
});

test('a boot override is taken and shown, and null takes the boot address away', async () => {
  const { ask, get } = createAskedMachine();
  const Boot = {
    BootSourceOverrideEnabled: 'Once',
    BootSourceOverrideTarget: 'UefiHttp',
    BootSourceOverrideMode: 'UEFI',
    HttpBootUri: 'http://127.0.0.1/boot.efi',
  };
  assert.equal((await ask('PATCH', system, { body: { Boot } })).status, 200);
  const shown = (await get(system)).Boot as Record<string, unknown>;
  assert.deepEqual({ ...shown, ...Boot }, shown);
  assert.equal((await ask('PATCH', system, { body: { Boot: { HttpBootUri: null } } })).status, 200);
  assert.equal(((await get(system)).Boot as Record<string, unknown>).HttpBootUri, null);
});

test('a boot override that cannot be is refused by member and value', async () => {
  const { ask } = createAskedMachine();
  const refusals: [object, string, string[]][] = [
    [{ BootSourceOverrideTarget: 'Floppy' }, 'PropertyValueNotInList', ['Floppy', 'Boot/BootSourceOverrideTarget']],
    [{ BootSourceOverrideEnabled: 'Twice' }, 'PropertyValueNotInList', ['Twice', 'Boot/BootSourceOverrideEnabled']],
    [{ BootSourceOverrideMode: 7 }, 'PropertyValueTypeError', ['7', 'Boot/BootSourceOverrideMode']],
    [{ BootSauce: 'Pxe' }, 'PropertyUnknown', ['Boot/BootSauce']],
  ];
  for (const [boot, key, args] of refusals) {
    const answer = await ask('PATCH', system, { body: { Boot: { ...boot } } });
    assert.equal(answer.status, 400);
    assert.deepEqual(messageIds(answer), [`Base.1.8.${key}`]);
    const error = answer.body?.error as { '@Message.ExtendedInfo': { MessageArgs: string[] }[] };
    assert.deepEqual(error['@Message.ExtendedInfo'][0]?.MessageArgs, args);
  }
});

test('a vendor without boot modes neither shows nor takes one', async () => {
  const service = { ...plainPersonality.service, hasBootMode: false };
  const { ask, get } = createAskedMachine({ personality: { ...plainPersonality, service } });
  assert.equal(((await get(system)).Boot as Record<string, unknown>).BootSourceOverrideMode, undefined);
  const answer = await ask('PATCH', system, { body: { Boot: { BootSourceOverrideMode: 'UEFI' } } });
  assert.deepEqual(messageIds(answer), ['Base.1.8.PropertyUnknown']);
});

test('a boot order has to name every boot option once', async () => {
  const { ask, get } = createAskedMachine();
  const order = ((await get(system)).Boot as { BootOrder: string[] }).BootOrder;
  const BootOrder = order.toReversed();
  assert.equal((await ask('PATCH', system, { body: { Boot: { BootOrder } } })).status, 200);
  assert.deepEqual(((await get(system)).Boot as { BootOrder: string[] }).BootOrder, BootOrder);
  const short = await ask('PATCH', system, { body: { Boot: { BootOrder: order.slice(1) } } });
  assert.deepEqual(messageIds(short), ['Base.1.8.PropertyValueNotInList']);
});

test('indicator and asset tag can be written; what cannot is refused by name', async () => {
  const { ask, get } = createAskedMachine();
  const answer = await ask('PATCH', system, { body: { '@odata.id': system, IndicatorLED: 'Lit', AssetTag: 'row 7' } });
  assert.equal(answer.status, 200);
  const body = await get(system);
  assert.equal(body.IndicatorLED, 'Lit');
  assert.equal(body.AssetTag, 'row 7');
  const refused = await ask('PATCH', system, { body: { IndicatorLED: 'Purple', SerialNumber: 'x', AssetTag: 7 } });
  assert.equal(refused.status, 400);
  assert.deepEqual(messageIds(refused), [
    'Base.1.8.PropertyValueNotInList',
    'Base.1.8.PropertyUnknown',
    'Base.1.8.PropertyValueTypeError',
  ]);
});

test('secure boot can be switched on and its keys thrown away', async () => {
  const { ask, get } = createAskedMachine();
  const path = `${system}/SecureBoot`;
  assert.equal((await get(path)).SecureBootEnable, false);
  assert.equal((await ask('PATCH', path, { body: { SecureBootEnable: true } })).status, 200);
  assert.equal((await get(path)).SecureBootEnable, true);
  assert.deepEqual(messageIds(await ask('PATCH', path, { body: { SecureBootEnable: 'yes' } })), [
    'Base.1.8.PropertyValueTypeError',
  ]);
  const action = `${path}/Actions/SecureBoot.ResetKeys`;
  assert.equal((await ask('POST', action, { body: { ResetKeysType: 'DeleteAllKeys' } })).status, 204);
  assert.equal((await get(path)).SecureBootMode, 'SetupMode');
  assert.equal((await ask('POST', action, { body: {} })).status, 400);
});
