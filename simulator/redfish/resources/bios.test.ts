import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainPersonality } from '../../personalities/testing/plain-personality.ts';
import { tagBody } from '../front/etag.ts';
import { createAskedMachine } from './testing/ask.ts';
import { messageIds } from './testing/messages.ts';

const bios = '/redfish/v1/Systems/system/Bios';
const settings = `${bios}/Settings`;

interface Annotation {
  readonly SettingsObject: { '@odata.id': string };
  readonly Time?: string;
  readonly ETag: string;
  readonly Messages: { MessageId: string; Severity: string }[];
}

async function annotation(get: (path: string) => Promise<object>): Promise<Annotation> {
  return ((await get(bios)) as { '@Redfish.Settings': Annotation })['@Redfish.Settings'];
}

test('settings wait for a reset, and then the BIOS says when they were applied and how', async () => {
  const { ask, get, clock } = createAskedMachine();
  const before = await annotation(get);
  assert.equal(before.SettingsObject['@odata.id'], settings);
  assert.equal(before.Time, undefined);
  assert.deepEqual(before.Messages, []);
  const body = {
    Attributes: { BootMode: 'Bios', Cores: 4 },
    '@Redfish.SettingsApplyTime': { '@odata.type': '#Settings.v1_0_0.PreferredApplyTime', ApplyTime: 'OnReset' },
  };
  assert.equal((await ask('PATCH', settings, { body })).status, 200);
  assert.deepEqual((await get(settings)).Attributes, { BootMode: 'Bios', Cores: 4 });
  assert.equal(((await get(bios)).Attributes as Record<string, unknown>).BootMode, 'Uefi');
  await ask('POST', '/redfish/v1/Systems/system/Actions/ComputerSystem.Reset', { body: { ResetType: 'ForceRestart' } });
  await clock.advance(300_000);
  assert.equal(((await get(bios)).Attributes as Record<string, unknown>).BootMode, 'Bios');
  assert.deepEqual((await get(settings)).Attributes, {});
  const after = await annotation(get);
  assert.match(after.Time ?? '', /^2026-01-01T00:0\d:\d\d\+00:00$/);
  assert.deepEqual(
    after.Messages.map(({ MessageId, Severity }) => [MessageId, Severity]),
    [['Base.1.8.Success', 'OK']],
  );
});

test('the ETag in the annotation is that of the settings object, before and after a change', async () => {
  const { ask, get } = createAskedMachine();
  const seen: string[] = [];
  for (const Cores of [1, 2]) {
    const { ETag } = await annotation(get);
    assert.equal(ETag, tagBody(await get(settings), plainPersonality.service).etag);
    seen.push(ETag);
    await ask('PATCH', settings, { body: { Attributes: { Cores } } });
  }
  assert.notEqual(seen[0], seen[1]);
});

test('each attribute that cannot be set is refused with its name, and nothing is staged', async () => {
  const { ask, get } = createAskedMachine();
  const Attributes = {
    NoSuch: 1,
    SystemModel: 'y',
    BootMode: 'Both',
    Cores: 65,
    AssetTag: 'far too long',
    Turbo: 'yes',
  };
  const answer = await ask('PATCH', settings, { body: { Attributes } });
  assert.equal(answer.status, 400);
  const error = answer.body?.error as {
    code: string;
    '@Message.ExtendedInfo': { MessageId: string; MessageArgs: string[]; RelatedProperties: string[] }[];
  };
  assert.equal(error.code, 'Base.1.8.GeneralError');
  assert.deepEqual(
    error['@Message.ExtendedInfo'].map(({ MessageId, MessageArgs }) => [MessageId.slice(9), ...MessageArgs]),
    [
      ['PropertyUnknown', 'NoSuch'],
      ['PropertyNotWritable', 'SystemModel'],
      ['PropertyValueNotInList', 'Both', 'BootMode'],
      ['PropertyValueOutOfRange', '65', 'Cores'],
      ['PropertyValueFormatError', 'far too long', 'AssetTag'],
      ['PropertyValueTypeError', 'yes', 'Turbo'],
    ],
  );
  assert.deepEqual(error['@Message.ExtendedInfo'][0]?.RelatedProperties, ['#/Attributes/NoSuch']);
  assert.deepEqual((await get(settings)).Attributes, {});
});

test('a settings request without attributes or with another apply time is refused', async () => {
  const { ask } = createAskedMachine();
  assert.deepEqual(messageIds(await ask('PATCH', settings, { body: {} })), ['Base.1.8.PropertyMissing']);
  assert.deepEqual(messageIds(await ask('PATCH', settings, { body: { Attributes: [] } })), [
    'Base.1.8.PropertyValueTypeError',
  ]);
  const early = { Attributes: { Cores: 1 }, '@Redfish.SettingsApplyTime': { ApplyTime: 'Immediate' } };
  assert.deepEqual(messageIds(await ask('PATCH', settings, { body: early })), ['Base.1.8.PropertyValueNotInList']);
});

test('ResetBios stages the defaults of what differs; the set-up password cannot be changed', async () => {
  const { ask, get, clock } = createAskedMachine();
  await ask('PATCH', settings, { body: { Attributes: { Cores: 4 } } });
  await ask('POST', '/redfish/v1/Systems/system/Actions/ComputerSystem.Reset', { body: { ResetType: 'ForceRestart' } });
  await clock.advance(300_000);
  assert.equal((await ask('POST', `${bios}/Actions/Bios.ResetBios`)).status, 200);
  assert.deepEqual((await get(settings)).Attributes, { Cores: 8 });
  const action = `${bios}/Actions/Bios.ChangePassword`;
  assert.deepEqual(messageIds(await ask('POST', action)), ['Base.1.8.ActionParameterMissing']);
  const refused = await ask('POST', action, {
    body: { PasswordName: 'AdminPassword', OldPassword: 'secret-one', NewPassword: 'secret-two' },
  });
  assert.equal(refused.status, 400);
  assert.doesNotMatch(JSON.stringify(refused.body), /secret/);
});

test('the attribute registry has a type, bounds and values for every attribute', async () => {
  const { get } = createAskedMachine();
  const id = String((await get(bios)).AttributeRegistry);
  const file = (await get(`/redfish/v1/Registries/${id}`)) as { Registry: string; Location: { Uri: string }[] };
  assert.equal(file.Registry, id);
  const registry = await get(file.Location[0]?.Uri ?? '');
  assert.equal(registry['@odata.type'], '#AttributeRegistry.v1_3_3.AttributeRegistry');
  assert.equal(registry.RegistryVersion, '1.2.3');
  const { Attributes } = registry.RegistryEntries as { Attributes: Record<string, unknown>[] };
  const byName = new Map(Attributes.map((attribute) => [attribute.AttributeName, attribute]));
  assert.deepEqual([...byName.keys()], Object.keys((await get(bios)).Attributes as object));
  assert.deepEqual(byName.get('BootMode')?.Value, [
    { ValueName: 'Uefi', ValueDisplayName: 'Uefi' },
    { ValueName: 'Bios', ValueDisplayName: 'Bios' },
  ]);
  assert.deepEqual([byName.get('Cores')?.LowerBound, byName.get('Cores')?.UpperBound], [1, 64]);
  assert.equal(byName.get('AssetTag')?.MaxLength, 8);
  assert.equal(byName.get('SystemModel')?.ReadOnly, true);
  assert.equal(byName.get('Turbo')?.ResetRequired, true);
});

test('vendors that spell the folder and the settings object differently are served there and only there', async () => {
  const ids = { ...plainPersonality.ids, bios: 'bios', biosSettings: 'Pending' };
  const { ask, get } = createAskedMachine({ personality: { ...plainPersonality, ids } });
  const other = '/redfish/v1/Systems/system/bios';
  assert.equal((await get(other))['@odata.id'], other);
  assert.equal((await get(`${other}/Pending`))['@odata.id'], `${other}/Pending`);
  assert.equal((await ask('GET', bios)).status, 404);
  assert.equal((await ask('PATCH', `${other}/Settings`, { body: { Attributes: { Cores: 1 } } })).status, 404);
});
