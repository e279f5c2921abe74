import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAskedMachine } from './testing/ask.ts';
import { messageIds } from './testing/messages.ts';

const manager = '/redfish/v1/Managers/bmc';

test('a manager tells its firmware and its own time, in the offset it was given, and can be set', async () => {
  const { ask, get } = createAskedMachine();
  const body = await get(manager);
  assert.equal(body.FirmwareVersion, '1.0.0');
  assert.equal(body.DateTime, '2026-01-01T00:00:00+00:00');
  assert.equal((await ask('PATCH', manager, { body: { DateTimeLocalOffset: '-05:30' } })).status, 200);
  assert.equal((await get(manager)).DateTime, '2025-12-31T18:30:00-05:30');
  assert.equal((await ask('PATCH', manager, { body: { DateTime: '2031-05-01T12:00:00+02:00' } })).status, 200);
  assert.equal((await get(manager)).DateTime, '2031-05-01T04:30:00-05:30');
});

test('a time or an offset that is none is refused', async () => {
  const { ask } = createAskedMachine();
  const answer = await ask('PATCH', manager, { body: { DateTime: 'noon', DateTimeLocalOffset: 'UTC' } });
  assert.deepEqual(messageIds(answer), ['Base.1.8.PropertyValueFormatError', 'Base.1.8.PropertyValueFormatError']);
});

test('a manager reset takes the BMC away; a type it does not have is refused', async () => {
  const { ask, machine, clock } = createAskedMachine();
  const action = `${manager}/Actions/Manager.Reset`;
  assert.deepEqual(messageIds(await ask('POST', action)), ['Base.1.8.ActionParameterMissing']);
  assert.deepEqual(messageIds(await ask('POST', action, { body: { ResetType: 'ForceOff' } })), [
    'Base.1.8.ActionParameterValueNotInList',
  ]);
  assert.equal((await ask('POST', action, { body: { ResetType: 'GracefulRestart' } })).status, 204);
  await clock.advance(10_000);
  assert.equal(machine.manager.isReachable, false);
  await clock.advance(300_000);
  assert.equal(machine.manager.isReachable, true);
});

test("the manager's interface has its MAC and the address it was asked at", async () => {
  const { get, ask } = createAskedMachine();
  const path = `${manager}/EthernetInterfaces/1`;
  const body = await get(path);
  assert.equal(body.MACAddress, '02:00:00:00:01:09');
  assert.equal((body.IPv4Addresses as { Address: string }[])[0]?.Address, '127.0.0.9');
  const six = await ask('GET', path, { headers: { host: '[::1]:8443' } });
  assert.deepEqual(six.body?.IPv6Addresses, [{ Address: '::1', PrefixLength: 64, AddressOrigin: 'SLAAC' }]);
});

test('time servers can be written and are shown again', async () => {
  const { ask, get } = createAskedMachine();
  const path = `${manager}/NetworkProtocol`;
  const NTP = { ProtocolEnabled: true, NTPServers: ['192.0.2.1'] };
  assert.equal((await ask('PATCH', path, { body: { NTP } })).status, 200);
  assert.deepEqual((await get(path)).NTP, { ...NTP, Port: 123 });
  assert.deepEqual(messageIds(await ask('PATCH', path, { body: { NTP: { NTPServers: 'x' } } })), [
    'Base.1.8.PropertyValueTypeError',
  ]);
});

test('the log shows the latest of what happened, newest first', async () => {
  const { get, machine } = createAskedMachine();
  for (let count = 1; count <= 12; count += 1) machine.log.add('test.event', `number=${count}`);
  const entries = (await get(`${manager}/LogServices/Log1/Entries`)).Members as { '@odata.id': string }[];
  assert.equal(entries.length, 10);
  assert.equal((await get(entries[0]?.['@odata.id'] ?? '')).Message, 'test.event number=12');
});
